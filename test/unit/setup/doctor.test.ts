/** What doctor makes of what it finds, as values; the command itself is run as a process in command-line.test.ts. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatFindings, missing, ok } from '../../../main/cli/finding.ts';
import { descriptorFinding, limitFindings, nodeFinding } from '../../../main/cli/limit-findings.ts';
import { profileFindings, profileFolder } from '../../../main/cli/profile-findings.ts';
import { pythonFinding } from '../../../main/cli/python-findings.ts';
import type { Interpreter } from '../../../main/kernels/discovery/interpreters.ts';

const bare: Interpreter = {
  path: '/usr/bin/python3',
  version: '3.11.2',
  kind: 'system',
  displayName: 'Python 3.11.2',
  ipykernel: null,
  prefix: '/usr',
  project: false,
};

it('prints a line for each finding and the fix under what is missing', () => {
  const text = formatFindings([ok('Node', '20.19.0'), missing('Display', 'none', 'install it:\n  sudo apt-get install xvfb')]);
  expect(text.split('\n')).toEqual([
    'ok       Node     20.19.0',
    'missing  Display  none',
    '                  how to fix it: install it:',
    '                    sudo apt-get install xvfb',
  ]);
});

describe('a limit', () => {
  it.each([
    [undefined, 'ok', 'unknown'],
    [Infinity, 'ok', 'unlimited'],
    [1024, 'ok', 'enough for 71 kernels'],
    [256, 'missing', 'only 12 kernels'],
    [64, 'missing', 'only 0 kernels'],
  ])('of %s open files is %s', (limit, status, words) => {
    expect(descriptorFinding(limit)).toMatchObject({ status, detail: expect.stringContaining(words) });
  });

  it.each([
    ['20.18.1', 'ok'],
    ['22.0.0', 'ok'],
    ['20.17.9', 'missing'],
    ['18.20.0', 'missing'],
  ])('Node %s is %s', (version, status) => {
    expect(nodeFinding(version).status).toBe(status);
  });

  it('is read from this process', async () => {
    expect((await limitFindings()).map(({ name, status }) => [name, status])).toEqual([
      ['Node', 'ok'],
      ['Open files', 'ok'],
      ['ZeroMQ', 'ok'],
    ]);
  });
});

describe('Python', () => {
  it('is the best one with ipykernel, wherever it stands', () => {
    const ready = { ...bare, path: '/venv/bin/python', ipykernel: '7.4.0' };
    expect(pythonFinding([bare, ready])).toEqual(ok('Python', '3.11.2 with ipykernel 7.4.0: /venv/bin/python'));
  });

  it('is missing with a command that fits what there is', () => {
    expect(pythonFinding([bare])).toMatchObject({
      status: 'missing',
      fix: expect.stringContaining('`/usr/bin/python3 -m pip install ipykernel`'),
    });
    expect(pythonFinding([])).toMatchObject({ status: 'missing', detail: 'none on this machine' });
  });
});

describe('the profile', () => {
  it.each([
    ['linux', {}, '/home/ada/.config/Cellwright'],
    ['linux', { XDG_CONFIG_HOME: '/config' }, '/config/Cellwright'],
    ['darwin', {}, '/home/ada/Library/Application Support/Cellwright'],
    ['win32', { APPDATA: 'C:\\Roaming' }, 'C:\\Roaming\\Cellwright'],
    ['linux', { CELLWRIGHT_PROFILE: '/other' }, '/other'],
  ] as const)('on %s with %o is %s', (platform, env, expected) => {
    expect(profileFolder(platform, env, '/home/ada')).toBe(expected);
  });

  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cellwright-profile-'));
    vi.stubEnv('CELLWRIGHT_PROFILE', folder);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  it('says where settings and logs will be', async () => {
    expect(await profileFindings()).toEqual([
      ok('Settings', expect.stringContaining(path.join(folder, 'settings.json'))),
      ok('Logs', expect.stringContaining(path.join(folder, 'logs', 'cellwright.log'))),
    ]);
  });

  it.each(['{"theme": "dark",', '{"theme": "pink"}'])('tells settings that can’t be used and leaves them alone: %s', async (text) => {
    const file = path.join(folder, 'settings.json');
    await writeFile(file, text);
    expect((await profileFindings())[0]).toMatchObject({ status: 'missing', fix: expect.stringContaining(file) });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('tells an override that is not allowed', async () => {
    vi.stubEnv('CELLWRIGHT_THEME', 'pink');
    expect(await profileFindings()).toContainEqual(expect.objectContaining({ name: 'Settings', status: 'missing' }));
  });
});
