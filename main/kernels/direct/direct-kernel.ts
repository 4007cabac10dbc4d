/**
 * A kernel of this machine: its process here, its connection in the kernel host. Three things end or change it from outside at any time
 * (the process's end, the host's end, the caller), so each has one entry and all of them check that the process they mean is still the one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '../../log/log.ts';
import { Emitter } from '../emitter.ts';
import { fromHost, isHostGone, KernelDeadError, KernelStartError, KernelTimeoutError } from '../errors.ts';
import type { AttachParams, DetachReason } from '../host/host-protocol.ts';
import type { RpcEndpoint } from '../host/rpc.ts';
import type { Kernel, KernelEvents, KernelState, LaunchOptions } from '../kernel.ts';
import type { InfoReply, OutgoingMessage } from '../messages.ts';
import { exitMessage } from './exit-message.ts';
import type { ProcessExit } from './launch.ts';
import { endTree, readTree, signalGroup } from './process-tree.ts';
import { failedStart, type RunningKernel, runKernel, type Surroundings } from './running-kernel.ts';

/** From the process's start to a full handshake. A first import of a large environment from a cold disk takes half of it. */
const START_LIMIT_MS = 60_000;

/** A port that was taken meanwhile is bad luck once; this often in a row it is something else. */
const START_ATTEMPTS = 5;

/** From shutdown_request to the process's end; then it gets SIGTERM. */
const SHUTDOWN_LIMIT_MS = 2_000;

/** How long one attempt to attach again may take; a stopped process answers none of them until it goes on. */
const REATTACH_LIMIT_MS = 30_000;
const REATTACH_PAUSE_MS = 1_000;

/** For a detach: the host drains up to a second. */
const DETACH_LIMIT_MS = 3_000;

/** For the reply to an interrupt by message on Windows, where only the reply tells that it can't be done. */
const INTERRUPT_REPLY_MS = 5_000;

export interface KernelSurroundings extends Surroundings {
  log: Log;
  /** The living kernel host; waits while another is being started. */
  host(): Promise<RpcEndpoint>;
  /** The kernel host that lives now, without starting one. */
  liveHost(): RpcEndpoint | null;
  /** The kernel was shut down and is of no more use. */
  onShutdown(kernel: DirectKernel): void;
}

/** One process of the kernel, from its start to its end. */
interface Life {
  running: RunningKernel;
  /** The handshake is done. */
  ready: boolean;
  reattaching: boolean;
  /** Why we end it ourselves. */
  ending: DetachReason | null;
  /** Resolves when the process is gone and everything is given back. */
  ended: Promise<void>;
}

export class DirectKernel implements Kernel {
  readonly id = randomUUID();
  readonly spec: LaunchOptions['spec'];
  readonly #options: LaunchOptions;
  readonly #around: KernelSurroundings;
  readonly #emitter: Emitter<KernelEvents>;
  readonly #over = new AbortController();
  #host: RpcEndpoint | null = null;
  #life: Life | null = null;
  #phase: 'starting' | 'restarting' | 'running' | 'dead' = 'starting';
  #working = false;
  #beating = true;
  #shown: KernelState = 'starting';
  #generation = 0;
  #info: InfoReply | null = null;
  #starting: Promise<void> | null = null;
  #restarting: Promise<void> | null = null;
  #shutdown: Promise<void> | null = null;

  constructor(options: LaunchOptions, surroundings: KernelSurroundings) {
    this.spec = options.spec;
    this.#options = options;
    this.#around = surroundings;
    this.#emitter = new Emitter((error) => surroundings.log.error('kernel.listener-failed', { kernelId: this.id, ...errorFields(error) }));
  }

  get host(): RpcEndpoint {
    if (!this.#host) throw new KernelDeadError('The kernel has not been started.');
    return this.#host;
  }

  get state(): KernelState {
    return this.#shown;
  }

  get generation(): number {
    return this.#generation;
  }

  get info(): InfoReply | null {
    return this.#info;
  }

  get pid(): number | null {
    const process = this.#life?.running.process;
    return process && !process.exit ? process.pid : null;
  }

  on<N extends keyof KernelEvents>(event: N, listener: (payload: KernelEvents[N]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  /** To be called once, before anything else. Throws KernelStartError, or the signal's reason. */
  start(): Promise<void> {
    this.#starting = this.#launch(this.#options.signal);
    return this.#starting;
  }

  async request(message: OutgoingMessage, timeoutMs: number): Promise<Record<string, unknown>> {
    this.#mustLive();
    try {
      return await this.host.call<Record<string, unknown>>('kernel.request', { kernelId: this.id, message, timeoutMs });
    } catch (error) {
      throw fromHost(error);
    }
  }

  async interrupt(): Promise<void> {
    const { running } = this.#mustLive();
    const message = { channel: 'control', type: 'interrupt_request', content: {} } as const;
    if (this.spec.interruptMode === 'message') {
      await this.host.call('kernel.send', { kernelId: this.id, message }).catch((error) => {
        throw fromHost(error);
      });
      return;
    }
    if (process.platform !== 'win32') {
      signalGroup(running.process.pid, 'SIGINT');
      return;
    }
    const reply = await this.request(message, INTERRUPT_REPLY_MS);
    if (reply.status === 'error')
      throw new KernelTimeoutError('This kernel can’t be interrupted on Windows. Restart it to stop what runs.');
  }

  restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = null;
    });
    return this.#restarting;
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= this.#shutDown();
    return this.#shutdown;
  }

  /** The kernel host died: attaches again as soon as there is another, for as long as the process lives. */
  async hostGone(): Promise<void> {
    const life = this.#life;
    // A loop that runs already meets the next host too; a second one would take the connection away from it.
    if (!life?.ready || life.reattaching) return;
    life.reattaching = true;
    while (this.#life === life && !life.ending && !life.running.process.exit) {
      try {
        await this.#attach(life, this.#info, REATTACH_LIMIT_MS);
        life.reattaching = false;
        if (this.#life !== life) return;
        this.#beat(true);
        this.#connected();
        return;
      } catch (error) {
        this.#around.log.warn('kernel.not-reattached', { kernelId: this.id, ...errorFields(error) });
        this.#beat(false);
        await delay(REATTACH_PAUSE_MS, undefined, { ref: false });
      }
    }
  }

  /** The host's word on what the kernel does. */
  heard(generation: number, what: { status: 'busy' | 'idle' } | { beating: boolean }): void {
    if (generation !== this.#generation || this.#phase !== 'running') return;
    if ('beating' in what) {
      this.#beat(what.beating);
      return;
    }
    this.#working = what.status === 'busy';
    this.#show();
  }

  async #restart(): Promise<void> {
    await this.#starting?.catch(() => {});
    if (this.#shutdown) throw new KernelDeadError('The kernel was shut down. Start a new one.');
    this.#enter('restarting');
    await this.#stop('restart');
    await this.#launch();
  }

  async #shutDown(): Promise<void> {
    this.#over.abort(new KernelDeadError('The kernel was shut down.'));
    await this.#starting?.catch(() => {});
    await this.#restarting?.catch(() => {});
    await this.#stop('shutdown');
    this.#enter('dead');
    this.#around.onShutdown(this);
  }

  async #launch(given?: AbortSignal): Promise<void> {
    const signal = given ? AbortSignal.any([given, this.#over.signal]) : this.#over.signal;
    try {
      for (let attempt = 1; ; attempt += 1) {
        signal.throwIfAborted();
        try {
          await this.#launchOnce(signal);
          return;
        } catch (error) {
          const again = error instanceof KernelStartError && error.failure === 'port-taken' && attempt < START_ATTEMPTS;
          if (!again) throw error;
          this.#around.log.info('kernel.port-taken', { kernelId: this.id, attempt });
        }
      }
    } catch (error) {
      this.#enter('dead');
      throw error;
    }
  }

  async #launchOnce(signal: AbortSignal): Promise<void> {
    const generation = this.#generation + (this.#info ? 1 : 0);
    const running = await runKernel(this.#around, this.#options, (stream, text) => this.#emitter.emit('log', { stream, text }));
    const life: Life = { running, ready: false, reattaching: false, ending: null, ended: Promise.resolve() };
    life.ended = running.process.exited.then((exit) => this.#ended(life, exit));
    this.#life = life;
    this.#generation = generation;
    try {
      const info = await this.#firstContact(life, signal);
      life.ready = true;
      this.#info = info;
    } catch (error) {
      life.ending ??= 'shutdown';
      await endTree(running.process.pid, 'SIGKILL');
      await life.ended;
      throw error;
    }
    this.#working = false;
    this.#beating = true;
    this.#enter('running');
    this.#connected();
  }

  /** Resolves when the kernel is ready, unless it ends or the caller gives up first. */
  async #firstContact(life: Life, signal: AbortSignal): Promise<InfoReply> {
    signal.throwIfAborted();
    const { running } = life;
    const limit = this.#options.startTimeoutMs ?? START_LIMIT_MS;
    let stop: () => void = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop);
    });
    const died = running.process.exited.then((exit) => Promise.reject(failedStart(running, exit)));
    try {
      const info = await Promise.race([this.#attach(life, null, limit), died, aborted]);
      if (signal.aborted) throw signal.reason;
      return info;
    } catch (error) {
      if (!(error instanceof KernelTimeoutError)) throw error;
      const hint = 'Start it again, or choose another kernel; its own output may say more.';
      throw new KernelStartError('no-answer', error.message, hint, running.process.stderrTail(), { cause: error });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Attaches through the host that lives; when that dies meanwhile, through the next. */
  async #attach(life: Life, knownInfo: InfoReply | null, timeoutMs: number): Promise<InfoReply> {
    const { connection, process } = life.running;
    for (;;) {
      const host = await this.#around.host();
      if (process.exit) throw new KernelDeadError('The kernel ended.');
      const params: AttachParams = {
        kernelId: this.id,
        generation: this.#generation,
        connection,
        pid: process.pid,
        knownInfo,
        timeoutMs,
      };
      try {
        const info = await host.call<InfoReply>('kernel.attach', params);
        if (this.#life === life) this.#host = host;
        return info;
      } catch (error) {
        if (!isHostGone(error) || this.#life !== life || process.exit) throw fromHost(error);
      }
    }
  }

  /** The process is gone, on whatever way. Everything it had is given back before anyone is told. */
  async #ended(life: Life, exit: ProcessExit): Promise<void> {
    const { running } = life;
    const why = life.ending ?? 'dead';
    await this.#detach(why);
    // A kernel that crashed leaves its children behind; one that was stopped has had its tree ended by whoever stopped it.
    if (!life.ending) await endTree(running.process.pid, 'SIGKILL');
    await running.release();
    if (this.#life === life) this.#life = null;
    if (!life.ready) return;
    const message = exitMessage(exit, why === 'dead' ? 'unexpected' : why);
    this.#around.log.info('kernel.ended', { kernelId: this.id, code: exit.code, signal: exit.signal, why });
    if (!life.ending) this.#enter('dead');
    this.#emitter.emit('exit', { ...exit, message, stderrTail: running.process.stderrTail(), expected: life.ending !== null });
  }

  /** Asks the kernel to end, and ends what is left of its tree. Returns when nothing is. */
  async #stop(reason: 'restart' | 'shutdown'): Promise<void> {
    const life = this.#life;
    if (!life) return;
    life.ending = reason;
    const { process } = life.running;
    const seen = await readTree(process.pid);
    if (life.ready && this.#beating && !process.exit) {
      const message = { channel: 'control', type: 'shutdown_request', content: { restart: reason === 'restart' } } as const;
      const asked = this.#host?.call('kernel.send', { kernelId: this.id, message });
      asked?.catch(() => {});
      await Promise.race([process.exited, delay(SHUTDOWN_LIMIT_MS, undefined, { ref: false })]);
    }
    const left = await endTree(process.pid, 'SIGTERM', seen);
    if (left.length > 0) this.#around.log.warn('kernel.processes-left', { kernelId: this.id, count: left.length });
    await life.ended;
  }

  async #detach(reason: DetachReason): Promise<void> {
    // Without a living host there is no connection left to close.
    const call = this.#around.liveHost()?.call('kernel.detach', { kernelId: this.id, reason });
    await Promise.race([call?.catch(() => {}), delay(DETACH_LIMIT_MS, undefined, { ref: false })]);
  }

  #mustLive(): Life {
    const life = this.#life;
    if (!life?.ready || life.running.process.exit) throw new KernelDeadError('The kernel is not running. Restart it.');
    return life;
  }

  #connected(): void {
    if (this.#info) this.#emitter.emit('connected', { generation: this.#generation, info: this.#info });
  }

  #beat(beating: boolean): void {
    this.#beating = beating;
    this.#show();
  }

  #enter(phase: 'restarting' | 'running' | 'dead'): void {
    this.#phase = phase;
    this.#show();
  }

  #show(): void {
    const running = this.#beating ? (this.#working ? 'busy' : 'idle') : 'not-responding';
    const state = this.#phase === 'running' ? running : this.#phase;
    if (state === this.#shown) return;
    this.#shown = state;
    this.#emitter.emit('state', state);
  }
}
