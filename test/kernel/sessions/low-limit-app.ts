/**
 * A process with agent sessions and notebooks that was started with a low limit of open files, for a test of what it does at the limit. Prints one line of JSON.
 * Arguments: scenario, bundle of the kernel host, Python, folder.
 */
import { openSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runPython } from '../../../main/execution/agents/python-run.ts';
import { SessionPool } from '../../../main/execution/agents/session-pool.ts';
import { NotebookSession } from '../../../main/execution/notebook-session.ts';
import { openFileLimit } from '../../../main/kernels/direct/descriptors.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { Kernel, KernelSpec, LaunchOptions } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';
import { MemoryNotebook } from '../execution/memory-notebook.ts';

/** More sessions than fit below the limit. */
const MANY = 30;
/** Free descriptors of a process that has none left: enough to read a limit, too few for a kernel. */
const LEFT = 3;

const [scenario, hostEntry = '', python = '', folder = ''] = process.argv.slice(2);

const choice: { spec: KernelSpec; note: null } = {
  spec: pythonSpecOf(python),
  note: null,
};
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
    withRoom: (attempt) => (scenario === 'gateway' ? manager.withRoom(attempt, endGateway) : manager.withRoom(attempt)),
    onShortage: (end) => manager.onShortage(end),
  },
  chooseSpec: async () => choice,
  limits: { sessions: MANY },
});

async function endGateway(): Promise<void> {
  gatewayEnds += 1;
}

function openNotebook(): { session: NotebookSession; notebook: MemoryNotebook } {
  const notebook = new MemoryNotebook();
  const session = new NotebookSession({
    target: notebook,
    kernels: {
      start: (options) => (isFull ? startWhileFull(options) : manager.start(options)),
      withRoom: (attempt) => manager.withRoom(attempt),
    },
    chooseSpec: async () => choice,
    cwd: () => folder,
    artifactFolder: null,
  });
  return { session, notebook };
}

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

/** Notebooks are opened beside idle agents until one can't start; each keeps its variable, and a restart at the limit works or says why not. */
async function manyNotebooks(): Promise<object> {
  for (const name of ['one', 'two']) await run(name, '1');
  const notebooks: { session: NotebookSession; notebook: MemoryNotebook }[] = [];
  let message: string | null = null;
  for (let count = 0; count < MANY && message === null; count += 1) {
    const { session, notebook } = openNotebook();
    await session.runCells([notebook.code(`x = ${count}`)]);
    message = session.kernelView().message;
    if (message === null) notebooks.push({ session, notebook });
  }
  const sessions = pool.list().length;
  const values: string[] = [];
  for (const { session, notebook } of notebooks) {
    const key = notebook.code('print(x)');
    await session.runCells([key]);
    values.push(notebook.text(key).trim());
  }
  const first = notebooks[0]!;
  await first.session.restart();
  const key = first.notebook.code('print("x" in globals())');
  await first.session.runCells([key]);
  return { hosts, opened: notebooks.length, message, sessions, values, restarted: first.notebook.text(key).trim() };
}

/** A kernel is restarted while this process has none left. */
async function restartWhileFull(): Promise<object> {
  const { session, notebook } = openNotebook();
  await session.runCells([notebook.code('x = 1')]);
  const limit = (await openFileLimit()) ?? 0;
  // What the process that ends gives back is taken at once.
  const filling = setInterval(fill, 1, limit, LEFT);
  const error = await session.restart().then(
    () => '',
    (thrown: Error) => thrown.name,
  );
  clearInterval(filling);
  return { hosts, error, message: session.kernelView().message, state: session.kernelView().state };
}

const SCENARIOS: Readonly<Record<string, () => Promise<object>>> = {
  many: manySessions,
  notebooks: manyNotebooks,
  restart: restartWhileFull,
};

async function main(): Promise<void> {
  const result = await (SCENARIOS[scenario ?? ''] ?? noneLeft)();
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await pool.close();
  await manager.close();
}

void main();
