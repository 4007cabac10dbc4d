/**
 * Main's side of runs: sends them to the kernel host, and hears of outputs through all the hosts that hold a kernel one after the other. A host that
 * takes over is told where the outputs are before it attaches: else what comes next, and every later update of a display, would find nothing to
 * go on from.
 */
import { randomUUID } from 'node:crypto';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { ClientRun } from './client-run.ts';
import type { AreaState, RunAdopt, RunDone, RunEvents, RunStart } from './run-protocol.ts';

/** `runId` for a caller that has to know it before the kernel does; unique, made when it isn't given. */
export type RunRequest = Omit<RunStart, 'kernelId' | 'runId'> & { runId?: string };

export interface RunHandlers {
  /** The kernel works on it; called again when the execution count is known. */
  started?(executionCount: number | null): void;
  input?(prompt: string, password: boolean): void;
}

export interface RunHandle {
  readonly runId: string;
  /** How it ended. Rejects only for what is no end of a run: an error in this program. */
  readonly done: Promise<RunDone>;
  /** A person's answer to the input request, which the outputs show; one that nobody waits for any more is dropped. */
  input(value: string): Promise<void>;
  /** An empty answer, because nobody is there to give one. */
  inputNothing(): Promise<void>;
}

/** By kernel: its last message of which all is told. */
const lastMessages = new WeakMap<Kernel, string>();

/** Runs code. Its outputs come to those who follow the kernel (`followOutputs`), before `done`. */
export function startRun(kernel: Kernel, request: RunRequest, handlers: RunHandlers = {}): RunHandle {
  const run = new ClientRun(kernel, { ...request, kernelId: kernel.id, runId: request.runId ?? randomUUID() }, handlers);
  const done = run.follow().then((end) => {
    heardUntil(kernel, end.lastMessage);
    return end;
  });
  return { runId: run.start.runId, done, input: (value) => run.input(value), inputNothing: () => run.inputNothing() };
}

/** All that this kernel sent until this message, one of its msg_ids, is told. */
export function heardUntil(kernel: Kernel, lastMessage: string | null | undefined): void {
  if (lastMessage) lastMessages.set(kernel, lastMessage);
}

/** Where outputs are, for a host that didn't make them. */
export interface OutputsState {
  artifactFolder: string | null;
  areas: AreaState[];
}

/**
 * Tells of every change of outputs on this kernel, through all its hosts. `state` is asked when another host takes over; without it that one
 * goes on with none of the outputs so far. Returns the function that ends it.
 */
export function followOutputs(
  kernel: Kernel,
  listener: (areas: RunEvents['run.changes']['areas']) => void,
  state?: () => OutputsState,
): () => void {
  let host: RpcEndpoint | null = null;
  let stops: (() => void)[] = [];
  const follow = (next: RpcEndpoint): void => {
    if (next === host) return;
    for (const stop of stops) stop();
    const isFirst = host === null;
    host = next;
    stops = [
      host.on<RunEvents['run.changes']>('run.changes', ({ kernelId, areas, lastMessage }) => {
        if (kernelId !== kernel.id) return;
        listener(areas);
        heardUntil(kernel, lastMessage);
      }),
      host.on<RunEvents['run.started']>('run.started', ({ kernelId, lastMessage }) => {
        if (kernelId === kernel.id) heardUntil(kernel, lastMessage);
      }),
    ];
    if (isFirst || !state) return;
    const adopt: RunAdopt = { kernelId: kernel.id, ...state(), lastMessage: lastMessages.get(kernel) ?? null };
    // A host that dies at once is followed by another.
    host.call('run.adopt', adopt).catch(() => {});
  };
  follow(kernel.host);
  const ends = [kernel.on('attaching', (attaching) => follow(attaching.host)), kernel.on('connected', () => follow(kernel.host))];
  return () => {
    for (const stop of [...stops, ...ends]) stop();
  };
}
