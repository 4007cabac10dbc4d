/**
 * A process with agent sessions that was started with a low limit of open files, for a test of what it does at the limit. Prints one line of JSON.
 * Arguments: scenario, bundle of the kernel host, Python, folder.
 */
import { openSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runPython } from '../../../main/execution/agents/python-run.ts';
import { SessionPool } from '../../../main/execution/agents/session-pool.ts';
import { openFileLimit } from '../../../main/kernels/direct/descriptors.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { Kernel, LaunchOptions } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';

/** More sessions than fit below the limit. */
const MANY = 30;
/** Free descriptors of a process that has none left: enough to read a limit, too few for a kernel. */
const LEFT = 3;

const [scenario, hostEntry = '', python = '', folder = ''] = process.argv.slice(2);

let hosts = 0;
const starts: LaunchOptions[] = [];
let gatewayEnds = 0;
let isFull = false;
const manager = new KernelManager({
  spawnHost: () => {
    hosts += 1;
    return forkHost(hostEntry);
  },
  runtimeFolder: path.join(folder, 'runtime'),
});
const pool = new SessionPool({
  kernels: {
    start: (options) => {
      starts.push(options);
      return isFull ? startWhileFull(options) : manager.start(options);
    },
    restartHost: () => manager.restartHost(),
    host: () => manager.host(),
  },
  chooseSpec: async () => ({
    spec: {
      name: 'test',
      displayName: 'Test Python',
      language: 'python',
      argv: [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
      env: {},
      interruptMode: 'signal',
      resourceDir: null,
      source: 'interpreter',
    },
    note: null,
  }),
  limits: { sessions: MANY },
  ...(scenario === 'gateway'
    ? {
        endGateway: async () => {
          gatewayEnds += 1;
        },
      }
    : {}),
});

async function run(name: string, code: string): Promise<{ text: string; isError: boolean }> {
  const cwd = path.join(folder, name);
  await mkdir(cwd, { recursive: true });
  const { text, isError } = await runPython(pool, { cells: [{ code }], cwd, timeout: 600 });
  return { text, isError };
}

/** Takes every descriptor but `left`. */
function fill(limit: number, left: number): void {
  try {
    while (readdirSync('/proc/self/fd').length < limit - left) openSync('/dev/null', 'r');
  } catch (error) {
    // None is left even for the count.
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  }
}

/** While a kernel starts, what is given back late by one that was ended is taken again at once, so that no luck makes room. */
async function startWhileFull(options: LaunchOptions): Promise<Kernel> {
  const limit = (await openFileLimit()) ?? 0;
  fill(limit, LEFT);
  const filling = setInterval(fill, 1, limit, LEFT);
  try {
    return await manager.start(options);
  } finally {
    clearInterval(filling);
  }
}

/** Sessions are made until the host was replaced: its sockets are what runs out first. */
async function manySessions(): Promise<object> {
  await run('pinned', 'x = 1');
  pool.pin(pool.list()[0]!.key);
  const results: { text: string; isError: boolean }[] = [];
  let before: number[] = [];
  for (let count = 0; count < MANY && hosts === 1; count += 1) {
    before = pool.list().map(({ pid }) => pid ?? 0);
    results.push(await run(`session-${count}`, '1 + 1'));
  }
  const after = pool.list().map(({ pid }) => pid ?? 0);
  return {
    hosts,
    results,
    before,
    after,
    pinned: await run('pinned', 'x'),
    again: await run('session-0', '"fresh"'),
    limit: await openFileLimit(),
  };
}

/** This process itself has none left, and nothing idle to end. */
async function noneLeft(): Promise<object> {
  await run('first', '1');
  isFull = true;
  const result = await run('second', '1');
  return { hosts, starts: starts.length, gatewayEnds, result, sessions: pool.list().length, limit: await openFileLimit() };
}

async function main(): Promise<void> {
  const result = scenario === 'many' ? await manySessions() : await noneLeft();
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await pool.close();
  await manager.close();
}

void main();
