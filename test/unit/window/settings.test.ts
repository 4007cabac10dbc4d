import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotebookMemory } from '../../../main/settings/notebook-memory.ts';
import { readSettings } from '../../../main/settings/read-settings.ts';
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

  it('are all in the documentation, with flag and variable', async () => {
    const documented = await readFile(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
    for (const [name, { flag, env }] of Object.entries(SETTING_OVERRIDES)) {
      expect(documented).toContain(`| \`${name}\` | \`${flag}\` | \`${env}\` |`);
    }
  });

  it('has no flag that Chromium takes for its own', () => {
    const chromiums = ['--log-level', '--log-file', '--enable-logging', '--lang', '--proxy-server', '--user-data-dir'];
    expect(Object.values(SETTING_OVERRIDES).filter(({ flag }) => chromiums.includes(flag))).toEqual([]);
  });

  it.each([
    ['the command line', { '--theme': 'dark' }, {}, { theme: 'dark' }],
    ['the environment', {}, { CELLWRIGHT_THEME: 'light' }, { theme: 'light' }],
    ['the command line before the environment', { '--theme': 'dark' }, { CELLWRIGHT_THEME: 'light' }, { theme: 'dark' }],
    ['not an empty variable', {}, { CELLWRIGHT_THEME: '' }, {}],
    [
      'a number',
      { '--artifact-max-days': '7' },
      { CELLWRIGHT_ARTIFACT_MAX_GIGABYTES: '0.5' },
      { artifactMaxDays: 7, artifactMaxGigabytes: 0.5 },
    ],
  ])('is overridden by %s', (_, flags, env, expected) => {
    expect(settingOverrides(flags, env)).toEqual({ overrides: expected, problems: [] });
  });

  it.each([
    ['--theme', 'pink'],
    ['--artifact-max-days', 'ten'],
    ['--kernel-transport', 'sideways'],
  ])('says which override is not allowed and leaves the setting alone: %s %s', (flag, value) => {
    const { overrides, problems } = settingOverrides({ [flag]: value }, {});
    expect(overrides).toEqual({});
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${flag} ${value}`);
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

  it('loses the temporary files of processes that were killed, and not that of one which runs', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    for (const pid of [gone, process.ppid]) await writeFile(`${file}.${pid}.tmp`, '{"half');
    await writeFile(`${file}.unreadable-1`, 'kept');
    await SettingsStore.open(file);
    expect((await readdir(folder)).sort()).toEqual([`settings.json.${process.ppid}.tmp`, 'settings.json.unreadable-1']);
  });

  it('is not written any more after the end', async () => {
    const store = await SettingsStore.open(file);
    const last = store.set('theme', 'dark');
    await store.end();
    await last;
    await store.set('theme', 'light');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theme: 'dark' });
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

describe('settings read without the window', () => {
  it('are the file’s under the overrides, and the file is left alone', async () => {
    await writeFile(file, '{"theme": "dark", "kernelTransport": "shared-gateway"}');
    const { settings, fileProblem, problems } = await readSettings(file, { CELLWRIGHT_THEME: 'light' }, { '--folder': '/data' });
    expect(settings).toMatchObject({ theme: 'light', kernelTransport: 'shared-gateway', folder: '/data', artifactMaxDays: 30 });
    expect([fileProblem, problems]).toEqual([null, []]);
  });

  it.each([['{"theme": "dark",'], ['{"theme": "pink"}']])('are the defaults when the file can’t be used: %s', async (text) => {
    await writeFile(file, text);
    const { settings, fileProblem } = await readSettings(file, {});
    expect(settings.theme).toBe('system');
    expect(fileProblem).toBeTruthy();
    expect(await readdir(folder)).toEqual(['settings.json']);
  });
});

describe('what is remembered of notebooks', () => {
  it('is there in the next start, each fact by itself', async () => {
    const memory = await NotebookMemory.open(file);
    expect(memory.of('/n/a.ipynb')).toEqual({ kernel: null, trustedOutputs: null });
    await memory.remember('/n/a.ipynb', { kernel: { name: '/venv/bin/python', displayName: 'Python (venv)' } });
    await memory.remember('/n/a.ipynb', { trustedOutputs: 'abc' });
    const next = await NotebookMemory.open(file);
    expect(next.of('/n/a.ipynb')).toMatchObject({ kernel: { name: '/venv/bin/python' }, trustedOutputs: 'abc' });
    expect(next.of('/n/b.ipynb').kernel).toBeNull();
  });

  it('is written only when it changes, and is bounded', async () => {
    const memory = await NotebookMemory.open(file);
    await memory.remember('/n/none.ipynb', { trustedOutputs: null });
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const entry = (usedAt: number) => ({ usedAt, kernel: null, trustedOutputs: 'x' });
    const notebooks = Object.fromEntries(Array.from({ length: 500 }, (_, number) => [`/n/${number}`, entry(1000 - number)]));
    await writeFile(file, JSON.stringify({ notebooks }));
    await (await NotebookMemory.open(file)).remember('/n/new', { trustedOutputs: 'y' });
    const next = await NotebookMemory.open(file);
    expect(['/n/new', '/n/0', '/n/498', '/n/499'].map((path) => next.of(path).trustedOutputs)).toEqual(['y', 'x', 'x', null]);
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
