/**
 * What a kernel of an agent is told before its first cell, after every start and restart: its folder, variables and module path, and the helpers
 * of the prelude. All of it is silent: no output, no history, no execution count.
 */
import { randomUUID } from 'node:crypto';
import type { Kernel } from '../../kernels/kernel.ts';
import { errorFields, type Log } from '../../log/log.ts';
import { initCode, preludeCode } from '../prelude/prelude.ts';
import { startRun } from '../run-client.ts';
import type { RunDone, RunStatus } from '../run-protocol.ts';

export interface SessionPlace {
  /** Absolute path on the kernel's machine. */
  cwd: string;
  /** File with the session's state, or null. */
  sessionFile: string | null;
  artifactFolder: string | null;
}

/** The kernel could not be told: it ended meanwhile, or the connection broke. Nothing of the user's has run. */
export class SetUpError extends Error {
  override name = 'SetUpError';
  readonly status: RunStatus;
  constructor(status: RunStatus) {
    super('The kernel ended while its session was set up. Send the cells again.');
    this.status = status;
  }
}

/** The variables that tell a kernel where its session lies. */
export function sessionEnvironment({ sessionFile, artifactFolder }: SessionPlace): Record<string, string> {
  return {
    ...(sessionFile === null ? {} : { PI_SESSION_FILE: sessionFile }),
    ...(artifactFolder === null ? {} : { ARTIFACTS: artifactFolder }),
  };
}

/** Gives the kernel its place. Throws an error in words when the folder can't be entered, SetUpError when it could not be told. */
export async function placeKernel(kernel: Kernel, place: SessionPlace): Promise<void> {
  if (!isPython(kernel)) return;
  const done = await silently(kernel, initCode({ cwd: place.cwd, env: sessionEnvironment(place) }));
  if (done.error) throw new Error(`${done.error.evalue} Choose another working folder.`);
  if (done.status !== 'ok') throw new SetUpError(done.status);
}

/** Adds the helpers. A kernel in which they fail is used without them. Throws SetUpError when it could not be told. */
export async function addHelpers(kernel: Kernel, log: Log): Promise<void> {
  if (!isPython(kernel)) return;
  const done = await silently(kernel, preludeCode());
  if (done.error) log.warn('session.prelude-failed', errorFields(new Error(`${done.error.ename}: ${done.error.evalue}`)));
  else if (done.status !== 'ok') throw new SetUpError(done.status);
}

function isPython(kernel: Kernel): boolean {
  return kernel.spec.language.toLowerCase() === 'python';
}

function silently(kernel: Kernel, code: string): Promise<RunDone> {
  return startRun(kernel, {
    areaId: randomUUID(),
    code,
    silent: true,
    storeHistory: false,
    allowStdin: false,
    stopOnError: true,
    artifactFolder: null,
    untold: true,
  }).done;
}
