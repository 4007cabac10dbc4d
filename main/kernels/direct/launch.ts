/**
 * Starts a kernel's process and watches it end. The process leads a group of its own, so that a terminal's Ctrl-C stays with us and its
 * whole group can be signalled. Its stdout and stderr are always read: a full pipe would stop the kernel.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KernelSpec } from '../kernel.ts';
import type { ActiveEnvironment } from './kernel-environment.ts';

/** What is kept of stderr: enough for a traceback, small enough for a dialog. */
const STDERR_TAIL_CHARACTERS = 8 * 1024;

/** After the exit: what the kernel wrote last is still in the pipe, but a child that lives on may hold the pipe open for ever. */
const LAST_OUTPUT_MS = 200;

/** Newer versions of ipykernel say this at every start: beside the reason of its end it would pass for a part of it. */
const USUAL_WORDS = /^\[IPKernelApp\] WARNING \| Kernel is running over TCP without encryption.*\n?/gm;

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface KernelProcess {
  readonly pid: number;
  /** The command as it was started. */
  readonly argv: readonly string[];
  /** Resolves when the process has ended and its last output has been read. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Null while it runs. */
  readonly exit: ProcessExit | null;
  /** The last part of what it wrote to stderr, without what every kernel writes there. */
  stderrTail(): string;
  /** Resolves when its stderr has this in it, which may be never. */
  said(words: RegExp): Promise<void>;
}

export interface LaunchInput {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** The kernelspec's command with its placeholders filled in. */
export function kernelCommand(spec: KernelSpec, connectionFile: string): string[] {
  return spec.argv.map((argument) =>
    argument.replaceAll('{connection_file}', connectionFile).replaceAll('{resource_dir}', spec.resourceDir ?? ''),
  );
}

/** Resolves when the process runs. Throws the spawn's error (ENOENT, EACCES, EMFILE …). */
export function launchKernel({ argv, cwd, env, onOutput }: LaunchInput): Promise<KernelProcess> {
  const [program, ...args] = argv;
  if (!program) return Promise.reject(Object.assign(new Error('The kernelspec names no program.'), { code: 'ENOENT' }));
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      // A group of its own; on Windows the same flag would open a console window.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let tail = '';
    const looking = new Set<() => void>();
    // At the descriptor limit the streams are missing and the error comes later.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => onOutput('stdout', text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-STDERR_TAIL_CHARACTERS);
      onOutput('stderr', text);
      for (const look of [...looking]) look();
    });
    let exit: ProcessExit | null = null;
    const exited = whenEnded(child, (ended) => {
      exit = ended;
    });
    child.once('error', reject);
    child.once('spawn', () => {
      child.off('error', reject);
      // Only a failed kill reports here from now on.
      child.on('error', () => {});
      resolve({
        pid: child.pid as number,
        argv,
        exited,
        get exit() {
          return exit;
        },
        stderrTail: () => tail.replace(USUAL_WORDS, ''),
        said: (words) =>
          new Promise((found) => {
            const look = (): void => {
              if (!words.test(tail)) return;
              looking.delete(look);
              found();
            };
            looking.add(look);
            look();
          }),
      });
    });
  });
}

function whenEnded(child: ChildProcess, onExit: (exit: ProcessExit) => void): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      onExit({ code, signal });
      const closed = new Promise((done) => child.once('close', done));
      void Promise.race([closed, delay(LAST_OUTPUT_MS, undefined, { ref: false })]).then(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, signal });
      });
    });
  });
}

/** The environment that a program lies in: `<prefix>/bin/python`, or `<prefix>\python.exe` and `<prefix>\Scripts\…` on Windows. */
export async function environmentOf(program: string): Promise<ActiveEnvironment | null> {
  if (!path.isAbsolute(program)) return null;
  const folder = path.dirname(program);
  for (const prefix of [path.dirname(folder), folder]) {
    if (await isReadable(path.join(prefix, 'pyvenv.cfg'))) return { kind: 'venv', prefix };
    if (await isReadable(path.join(prefix, 'conda-meta'))) return { kind: 'conda', prefix };
  }
  return null;
}

async function isReadable(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
