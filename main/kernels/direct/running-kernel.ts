/**
 * One kernel process and everything that goes with it: ports, connection file, and the entries that end it when we are gone. What was
 * taken is given back on every way out, also when the start fails half-way.
 */
import { access } from 'node:fs/promises';
import type { ConnectionInfo } from '../connection.ts';
import { KernelStartError } from '../errors.ts';
import type { LaunchOptions } from '../kernel.ts';
import { connectionInfo, PORT_COUNT, removeConnectionFile, writeConnectionFile } from './connection-file.ts';
import { openFileLimit } from './descriptors.ts';
import { kernelEnvironment } from './kernel-environment.ts';
import { environmentOf, type KernelProcess, kernelCommand, launchKernel, type ProcessExit } from './launch.ts';
import type { LeftoverRegistry } from './leftovers.ts';
import type { PortPool } from './ports.ts';
import { startError } from './start-failure.ts';
import type { Watchdog } from './watchdog.ts';

export interface Surroundings {
  runtimeFolder: string;
  ports: PortPool;
  leftovers: LeftoverRegistry;
  watchdog: Watchdog;
}

export interface RunningKernel {
  readonly process: KernelProcess;
  readonly connection: ConnectionInfo;
  readonly cwd: string;
  /** Descriptors the process may have. Null where the system does not say. */
  readonly fileLimit: number | null;
  /** Gives back ports, connection file and entries. To be called once, after the process has ended. */
  release(): Promise<void>;
}

type Output = (stream: 'stdout' | 'stderr', text: string) => void;

/** Throws KernelStartError when the process can't be made. */
export async function runKernel(surroundings: Surroundings, options: LaunchOptions, onOutput: Output): Promise<RunningKernel> {
  const { runtimeFolder, ports, leftovers, watchdog } = surroundings;
  const { spec, cwd } = options;
  const reserved = await ports.reserve(PORT_COUNT).catch((error) => {
    throw startError({ argv: spec.argv, cwd, stderr: '', exit: null, spawnCode: codeOf(error) });
  });
  const connection = connectionInfo(reserved, spec.name);
  let file: string | undefined;
  try {
    file = await writeConnectionFile(runtimeFolder, connection).catch((error) => {
      throw unwritable(runtimeFolder, error);
    });
    const started = await startProcess(options, file, onOutput);
    watchdog.add(started.pid);
    await leftovers.add(started.pid, file);
    const connectionFile = file;
    return {
      process: started,
      connection,
      cwd,
      fileLimit: await openFileLimit(),
      release: async () => {
        watchdog.remove(started.pid);
        ports.release(reserved);
        await removeConnectionFile(connectionFile);
        await leftovers.remove(started.pid);
      },
    };
  } catch (error) {
    ports.release(reserved);
    if (file) await removeConnectionFile(file);
    throw error;
  }
}

/** The error for a kernel that ended before it was ready, or that could not be connected to for the reason that `code` says. */
export function failedStart(
  { process: { argv, stderrTail }, cwd, fileLimit }: RunningKernel,
  exit: ProcessExit | null,
  code?: string,
): KernelStartError {
  return startError({ argv, cwd, stderr: stderrTail(), exit, spawnCode: code, fileLimit });
}

async function startProcess(
  { spec, cwd, env: extra = {} }: LaunchOptions,
  connectionFile: string,
  onOutput: Output,
): Promise<KernelProcess> {
  const argv = kernelCommand(spec, connectionFile);
  const env = kernelEnvironment({
    host: process.env,
    spec,
    active: await environmentOf(argv[0] ?? ''),
    extra,
    parentPid: process.pid,
    platform: process.platform,
  });
  try {
    return await launchKernel({ argv, cwd, env, onOutput });
  } catch (error) {
    const cwdExists = await access(cwd).then(
      () => true,
      () => false,
    );
    throw startError({ argv, cwd, stderr: '', exit: null, spawnCode: codeOf(error), cwdExists });
  }
}

function unwritable(folder: string, error: unknown): KernelStartError {
  const code = codeOf(error);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const message = `The connection file can’t be written to ${folder} (${code}).`;
  const hint = full ? 'Free some space and start it again.' : 'Check its access rights, or set JUPYTER_RUNTIME_DIR to another folder.';
  const failure = full ? 'no-space' : code === 'EMFILE' || code === 'ENFILE' ? 'too-many-files' : 'permission';
  return new KernelStartError(failure, message, hint, '', { cause: error });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
