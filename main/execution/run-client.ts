/**
 * Main's side of a run: sends it to the kernel host and hears of it until its end. The hard part is a host that dies meanwhile: the kernel goes on and
 * main attaches to it again, but the run's reply went to sockets that are gone. So the run ends as `lost` at once, and says so, instead of
 * waiting for an end that nobody will hear.
 */
import { randomUUID } from 'node:crypto';
import { isHostGone } from '../kernels/errors.ts';
import { RemoteError, type RpcEndpoint } from '../kernels/host/rpc.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { RunDone, RunEvents, RunInput, RunStart, RunStatus } from './run-protocol.ts';

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
  /** Answers the input request; one that nobody waits for any more is dropped. */
  input(value: string): Promise<void>;
}

/** Runs code. Its outputs come to those who follow the kernel (`followOutputs`), before `done`. */
export function startRun(kernel: Kernel, request: RunRequest, handlers: RunHandlers = {}): RunHandle {
  const runId = request.runId ?? randomUUID();
  const { host, id: kernelId } = kernel;
  const stops = [
    host.on<RunEvents['run.started']>('run.started', (event) => event.runId === runId && handlers.started?.(event.executionCount)),
    host.on<RunEvents['run.input']>('run.input', (event) => event.runId === runId && handlers.input?.(event.prompt, event.password)),
  ];
  const done = follow(kernel, host, { ...request, kernelId, runId }).finally(() => {
    for (const stop of stops) stop();
  });
  return {
    runId,
    done,
    input: async (value) => {
      const input: RunInput = { kernelId, runId, value };
      await host.call('run.input', input).catch((error: unknown) => {
        if (!isHostGone(error)) throw error;
      });
    },
  };
}

async function follow(kernel: Kernel, host: RpcEndpoint, start: RunStart): Promise<RunDone> {
  const sentAt = Date.now();
  const { kernelId, runId, areaId } = start;
  try {
    return await host.call<RunDone>('run.start', start);
  } catch (error) {
    const status = statusOf(error, kernel);
    if (!status) throw error;
    return { kernelId, runId, areaId, status, executionCount: null, error: null, durationMs: Date.now() - sentAt, leaving: false };
  }
}

/** What an error of the calls says about the run, or null when it says nothing. */
function statusOf(error: unknown, kernel: Kernel): RunStatus | null {
  if (isHostGone(error)) return kernel.state === 'dead' ? 'dead' : 'lost';
  if (error instanceof RemoteError && (error.kind === 'NotConnectedError' || error.kind === 'ConnectionClosedError'))
    return kernel.state === 'restarting' ? 'cancelled' : 'dead';
  return null;
}

/** Tells of every change of outputs on this kernel, through all its hosts. Returns the function that ends it. */
export function followOutputs(kernel: Kernel, listener: (areas: RunEvents['run.changes']['areas']) => void): () => void {
  let host: RpcEndpoint | null = null;
  let stop = (): void => {};
  const follow = (): void => {
    if (kernel.host === host) return;
    stop();
    host = kernel.host;
    stop = host.on<RunEvents['run.changes']>('run.changes', ({ kernelId, areas }) => {
      if (kernelId === kernel.id) listener(areas);
    });
  };
  follow();
  const stopConnected = kernel.on('connected', follow);
  return () => {
    stop();
    stopConnected();
  };
}
