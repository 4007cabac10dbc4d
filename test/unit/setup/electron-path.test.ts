/** Which Electron is taken, and that a half-made one never is. Folders are real, the binaries in them are empty files. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEVELOPMENT_VERSION, developmentFolder, electronBinary } from '../../../scripts/electron-path.mjs';

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-electron-'));
  env = { XDG_CACHE_HOME: path.join(folder, 'cache'), LOCALAPPDATA: path.join(folder, 'cache') };
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(file: string, text = ''): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function putRelease(version: string): Promise<void> {
  const home = path.join(folder, 'node_modules', 'electron');
  await put(path.join(home, 'package.json'), '{"version":"45.3.4"}');
  await put(path.join(home, 'dist', 'version'), version);
  await put(path.join(home, 'dist', 'electron'));
}

it('finds none before set-up', () => {
  expect(electronBinary(folder, env)).toBeNull();
});

it('takes the release once its installer has written path.txt', async () => {
  await putRelease('45.3.4');
  expect(electronBinary(folder, env)).toBeNull();
  await put(path.join(folder, 'node_modules/electron/path.txt'), 'electron');
  expect(electronBinary(folder, env)).toMatchObject({
    kind: 'release',
    version: '45.3.4',
    path: path.join(folder, 'node_modules/electron/dist/electron'),
  });
});

it('does not take a release that another version of the package left', async () => {
  await putRelease('44.0.0');
  await put(path.join(folder, 'node_modules/electron/path.txt'), 'electron');
  expect(electronBinary(folder, env)).toBeNull();
});

it('takes the development runtime where there is no release, and the release where there are both', async () => {
  await put(path.join(developmentFolder(env), 'electron'));
  expect(electronBinary(folder, env)).toBeNull();
  await put(path.join(developmentFolder(env), 'version'), DEVELOPMENT_VERSION);
  expect(electronBinary(folder, env)).toMatchObject({ kind: 'development', version: DEVELOPMENT_VERSION });
  await putRelease('45.3.4');
  await put(path.join(folder, 'node_modules/electron/path.txt'), 'electron');
  expect(electronBinary(folder, env)).toMatchObject({ kind: 'release' });
});

it('takes a named one before all others', async () => {
  await putRelease('45.3.4');
  await put(path.join(folder, 'node_modules/electron/path.txt'), 'electron');
  const own = path.join(folder, 'own', 'electron');
  await put(own);
  expect(electronBinary(folder, { ...env, CELLWRIGHT_ELECTRON: own })).toEqual({
    kind: 'named',
    path: own,
    folder: path.dirname(own),
    version: 'unknown',
  });
});
