/** Which requests make sense, and what is said to the others. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRequest, type PythonRequest, PythonRequestError } from '../../../main/execution/agents/python-request.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cellwright-request-')));
  await mkdir(path.join(folder, 'work'));
  await symlink(path.join(folder, 'work'), path.join(folder, 'link'));
  await writeFile(path.join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function check(request: Partial<PythonRequest>): ReturnType<typeof checkRequest> {
  return checkRequest({ cells: [{ code: '1' }], cwd: folder, ...request });
}

it('fills in what is not given', async () => {
  expect(await check({})).toEqual({
    cells: [{ code: '1', title: null }],
    timeoutSeconds: 30,
    cwd: folder,
    reset: false,
    sessionFile: null,
    artifactFolder: null,
    kernelMode: 'session',
  });
});

it('makes one line of a title', async () => {
  const cells = [
    { code: '1', title: ' load\n the data ' },
    { code: '', title: ' ' },
  ];
  expect((await check({ cells })).cells).toEqual([
    { code: '1', title: 'load the data' },
    { code: '', title: null },
  ]);
});

it('knows one folder by all its names', async () => {
  expect((await check({ cwd: path.join(folder, 'link') })).cwd).toBe(path.join(folder, 'work'));
});

describe('a timeout', () => {
  it.each([1, 2.5, 600])('of %s seconds is taken as it is', async (timeout) => {
    expect((await check({ timeout })).timeoutSeconds).toBe(timeout);
  });

  it.each([0, -1, 0.5, 601, Infinity, Number.NaN])('of %s seconds is refused in words', async (timeout) => {
    await expect(check({ timeout })).rejects.toThrow(/`timeout` must be between 1 and 600 seconds/);
  });
});

describe('refused in words are', () => {
  it.each<[string, () => Partial<PythonRequest>, RegExp]>([
    ['no cells', () => ({ cells: [] }), /`cells` must be a list/],
    ['cells that are none', () => ({ cells: 'print(1)' as unknown as [] }), /`cells` must be a list/],
    ['code that is no text', () => ({ cells: [{ code: '1' }, { code: 5 as unknown as string }] }), /`cells\[1\]\.code` must be a text/],
    ['a relative folder', () => ({ cwd: 'work' }), /absolute path/],
    ['a folder that is not there', () => ({ cwd: path.join(folder, 'none') }), /can’t be used \(ENOENT\)/],
    ['a file as folder', () => ({ cwd: path.join(folder, 'file') }), /is a file/],
  ])('%s', async (_name, request, message) => {
    const error = await check(request()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PythonRequestError);
    expect((error as Error).message).toMatch(message);
  });
});
