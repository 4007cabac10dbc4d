import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecentFiles } from '../../../main/settings/recent-files.ts';
import { SETTING_OVERRIDES, settingOverrides, settingsJsonSchema, settingsSchema } from '../../../main/settings/settings-schema.ts';
import { SettingsStore } from '../../../main/settings/settings-store.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-settings-'));
  file = path.join(folder, 'settings.json');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the settings schema', () => {
  it('is the published one', async () => {
    const published = new URL('../../../main/settings/settings.schema.json', import.meta.url);
    expect(JSON.parse(await readFile(published, 'utf8'))).toEqual(settingsJsonSchema());
  });

  it('has a description, a flag and a variable for every setting', () => {
    for (const [name, schema] of Object.entries(settingsSchema.shape)) {
      if (name === '$schema') continue;
      expect(schema.description, name).toBeTruthy();
    }
    expect(['$schema', ...Object.keys(SETTING_OVERRIDES)]).toEqual(Object.keys(settingsSchema.shape));
  });

  it.each([
    ['the command line', { '--theme': 'dark' }, {}, { theme: 'dark' }],
    ['the environment', {}, { CELLWRIGHT_THEME: 'light' }, { theme: 'light' }],
    ['the command line before the environment', { '--theme': 'dark' }, { CELLWRIGHT_THEME: 'light' }, { theme: 'dark' }],
    ['not an empty variable', {}, { CELLWRIGHT_THEME: '' }, {}],
  ])('is overridden by %s', (_, flags, env, expected) => {
    expect(settingOverrides(flags, env)).toEqual({ overrides: expected, problems: [] });
  });

  it('says which override is not allowed and leaves the setting alone', () => {
    const { overrides, problems } = settingOverrides({ '--theme': 'pink' }, {});
    expect(overrides).toEqual({});
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('--theme pink');
  });
});

describe('the settings file', () => {
  it('does not exist until something is set', async () => {
    const store = await SettingsStore.open(file);
    expect(store.get('theme')).toBe('system');
    expect(store.notice).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  it('gives back in the next start what was set', async () => {
    const store = await SettingsStore.open(file);
    await store.set('theme', 'dark');
    expect((await SettingsStore.open(file)).get('theme')).toBe('dark');
  });

  it('keeps keys it does not know', async () => {
    await writeFile(file, JSON.stringify({ theme: 'light', fromTheFuture: { a: 1 } }));
    const store = await SettingsStore.open(file);
    await store.set('theme', 'dark');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theme: 'dark', fromTheFuture: { a: 1 } });
  });

  it('never receives an override of one start', async () => {
    const store = await SettingsStore.open(file, { theme: 'dark' });
    await store.set('folder', '/data');
    expect(store.get('theme')).toBe('dark');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theme: 'system', folder: '/data' });
  });

  it('lets the person change an overridden value', async () => {
    const store = await SettingsStore.open(file, { theme: 'dark' });
    await store.set('theme', 'light');
    expect(store.get('theme')).toBe('light');
  });

  it.each([
    ['broken JSON', '{"theme": "dark",'],
    ['a value that is not allowed', '{"theme": "pink"}'],
    ['something else', '[]'],
    ['an empty file', ''],
  ])('with %s is kept aside, byte for byte, and said', async (_, text) => {
    await writeFile(file, text);
    const store = await SettingsStore.open(file);
    expect(store.get('theme')).toBe('system');
    expect(store.notice).toContain(`${file}.unreadable-1`);
    await store.set('theme', 'dark');
    expect(await readFile(`${file}.unreadable-1`, 'utf8')).toBe(text);
  });

  it('keeps every unreadable file', async () => {
    for (const text of ['{1', '{2']) {
      await writeFile(file, text);
      await SettingsStore.open(file);
    }
    expect(await readFile(`${file}.unreadable-1`, 'utf8')).toBe('{1');
    expect(await readFile(`${file}.unreadable-2`, 'utf8')).toBe('{2');
  });

  it('with a byte order mark is read', async () => {
    await writeFile(file, '\uFEFF{"theme": "dark"}');
    expect((await SettingsStore.open(file)).get('theme')).toBe('dark');
  });

  it('is whole after many overlapping changes and leaves no temporary file', async () => {
    const store = await SettingsStore.open(file);
    await Promise.all(Array.from({ length: 40 }, (_, index) => store.set('folder', `/data/${index}`)));
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ folder: '/data/39' });
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('says a failed write to the caller, and the next one goes through', async () => {
    const nested = path.join(folder, 'blocked');
    await writeFile(nested, '');
    const store = await SettingsStore.open(path.join(nested, 'settings.json'));
    await expect(store.set('theme', 'dark')).rejects.toThrow();
    await rm(nested);
    await store.set('theme', 'light');
    expect((await SettingsStore.open(path.join(nested, 'settings.json'))).get('theme')).toBe('light');
  });
});

describe('recent files', () => {
  it('come newest first, once each, and only those that exist', async () => {
    const recent = await RecentFiles.open(path.join(folder, 'recent.json'));
    for (const name of ['a.ipynb', 'b.ipynb']) await writeFile(path.join(folder, name), '{}');
    await recent.add(path.join(folder, 'a.ipynb'), 1);
    await recent.add(path.join(folder, 'gone.ipynb'), 2);
    await recent.add(path.join(folder, 'b.ipynb'), 3);
    await recent.add(path.join(folder, 'a.ipynb'), 4);
    const next = await RecentFiles.open(path.join(folder, 'recent.json'));
    expect(await next.list()).toEqual([
      { path: path.join(folder, 'a.ipynb'), title: 'a.ipynb', openedAt: 4 },
      { path: path.join(folder, 'b.ipynb'), title: 'b.ipynb', openedAt: 3 },
    ]);
    await writeFile(path.join(folder, 'gone.ipynb'), '{}');
    expect(await next.list()).toHaveLength(3);
  });

  it('are bounded', async () => {
    const recent = await RecentFiles.open(path.join(folder, 'recent.json'));
    for (let number = 0; number < 50; number += 1) await recent.add(`/n/${number}.ipynb`, number);
    const { files } = JSON.parse(await readFile(path.join(folder, 'recent.json'), 'utf8')) as { files: { path: string }[] };
    expect(files).toHaveLength(30);
    expect(files[0]?.path).toBe('/n/49.ipynb');
  });
});
