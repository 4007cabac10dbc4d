/** The app's own Python environment: where it is, when it counts, and what a failed one leaves. Made for real, from the tests' Python. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ensureManagedEnvironment,
  isComplete,
  managedEnvironmentFolder,
  managedPython,
  pythonHasIpykernel,
} from '../../../main/kernels/discovery/managed-environment.mjs';
import { testPython } from '../../support/python.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-python-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('its folder', () => {
  it.each([
    ['linux', {}, '/home/ada/.local/share/cellwright/python'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/cellwright/python'],
    ['linux', { XDG_DATA_HOME: 'not/absolute' }, '/home/ada/.local/share/cellwright/python'],
    ['darwin', { XDG_DATA_HOME: '/data' }, '/home/ada/Library/Application Support/cellwright/python'],
    ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\cellwright\\python'],
  ] as const)('on %s with %o', (platform, env, expected) => {
    expect(managedEnvironmentFolder(platform, env, '/home/ada')).toBe(expected);
  });

  it('has its Python where the system’s venv puts it', () => {
    expect(managedPython('/a', 'linux')).toBe('/a/bin/python');
    expect(managedPython('C:\\a', 'win32')).toBe('C:\\a\\Scripts\\python.exe');
  });
});

describe('a Python', () => {
  it('with ipykernel is told with both versions', async () => {
    expect(await pythonHasIpykernel(testPython())).toEqual({
      version: expect.stringMatching(/^7\./),
      pythonVersion: expect.stringMatching(/^3\.\d+\.\d+$/),
    });
  });

  it.each(['/nowhere/python', process.execPath])('that is none (%s) is told as null', async (program) => {
    expect(await pythonHasIpykernel(program)).toBeNull();
  });
});

describe('making it', () => {
  it('does nothing when it is complete', async () => {
    const home = path.join(folder, 'python');
    await mkdir(path.dirname(managedPython(home)), { recursive: true });
    await writeFile(managedPython(home), '');
    expect(await isComplete(home, ['ipykernel'])).toBe(false);
    await writeFile(path.join(home, 'cellwright-environment.json'), '{"packages":["ipykernel","pandas"]}');
    const told: string[] = [];
    expect(await ensureManagedEnvironment({ folder: home, packages: ['ipykernel'], onProgress: (line) => told.push(line) })).toBe(
      managedPython(home),
    );
    expect(told).toEqual([]);
    expect(await isComplete(home, ['ipykernel', 'matplotlib'])).toBe(false);
  });

  it('leaves nothing that counts when a package can’t be installed', async () => {
    const home = path.join(folder, 'python');
    const making = ensureManagedEnvironment({ folder: home, packages: [path.join(folder, 'no-such-package')], basePython: testPython() });
    await expect(making).rejects.toMatchObject({ name: 'ManagedEnvironmentError', code: 'install-failed' });
    expect(await isComplete(home, [])).toBe(false);
    expect(await readdir(folder)).toEqual(['python']);
  }, 120_000);

  it('says what to do when the base Python can’t make one', async () => {
    const home = path.join(folder, 'python');
    const making = ensureManagedEnvironment({ folder: home, packages: ['ipykernel'], basePython: process.execPath });
    await expect(making).rejects.toMatchObject({ code: 'no-venv' });
    expect(existsSync(home)).toBe(false);
  });
});
