/**
 * The parts of main that own kernels, under the other versions of Node that people have, and under Electron as plain Node, which is how a package
 * runs its command line; and as a container's first process. The host process is of the same version each time, so the native part of zeromq is loaded by each too.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { electronBinary } from '../../../scripts/electron-path.mjs';
import { repository } from '../../../scripts/setup/paths.mjs';
import { buildHostEntry } from '../../support/host-entry.ts';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { HAS_NODE_BINARIES, nodeOfVersion } from '../../support/node-versions.ts';
import { testPython } from '../../support/python.ts';
import type { Seen } from './program.ts';

const run = promisify(execFile);

async function seenBy(binary: string, python: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<Seen> {
  const [program, host] = await Promise.all([buildHostEntry('test/kernel/node-versions/program.ts'), buildHostEntry()]);
  const folder = await mkdtemp(path.join(tmpdir(), 'cellwright-versions-'));
  try {
    const { stdout } = await run(binary, [...args, program, host, python, folder], { env: { ...process.env, ...env } });
    return JSON.parse(stdout) as Seen;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function expected(): Omit<Seen, 'versions'> {
  return {
    run: { status: 'ok', told: true },
    stream: { first: 'one\n', whole: 'one\ntwo\n' },
    flood: { lines: 200_000, artifact: true },
    interrupt: 'KeyboardInterrupt',
    input: 'Ada\n',
    completion: true,
    kept: { afterCrash: '42\n', afterRestart: 'False\n' },
    agent: { text: 'begun\nTrue', isError: false },
    death: { status: 'dead', message: expect.stringContaining('left with code 3') },
    left: 0,
  };
}

test.for([22, 24].flatMap((major) => KERNEL_PYTHONS.map(({ name, python }) => ({ major, name, python }))))(
  'Node $major with $name',
  async ({ major, python }, context) => {
    if (!HAS_NODE_BINARIES) return context.skip('the npm packages with Node’s binaries are for Linux on x64');
    const { versions, ...seen } = await seenBy(await nodeOfVersion(major), await python());
    expect(versions).toEqual({ node: expect.stringMatching(new RegExp(`^${major}\\.`)), electron: null });
    expect(seen).toEqual(expected());
  },
);

/** With a table of processes of its own, in which it is the first. */
const AS_FIRST = ['unshare', '--pid', '--fork', '--mount-proc'] as const;

test('as the first process of a container, which every orphan is given to', async (context) => {
  const [program, ...args] = AS_FIRST;
  const may = await run(program, [...args, 'true']).then(
    () => true,
    () => false,
  );
  if (!may) return context.skip('this process may not make a container');
  const { versions, ...seen } = await seenBy(program, testPython(), {}, [...args, process.execPath]);
  expect(versions.node).toBe(process.versions.node);
  expect(seen).toEqual(expected());
});

test('Electron as plain Node', async (context) => {
  const electron = electronBinary(repository);
  if (!electron) return context.skip('there is no Electron binary');
  const { versions, ...seen } = await seenBy(electron.path, testPython(), { ELECTRON_RUN_AS_NODE: '1' });
  expect(versions.electron).toBe(electron.version);
  expect(seen).toEqual(expected());
});
