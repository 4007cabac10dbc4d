/**
 * One kernel's comms as main hears them, through all its hosts and restarts: each host is told to follow before it hands on the kernel's first
 * message, and is told what the one before it knew. The hard part is what was said in between: after another host took over, the kernel is asked
 * which comms it has and what their states are.
 */
import { randomUUID } from 'node:crypto';
import type { RunCapture } from '../execution/run-protocol.ts';
import type { RpcEndpoint } from '../kernels/host/rpc.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { CommEvent, CommEvents, CommFollow, CommSend } from './comm-protocol.ts';

export interface KernelCommsOptions {
  kernel: Kernel;
  artifactFolder: string | null;
  /** What a host that takes over has to know. */
  known: () => { open: string[]; widgets: RunCapture['widgets'] };
  onEvents: (events: readonly CommEvent[]) => void;
  /** The kernel has exactly these comms. */
  onComms: (commIds: ReadonlySet<string>) => void;
  /** Messages that were under way will not be told of any more. */
  onGap: () => void;
  /** The process ended or is another one now. */
  onEnd: () => void;
  log: Log;
}

/** The kernel answers when it is free; nobody waits for it, and a question that is lost is asked again with the next connection. */
const ANSWER_LIMIT_MS = 24 * 3_600_000;

export class KernelComms {
  readonly #options: KernelCommsOptions;
  readonly #kernel: Kernel;
  readonly #ends: (() => void)[];
  #host: RpcEndpoint;
  #stopEvents: () => void = () => {};
  #generation: number;

  constructor(options: KernelCommsOptions) {
    this.#options = options;
    const { kernel } = options;
    this.#kernel = kernel;
    this.#generation = kernel.generation;
    this.#host = kernel.host;
    this.#listen(kernel.host);
    this.#ends = [
      kernel.on('attaching', ({ host }) => {
        this.#options.onGap();
        this.#listen(host);
      }),
      kernel.on('connected', ({ generation }) => this.#connected(generation)),
      kernel.on('exit', () => options.onEnd()),
    ];
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#stopEvents();
    const { id: kernelId } = this.#kernel;
    this.#host.call('comm.unfollow', { kernelId }).catch(() => {});
  }

  /** Sends on an open comm; resolves when the kernel host has taken it. Throws when there is no connection. */
  async send(message: Omit<CommSend, 'kernelId'>): Promise<void> {
    const send: CommSend = { ...message, kernelId: this.#kernel.id };
    await this.#kernel.host.call('comm.send', send);
  }

  /** Resolves when all that the kernel has said so far was told. */
  async settled(): Promise<void> {
    await this.#host.call('comm.flush', { kernelId: this.#kernel.id }).catch(() => {});
  }

  #listen(host: RpcEndpoint): void {
    const { kernel, known, artifactFolder, onEvents, log } = this.#options;
    this.#stopEvents();
    this.#host = host;
    this.#stopEvents = host.on<CommEvents['comm.events']>('comm.events', ({ kernelId, events }) => {
      if (kernelId === kernel.id) onEvents(events);
    });
    const { open, widgets } = known();
    const follow: CommFollow = { kernelId: kernel.id, open };
    const capture: RunCapture = { kernelId: kernel.id, artifactFolder, widgets };
    // A host that dies at once is followed by another.
    const failed = (error: unknown): void => {
      if (host.gone === null) log.warn('widgets.follow-failed', errorFields(error));
    };
    host.call('comm.follow', follow).catch(failed);
    host.call('run.capture', capture).catch(failed);
  }

  #connected(generation: number): void {
    const kernel = this.#kernel;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#options.onEnd();
      this.#listen(kernel.host);
    } else if (kernel.host !== this.#host) this.#listen(kernel.host);
    else void this.#askAgain();
  }

  /** Which comms the kernel has, and what they are now. */
  async #askAgain(): Promise<void> {
    const { onComms, log } = this.#options;
    try {
      const content = { target_name: 'jupyter.widget' };
      const reply = await this.#kernel.request({ channel: 'shell', type: 'comm_info_request', content }, ANSWER_LIMIT_MS);
      const commIds = Object.keys((reply.comms ?? {}) as object);
      onComms(new Set(commIds));
      for (const commId of commIds) {
        await this.send({ messageId: randomUUID(), commId, data: { method: 'request_state' }, buffers: [] });
      }
    } catch (error) {
      log.info('widgets.not-asked', errorFields(error));
    }
  }
}
