/**
 * The host's side of runs: answers main's calls and keeps one `KernelRuns` per kernel, through all its connections. Cells' outputs and display_ids
 * outlive a restart, so what is kept goes only with the kernel itself.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KernelService } from '../kernels/host/kernel-service.ts';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import { errorFields, type Log } from '../log/log.ts';
import { KernelRuns } from './kernel-runs.ts';
import type { RunAdopt, RunCapture, RunClear, RunDone, RunInput, RunResume, RunStart } from './run-protocol.ts';
import type { UntoldOutputs } from './untold-outputs.ts';

/** For the last of a kernel's output on its way to the disk: one that hangs must not keep this process alive. */
const WRITE_LIMIT_MS = 10_000;

/** A run was asked for on a kernel that has no connection: it died or is being restarted. */
export class NotConnectedError extends Error {
  override name = 'NotConnectedError';
}

export class RunService {
  readonly #endpoint: RpcEndpoint;
  readonly #kernels: KernelService;
  readonly #untold: UntoldOutputs;
  readonly #log: Log;
  readonly #runs = new Map<string, KernelRuns>();

  constructor(endpoint: RpcEndpoint, kernels: KernelService, untold: UntoldOutputs, log: Log) {
    this.#endpoint = endpoint;
    this.#kernels = kernels;
    this.#untold = untold;
    this.#log = log;
    kernels.onConnection((connection) => this.#runsOf(connection.kernelId).connected(connection));
    kernels.onDisconnection((kernelId, connection, reason) => {
      const runs = this.#runs.get(kernelId);
      runs?.disconnected(connection, reason === 'dead' ? 'dead' : 'cancelled');
      return reason === 'shutdown' && runs ? this.#close(kernelId, runs) : undefined;
    });
    endpoint.handle('run.start', (request: RunStart) => this.#start(request));
    endpoint.handle('run.adopt', (adopt: RunAdopt) => this.#runsOf(adopt.kernelId).adopt(adopt));
    endpoint.handle('run.capture', (capture: RunCapture) => this.#runsOf(capture.kernelId).capture(capture));
    endpoint.handle('run.resume', (resume: RunResume) => this.#runsOf(resume.kernelId).resume(resume));
    endpoint.handle('run.clear', ({ kernelId, areaId }: RunClear) => this.#runs.get(kernelId)?.clear(areaId) ?? null);
    endpoint.handle('run.input', (input: RunInput) => this.#runsOf(input.kernelId).input(input));
  }

  #start(request: RunStart): Promise<RunDone> {
    const connection = this.#kernels.connection(request.kernelId);
    if (!connection) throw new NotConnectedError('The kernel is not connected. Restart it and run the cell again.');
    return this.#runsOf(request.kernelId).run(request, connection);
  }

  /** What it put out is on the disk then: this process may be ended as soon as the last kernel is. */
  async #close(kernelId: string, runs: KernelRuns): Promise<void> {
    this.#runs.delete(kernelId);
    const closed = runs.close().catch((error: unknown) => this.#log.warn('run.close-failed', errorFields(error)));
    await Promise.race([closed, delay(WRITE_LIMIT_MS, undefined, { ref: false })]);
  }

  #runsOf(kernelId: string): KernelRuns {
    let runs = this.#runs.get(kernelId);
    if (!runs) {
      runs = new KernelRuns(kernelId, this.#endpoint, this.#untold, this.#log);
      this.#runs.set(kernelId, runs);
    }
    return runs;
  }
}
