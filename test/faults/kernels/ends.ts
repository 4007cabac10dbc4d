/** Code that ends its kernel, or nearly: by leaving, by a crash, by running out of memory or of processor time. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { judge, must, output, quoted, stillWorks, until } from './checks.ts';
import type { Attempt, FaultKind, Outcome } from './tries.ts';

const TRIES = 5;

interface End {
  name: string;
  code: string;
  words: RegExp;
}

/** The kernel is gone after these, in the middle of the cell. */
const DEATHS: readonly End[] = [
  { name: 'os._exit', code: 'import os; os._exit(7)', words: /left with code 7/ },
  { name: 'a segmentation fault', code: 'import ctypes; ctypes.string_at(0)', words: /signal 11, segmentation fault/ },
  { name: 'an abort', code: 'import os; os.abort()', words: /aborted in native code \(signal 6\)/ },
  { name: 'SIGTERM to itself', code: 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)', words: /asked it to end \(signal 15\)/ },
  {
    name: 'the limit of processor time',
    code: 'import resource, time\nused = int(time.process_time()) + 1\nresource.setrlimit(resource.RLIMIT_CPU, (used, used))\nwhile True: pass',
    words: /signal 9|SIGXCPU/,
  },
  {
    name: 'every descriptor closed by the code',
    code: 'import os, time\nos.closerange(3, 4096)\ntime.sleep(100)',
    words: /ended|left with code|signal/,
  },
  {
    name: 'a mapped file cut off',
    code: 'import mmap, tempfile\nf = tempfile.TemporaryFile()\nf.truncate(8192)\nm = mmap.mmap(f.fileno(), 8192)\nf.truncate(0)\nm[5000]',
    words: /signal 7, bus error/,
  },
];

/** The kernel lives on after these. */
const ERRORS: readonly (End & { ename: string })[] = [
  { name: 'sys.exit', code: 'import sys; sys.exit(2)', ename: 'SystemExit', words: /^$/ },
  {
    name: 'out of memory (RLIMIT_AS)',
    code: 'import resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, resource.RLIM_INFINITY))\nbig = [bytearray(1 << 28) for _ in range(64)]',
    ename: 'MemoryError',
    words: /^$/,
  },
  { name: 'KeyboardInterrupt raised by the code', code: 'raise KeyboardInterrupt', ename: 'KeyboardInterrupt', words: /^$/ },
];

function death({ name, code, words }: End): FaultKind {
  return {
    name,
    limitMs: 60_000,
    tries: TRIES,
    sample: 1,
    attempt: async ({ random, open }) => {
      const scene = open();
      // The pause lets the output leave the kernel: what it still holds itself ends with it.
      const key = scene.notebook.code(`print(1, flush=True)\nimport time; time.sleep(${random.between(0, 40) / 100})\n${code}`);
      const next = scene.notebook.code('print("next")');
      const summary = await scene.session.runCells([key, next]);
      must(summary.failure?.status === 'dead', `The run ended ${summary.status}, ${summary.failure?.status}.`);
      must(scene.notebook.cell(next)!.begun === 0, 'The next cell was run.');
      const outcome = judge(scene, summary, { key, text: '1\n', words });
      await stillWorks(scene);
      return outcome;
    },
  };
}

function error({ name, code, ename }: End & { ename: string }): FaultKind {
  return {
    name,
    limitMs: 60_000,
    tries: TRIES,
    sample: 1,
    attempt: async ({ open }) => {
      const scene = open();
      const before = await output(scene, 'kept = 5');
      must(before.status === 'ok', `Setting the variable ended ${before.status}.`);
      const key = scene.notebook.code(code);
      const summary = await scene.session.runCells([key]);
      must(summary.failure?.error?.ename === ename, `The run failed with ${summary.failure?.error?.ename} (${summary.failure?.status}).`);
      const { text } = await output(scene, 'print(kept)');
      must(text === '5\n', `The variable is gone: ${quoted(text)}`);
      await stillWorks(scene);
      return 'error';
    },
  };
}

/** `exit` is no failure: the cell is done, the kernel leaves, and what waits is not run. */
async function exits({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const [key, next] = [scene.notebook.code(`print(1)\n${random.pick(['exit()', 'quit()'])}`), scene.notebook.code('print("next")')];
  const summary = await scene.session.runCells([key, next]);
  must(
    summary.cells[0]?.outcome === 'done' && scene.notebook.text(key) === '1\n',
    `It ended ${summary.cells[0]?.outcome} with ${quoted(scene.notebook.text(key))}.`,
  );
  must(scene.notebook.cell(next)!.begun === 0, 'The next cell was run.');
  await stillWorks(scene);
  return 'right';
}

/** The child that comes back from a cell speaks on the kernel's own sockets. */
async function forks({ open }: Attempt): Promise<Outcome> {
  const scene = open();
  const { status } = await output(scene, 'import os\npid = os.fork()\nprint("here")');
  must(status === 'ok', `The run with a fork ended ${status}.`);
  const { text } = await output(scene, 'print(pid > 0)');
  must(text === 'True\n' || text === 'False\n', `The next run gave ${quoted(text)}.`);
  await scene.session.restart();
  await stillWorks(scene);
  return 'right';
}

const MEMORY_GROUPS = '/sys/fs/cgroup/memory';

/** The system's own kill of a process that needs more memory than its group has. */
async function outOfGroupMemory({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const kernel = await scene.session.ensureKernel();
  const group = path.join(MEMORY_GROUPS, path.basename(ground.folder));
  mkdirSync(group, { recursive: true });
  try {
    writeFileSync(path.join(group, 'memory.limit_in_bytes'), String(256 << 20));
    writeFileSync(path.join(group, 'cgroup.procs'), String(kernel.pid));
    const key = scene.notebook.code(`print(1, flush=True)\nbig = []\nwhile True: big.append(bytearray(${random.between(1, 64)} << 20))`);
    const outcome = judge(scene, await scene.session.runCells([key]), { key, text: '1\n', words: /signal 9, perhaps out of memory/ });
    await stillWorks(scene);
    return outcome;
  } finally {
    await until(() => removed(group));
  }
}

function removed(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}

function lacksMemoryGroups(): string | null {
  const group = path.join(MEMORY_GROUPS, `cellwright-probe-${process.pid}`);
  try {
    mkdirSync(group);
    writeFileSync(path.join(group, 'memory.limit_in_bytes'), String(256 << 20));
    return null;
  } catch {
    return 'memory groups can’t be made here';
  } finally {
    removed(group);
  }
}

/** A limit set on the running process from outside. */
async function outOfGivenMemory({ open }: Attempt): Promise<Outcome> {
  const scene = open();
  const kernel = await scene.session.ensureKernel();
  execFileSync('prlimit', ['--pid', String(kernel.pid), `--as=${3 * 2 ** 30}`]);
  await delay(10);
  const { key } = await output(scene, 'big = [bytearray(1 << 28) for _ in range(64)]');
  must(scene.notebook.text(key).startsWith('<MemoryError'), `It gave ${quoted(scene.notebook.text(key))}.`);
  await stillWorks(scene);
  return 'error';
}

function lacksPrlimit(): string | null {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid)], { stdio: 'ignore' });
    return null;
  } catch {
    return 'there is no prlimit';
  }
}

export const ENDS: readonly FaultKind[] = [
  { name: 'exit() and quit()', limitMs: 60_000, tries: TRIES, sample: 1, attempt: exits },
  ...DEATHS.map(death),
  ...ERRORS.map(error),
  {
    name: 'out of memory (killed in its group)',
    limitMs: 60_000,
    tries: TRIES,
    sample: 1,
    lacks: lacksMemoryGroups,
    attempt: outOfGroupMemory,
  },
  { name: 'out of memory (prlimit)', limitMs: 60_000, tries: TRIES, sample: 1, lacks: lacksPrlimit, attempt: outOfGivenMemory },
  { name: 'a fork that comes back', limitMs: 60_000, tries: TRIES, sample: 1, attempt: forks },
];
