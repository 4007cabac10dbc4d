/**
 * The rules for a notebook's kernel, in their order, on a home folder made for the test.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Choice, chooseKernel } from '../../../main/kernels/discovery/choose.ts';
import { KernelNotFoundError } from '../../../main/kernels/errors.ts';
import { makeEnvironment, writeKernelspec } from './environments.ts';

let home: string;
let project: string;
let data: string;
/** Names no folder of this machine, so that its own Pythons and kernelspecs don't count. */
let env: Record<string, string>;

beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright-choose-')));
  project = path.join(home, 'project');
  data = path.join(home, 'data');
  env = { PATH: '', JUPYTER_PATH: data };
  await mkdir(project);
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

function choose(kernelspec?: object, languageInfo?: object): Promise<Choice> {
  const notebookMetadata = { ...(kernelspec && { kernelspec }), ...(languageInfo && { language_info: languageInfo }) };
  return chooseKernel({ notebookMetadata, folder: project, platform: 'linux', env, home });
}

const venv = (ipykernel: boolean): Promise<string> => makeEnvironment(path.join(project, '.venv'), ipykernel);
const onPath = async (): Promise<string> => {
  env.PATH = path.join(home, 'tools', 'bin');
  return makeEnvironment(path.join(home, 'tools'), true);
};
const spec = (name: string, language = 'python'): Promise<string> =>
  writeKernelspec(data, name, { argv: [`/opt/${name}`], display_name: `The ${name}`, language });

test('1: the notebook’s own kernelspec, before the project’s environment', async () => {
  await spec('science');
  await venv(true);
  const { spec: chosen, note } = await choose({ name: 'science', display_name: 'Science' });
  expect(chosen.argv[0]).toBe('/opt/science');
  expect(note).toBeNull();
});

test('1: its name is compared without case', async () => {
  await spec('Science');
  expect((await choose({ name: 'science' })).spec.name).toBe('Science');
});

test('2: the project’s environment, for a notebook that says only python3', async () => {
  const python = await venv(true);
  await spec('python3');
  const { spec: chosen, note } = await choose({ name: 'python3', language: 'python' });
  expect(chosen.argv[0]).toBe(python);
  expect(chosen.source).toBe('project');
  expect(note).toBeNull();
});

test('2: and for one that says nothing', async () => {
  const python = await venv(true);
  expect((await choose()).spec.argv[0]).toBe(python);
});

test('2: and for one whose kernel is not here, which is said', async () => {
  await venv(true);
  const { note } = await choose({ name: 'gone', language: 'python' });
  expect(note).toContain('“gone” is not installed here');
});

test('3: the kernelspec called python3, when the project has no environment', async () => {
  await spec('python3');
  await onPath();
  const { spec: chosen, note } = await choose({ name: 'python3' });
  expect(chosen.argv[0]).toBe('/opt/python3');
  expect(note).toBeNull();
});

test('3: when the project’s environment lacks ipykernel, the note says how to get it', async () => {
  const python = await venv(false);
  await spec('python3');
  const { spec: chosen, note } = await choose({ name: 'python3' });
  expect(chosen.argv[0]).toBe('/opt/python3');
  expect(note).toContain(`${python} -m pip install ipykernel`);
});

test('4: another kernelspec of the language', async () => {
  await spec('other', 'julia');
  const { spec: chosen, note } = await choose({ name: 'julia-1.9', language: 'Julia' });
  expect(chosen.name).toBe('other');
  expect(note).toContain('“julia-1.9” is not installed here');
});

test('4: the language may be in language_info alone', async () => {
  await spec('other', 'julia');
  expect((await choose(undefined, { name: 'julia' })).spec.name).toBe('other');
});

test('4: of several for Python the one called python3', async () => {
  await spec('a-python');
  await spec('python3');
  expect((await choose()).spec.name).toBe('python3');
});

test('5: any Python that has ipykernel', async () => {
  const python = await onPath();
  const { spec: chosen } = await choose({ name: 'python3' });
  expect(chosen.argv[0]).toBe(python);
  expect(chosen.source).toBe('interpreter');
});

test('6: the managed environment', async () => {
  const python = await makeEnvironment(path.join(home, '.local', 'share', 'cellwright', 'python'), true);
  const { spec: chosen } = await choose();
  expect(chosen.argv[0]).toBe(python);
  expect(chosen.source).toBe('managed');
});

test('nothing: what to install, and into which Python', async () => {
  const python = await venv(false);
  const error = await choose().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(KernelNotFoundError);
  expect((error as KernelNotFoundError).hint).toContain(`${python} -m pip install ipykernel`);
});

test('nothing at all: a Python is asked for', async () => {
  await expect(choose()).rejects.toThrow('python3 -m pip install ipykernel');
});

test('another language never falls back to Python', async () => {
  await venv(true);
  await onPath();
  await expect(choose({ name: 'ir', language: 'R', display_name: 'R 4.3' })).rejects.toThrow('asks for “R 4.3”');
});

test.each([{}, { kernelspec: null }, { kernelspec: 'python3' }, { kernelspec: { name: 5 } }, { language_info: [] }])(
  'odd metadata %j is no reason to fail',
  async (notebookMetadata) => {
    const python = await venv(true);
    const { spec: chosen } = await chooseKernel({ notebookMetadata, folder: project, platform: 'linux', env, home });
    expect(chosen.argv[0]).toBe(python);
  },
);
