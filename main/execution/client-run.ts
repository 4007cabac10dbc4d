/**
 * One run as main sees it, through all the hosts that have it one after the other. The hard part is a host that dies meanwhile: the kernel goes on, and
 * the next host that attaches to it is asked, before that, to go on with the run. Only a run whose end nobody heard is `lost`.
 */
import { isHostGone } from '../kernels/errors.ts';
import { RemoteError, type RpcEndpoint } from '../kernels/host/rpc.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { RunHandlers } from './run-client.ts';
import type { RunDone, RunEvents, RunInput, RunResume, RunStart, RunStatus } from './run-protocol.ts';

interface Question {
  prompt: string;
  password: boolean;
}

/** In place of a password, however long it is. */
const HIDDEN = '········';

export class ClientRun {
  readonly start: RunStart;
  readonly #kernel: Kernel;
  readonly #handlers: RunHandlers;
  readonly #sentAt = Date.now();
  #host: RpcEndpoint;
  #call: Promise<RunDone>;
  #stops: (() => void)[] = [];
  #started = false;
  #executionCount: number | null = null;
  /** The question that waits for an answer. */
  #question: Question | null = null;
  /** The kernel's end, as the run's. */
  #kernelEnd: RunStatus | null = null;
  /** Who waits for another host, or for the kernel's end. */
  readonly #waiting: (() => void)[] = [];

  constructor(kernel: Kernel, start: RunStart, handlers: RunHandlers) {
    this.start = start;
    this.#kernel = kernel;
    this.#handlers = handlers;
    this.#host = kernel.host;
    this.#listen();
    this.#call = this.#host.call<RunDone>('run.start', start);
  }

  async follow(): Promise<RunDone> {
    const ends = [
      this.#kernel.on('attaching', ({ host }) => this.#goOn(host)),
      this.#kernel.on('connected', () => this.#goOn(this.#kernel.host)),
      this.#kernel.on('exit', ({ expected }) => {
        this.#kernelEnd = expected ? 'cancelled' : 'dead';
        this.#changed();
      }),
    ];
    try {
      return await this.#end();
    } finally {
      for (const stop of [...ends, ...this.#stops]) stop();
    }
  }

  input(value: string): Promise<void> {
    return this.#answer(value, this.#question && shownAnswer(this.#question, value));
  }

  inputNothing(): Promise<void> {
    return this.#answer('', null);
  }

  /** When the host is gone the next one is given the answer, which knows that the question is open. */
  async #answer(value: string, shown: string | null): Promise<void> {
    const { kernelId, runId } = this.start;
    const input: RunInput = { kernelId, runId, value, shown };
    const question = this.#question;
    for (let host = this.#host; ; host = this.#host) {
      try {
        await host.call('run.input', input);
        if (this.#question === question) this.#question = null;
        return;
      } catch (error) {
        if (!isHostGone(error)) throw error;
        if (await this.#withoutHost(host)) return;
      }
    }
  }

  async #end(): Promise<RunDone> {
    for (;;) {
      const call = this.#call;
      const host = this.#host;
      try {
        return await call;
      } catch (error) {
        const status = isHostGone(error) ? await this.#withoutHost(host) : statusOf(error, this.#kernel);
        if (status) return this.#ended(status);
        if (this.#call === call) throw error;
      }
    }
  }

  /** Null when another host has the run; else how it ended, because the kernel did. */
  async #withoutHost(host: RpcEndpoint): Promise<RunStatus | null> {
    while (this.#host === host) {
      if (this.#kernelEnd) return this.#kernelEnd;
      if (this.#kernel.state === 'dead') return 'dead';
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return null;
  }

  #changed(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  #goOn(host: RpcEndpoint): void {
    if (host === this.#host) return;
    this.#host = host;
    this.#listen();
    const resume: RunResume = {
      ...this.start,
      sentAt: this.#sentAt,
      started: this.#started,
      executionCount: this.#executionCount,
      asking: this.#question !== null,
    };
    this.#call = this.#untilExit(host.call<RunDone>('run.resume', resume));
    this.#changed();
  }

  /** A kernel that ends before its new connection stands ends nothing there. */
  async #untilExit(call: Promise<RunDone>): Promise<RunDone> {
    let stop = (): void => {};
    const exit = new Promise<RunDone>((resolve) => {
      // The host's own word, which has more in it, is there first where there is one.
      stop = this.#kernel.on('exit', ({ expected }) => setImmediate(() => resolve(this.#ended(expected ? 'cancelled' : 'dead'))));
    });
    try {
      return await Promise.race([call, exit]);
    } finally {
      stop();
    }
  }

  #listen(): void {
    const { runId } = this.start;
    for (const stop of this.#stops) stop();
    this.#stops = [
      this.#host.on<RunEvents['run.started']>('run.started', (event) => {
        if (event.runId !== runId) return;
        this.#started = true;
        this.#executionCount = event.executionCount;
        this.#handlers.started?.(event.executionCount);
      }),
      this.#host.on<RunEvents['run.input']>('run.input', (event) => {
        if (event.runId !== runId) return;
        const { prompt, password } = event;
        this.#question = { prompt, password };
        this.#handlers.input?.(prompt, password);
      }),
    ];
  }

  #ended(status: RunStatus): RunDone {
    const { kernelId, runId, areaId } = this.start;
    const durationMs = Math.max(0, Date.now() - this.#sentAt);
    return { kernelId, runId, areaId, status, executionCount: this.#executionCount, error: null, durationMs, leaving: false };
  }
}

/** As JupyterLab writes it down. */
function shownAnswer({ prompt, password }: Question, value: string): string {
  const gap = prompt === '' || /\s$/.test(prompt) ? '' : ' ';
  return `${prompt}${gap}${password ? HIDDEN : value}\n`;
}

/** What an error of the calls says about the run, or null when it says nothing. */
function statusOf(error: unknown, kernel: Kernel): RunStatus | null {
  if (error instanceof RemoteError && (error.kind === 'NotConnectedError' || error.kind === 'ConnectionClosedError'))
    return kernel.state === 'restarting' ? 'cancelled' : 'dead';
  return null;
}
