/** The limit of open files, for real: a process that was started with a low one makes sessions until there is no descriptor left. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endTree } from '../../../main/kernels/direct/process-tree.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { testPython } from '../../support/python.ts';
import { until } from '../execution/session-fixture.ts';
import { isAlive } from './pool-fixture.ts';

/** A kernel process needs about sixty for itself; the host's sockets for seven kernels fill this. */
const LIMIT = 128;

let folder: string;
let app: ChildProcess | null = null;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cellwright-limit-')));
});
afterEach(async () => {
  if (app?.pid) await endTree(app.pid, 'SIGKILL');
  app = null;
  await rm(folder, { recursive: true, force: true });
});

async function runApp<T>(scenario: string, limit = LIMIT): Promise<T> {
  const [entry, host] = await Promise.all([buildHostEntry('test/kernel/sessions/low-limit-app.ts'), buildHostEntry()]);
  const command = `ulimit -n ${limit} && exec "$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, entry, scenario, host, testPython(), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  app = child;
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(text) as T;
}

interface Answer {
  text: string;
  isError: boolean;
}

test('sessions beyond the limit: idle ones are ended, the host is restarted, and the call succeeds', async () => {
  const { hosts, results, before, after, pinned, again, limit } = await runApp<{
    hosts: number;
    results: Answer[];
    before: number[];
    after: number[];
    pinned: Answer;
    again: Answer;
    limit: number;
  }>('many');
  expect(limit).toBe(LIMIT);
  expect(hosts).toBe(2);
  // Every call had its result, the one at the limit too.
  expect(results.length).toBeGreaterThan(3);
  expect(results.every(({ text, isError }) => text === '2' && !isError)).toBe(true);
  // The pinned one and the newcomer are left.
  expect(before.length).toBe(results.length);
  expect(after.length).toBe(2);
  expect(after[0]).toBe(before[0]);
  expect(pinned).toEqual({ text: '1', isError: false });
  expect(again.text).toContain('The kernel was shut down because too many files were open.');
  expect(again.text).toContain("'fresh'");
  await until(() => [...before, ...after].filter((pid) => pid > 0).every((pid) => !isAlive(pid)), 'the end of every kernel');
});

test('no room can be made: the host is restarted, it is tried once more, and the error names the limit', async () => {
  const answer = await runApp<{ hosts: number; starts: number; result: Answer; sessions: number }>('none-left');
  expect(answer.result.isError).toBe(true);
  expect(answer.result.text).toBe(
    `Too many open files: the limit is ${LIMIT} (\`ulimit -n\`), and ending idle kernels did not make enough room for another one. ` +
      'Shut down kernels and notebooks that are not needed, or raise the limit before Cellwright is started (`ulimit -n 4096`; where the ' +
      'system refuses that, the limits of the user or the service have to be raised first).',
  );
  expect(answer).toMatchObject({ hosts: 2, starts: 3, sessions: 0 });
});

test('with a gateway of our own, that is ended in place of the host', async () => {
  const answer = await runApp<{ hosts: number; gatewayEnds: number; result: Answer }>('gateway');
  expect(answer).toMatchObject({ hosts: 1, gatewayEnds: 1, result: { isError: true } });
});

test('notebooks beyond the limit: idle agents are ended, the host is restarted, and only then an error names the limit', async () => {
  const answer = await runApp<{
    hosts: number;
    opened: number;
    message: string;
    sessions: number;
    values: string[];
    restarted: string;
  }>('notebooks');
  expect(answer.message).toMatch(new RegExp(`^Too many open files: the limit is ${LIMIT} `));
  expect(answer.sessions).toBe(0);
  expect(answer.hosts).toBeGreaterThan(1);
  // Every notebook that had its kernel has it still.
  expect(answer.opened).toBeGreaterThan(3);
  expect(answer.values).toEqual(Array.from({ length: answer.opened }, (_, n) => String(n)));
  expect(answer.restarted).toBe('False');
});

test('a notebook’s kernel that can’t be restarted for want of descriptors says which limit it is', async () => {
  const answer = await runApp<{ hosts: number; error: string; message: string; state: string }>('restart');
  expect(answer).toMatchObject({ error: 'TooManyFilesError', state: 'dead' });
  expect(answer.message).toMatch(new RegExp(`^Too many open files: the limit is ${LIMIT} `));
});

test('a low soft limit is raised to the hard one by the program we run in', async () => {
  const script = "process.stdout.write(require('node:fs').readFileSync('/proc/self/limits', 'utf8'))";
  const child = spawn('/bin/sh', ['-c', 'ulimit -Sn 200 && exec "$0" -e "$1"', process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let limits = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    limits += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits)!;
  expect(soft).toBe(hard);
});
