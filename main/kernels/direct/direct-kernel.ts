/**
 * A kernel of this machine: its process here, its connection in the kernel host. Three things end or change it from outside at any time
 * (the process's end, the host's end, the caller), so each has one entry and all of them check that the process they mean is still the one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '../../log/log.ts';
import { Emitter } from '../emitter.ts';
import { isHostGone, KernelDeadError, KernelStartError } from '../errors.ts';
import type { RpcEndpoint } from '../host/rpc.ts';
import type { Kernel, KernelEvents, KernelState, LaunchOptions } from '../kernel.ts';
import type { InfoReply, OutgoingMessage } from '../messages.ts';
import { exitMessage } from './exit-message.ts';
import { firstContact } from './first-contact.ts';
import { HostLink, type Hosts } from './host-link.ts';
import { type Interruptible, interruptByMessage, interruptBySignal } from './interrupt.ts';
import { isAlive, type KernelLife, newLife, nextIdentity } from './kernel-life.ts';
import type { ProcessExit } from './launch.ts';
import type { LeftAtWork } from './left-at-work.ts';
import { endTree, readTree, treeEntries } from './process-tree.ts';
import { runKernel, type Surroundings } from './running-kernel.ts';

/** From the process's start to a full handshake. A first import of a large environment from a cold disk takes half of it. */
const START_LIMIT_MS = 60_000;

/** A port that was taken meanwhile is bad luck once; this often in a row it is something else. */
const START_ATTEMPTS = 5;

/** From shutdown_request to the process's end; then it gets SIGTERM. */
const SHUTDOWN_LIMIT_MS = 2_000;

/** From its reply to that; ipykernel 7 may stay for good when it is asked right after its start. */
const LEAVE_LIMIT_MS = 500;

/** How long one attempt to attach again may take; a stopped process answers none of them until it goes on. */
const REATTACH_LIMIT_MS = 30_000;
const REATTACH_PAUSE_MS = 1_000;

export interface KernelSurroundings extends Surroundings, Hosts {
  log: Log;
  /** Looks at what their processes do while no code runs. */
  work: LeftAtWork;
  /** The kernel was shut down and is of no more use. */
  onShutdown(kernel: DirectKernel): void;
}

export class DirectKernel implements Kernel {
  readonly id = randomUUID();
  readonly spec: LaunchOptions['spec'];
  readonly #options: LaunchOptions;
  readonly #around: KernelSurroundings;
  readonly #link: HostLink;
  readonly #emitter: Emitter<KernelEvents>;
  readonly #over = new AbortController();
  #life: KernelLife | null = null;
  #phase: 'starting' | 'restarting' | 'running' | 'dead' = 'starting';
  #working = false;
  /** Tells what ran at one time from what runs later. */
  #timesIdle = 0;
  /** Only the last interrupt is followed up. */
  #interrupts = 0;
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
    this.#link = new HostLink(this.id, surroundings);
    this.#emitter = new Emitter((error) => surroundings.log.error('kernel.listener-failed', { kernelId: this.id, ...errorFields(error) }));
  }

  get host(): RpcEndpoint {
    return this.#link.host;
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
    return this.#life && isAlive(this.#life) ? this.#life.running.process.pid : null;
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
    return this.#link.request(message, timeoutMs);
  }

  async interrupt(): Promise<void> {
    const life = this.#mustLive();
    if (this.spec.interruptMode === 'message' || process.platform === 'win32')
      await interruptByMessage((message, limitMs) => this.#link.request(message, limitMs));
    else await interruptBySignal(this.#interruptible(life));
    // ipykernel 7 notes the interrupt of an `await` without waking its event loop. Any later message does that; this one does nothing else.
    await this.#link.send({ channel: 'shell', type: 'kernel_info_request', content: {} }).catch((error) => {
      // The next host's first question does the same.
      if (!isHostGone(error)) throw error;
    });
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
    while (this.#life === life && !life.ending && isAlive(life)) {
      try {
        await this.#attach(life, this.#info, REATTACH_LIMIT_MS);
        life.reattaching = false;
        if (this.#life !== life) return;
        this.#beat(true);
        this.#connected();
        return;
      } catch (error) {
        if (this.#life !== life || life.ending || !isAlive(life)) return;
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
    if (!this.#working) this.#timesIdle += 1;
    this.#life?.memory.watch(this.#working);
    this.#life?.work.working(this.#working);
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
      for (let attempt = 1; !(await this.#launchOnce(signal, attempt)); attempt += 1);
    } catch (error) {
      this.#enter('dead');
      throw error;
    }
  }

  /** False when a port was taken meanwhile, which the next attempt gets round. */
  async #launchOnce(signal: AbortSignal, attempt: number): Promise<boolean> {
    signal.throwIfAborted();
    const { cwd, cwdNow } = this.#options;
    const running = await runKernel(this.#around, { ...this.#options, cwd: cwdNow?.() ?? cwd }, (stream, text) =>
      this.#emitter.emit('log', { stream, text }),
    );
    const work = this.#around.work.of(running.process.pid, (message) => this.#emitter.emit('leftAtWork', message));
    const life = newLife(running, work);
    life.ended = running.process.exited.then((exit) => this.#ended(life, exit));
    this.#life = life;
    // What an earlier process still says must not count for this one.
    if (this.#info) this.#generation += 1;
    try {
      const limit = this.#options.startTimeoutMs ?? START_LIMIT_MS;
      this.#info = await firstContact(running, () => this.#attach(life, null, limit), signal);
      life.ready = true;
    } catch (error) {
      // One that could not be restarted may be once more: what the host keeps for it stays.
      life.ending ??= this.#info ? 'restart' : 'shutdown';
      await endTree(running.process.pid, 'SIGKILL');
      await life.ended;
      const again = error instanceof KernelStartError && error.failure === 'port-taken' && attempt < START_ATTEMPTS;
      if (!again) throw error;
      this.#around.log.info('kernel.port-taken', { kernelId: this.id, attempt });
      return false;
    }
    this.#working = false;
    this.#beating = true;
    this.#enter('running');
    this.#connected();
    return true;
  }

  #attach(life: KernelLife, knownInfo: InfoReply | null, timeoutMs: number): Promise<InfoReply> {
    const { connection, process } = life.running;
    const identity = knownInfo ? nextIdentity(life, knownInfo) : life.identity;
    const params = { generation: this.#generation, connection, pid: process.pid, identity, knownInfo, timeoutMs };
    return this.#link.attach(
      params,
      () => this.#life === life && isAlive(life),
      (host) => knownInfo && this.#emitter.emit('attaching', { host }),
    );
  }

  /** The process is gone, on whatever way. Everything it had is given back before anyone is told. */
  async #ended(life: KernelLife, exit: ProcessExit): Promise<void> {
    const { running, memory, work } = life;
    memory.watch(false);
    work.end();
    const why = life.ending ?? 'dead';
    await this.#link.detach(why);
    // A kernel that crashed leaves its children behind; one that was stopped has had its tree ended by whoever stopped it.
    const left = life.ending ? [] : await treeEntries(running.process.pid).catch(() => []);
    if (!life.ending) await endTree(running.process.pid, 'SIGKILL');
    await running.release();
    if (this.#life === life) this.#life = null;
    if (!life.ready) return;
    const message = exitMessage(exit, why === 'dead' ? 'unexpected' : why, { left, peakBytes: memory.bytes });
    this.#around.log.info('kernel.ended', { kernelId: this.id, code: exit.code, signal: exit.signal, why, processes: left.length });
    if (!life.ending) this.#enter('dead');
    this.#emitter.emit('exit', { ...exit, message, stderrTail: running.process.stderrTail(), expected: life.ending !== null });
  }

  /** Asks the kernel to end, and ends what is left of its tree. Returns when nothing is. */
  async #stop(reason: 'restart' | 'shutdown'): Promise<void> {
    const life = this.#life;
    // One that died by itself may be started again, so the host has kept what belongs to it.
    if (!life) return reason === 'shutdown' ? this.#link.detach(reason) : undefined;
    life.ending = reason;
    const { process } = life.running;
    const seen = await readTree(process.pid);
    // A kernel that does not even answer its heartbeat is not asked: the wait would be for nothing.
    if (life.ready && this.#beating && isAlive(life)) {
      const request = { channel: 'control', type: 'shutdown_request', content: { restart: reason === 'restart' } } as const;
      // Not waited for when it could not even be sent, or when no reply came.
      const limit = this.#link.request(request, SHUTDOWN_LIMIT_MS).then(() => delay(LEAVE_LIMIT_MS, undefined, { ref: false }));
      await Promise.race([process.exited, limit.catch(() => {})]);
    }
    const left = await endTree(process.pid, 'SIGTERM', seen);
    if (left.length > 0) this.#around.log.warn('kernel.processes-left', { kernelId: this.id, count: left.length });
    await life.ended;
  }

  #mustLive(): KernelLife {
    const life = this.#life;
    if (!life?.ready || !isAlive(life)) throw new KernelDeadError('The kernel is not running. Restart it.');
    return life;
  }

  #interruptible(life: KernelLife): Interruptible {
    const before = this.#timesIdle;
    this.#interrupts += 1;
    const turn = this.#interrupts;
    return {
      pid: life.running.process.pid,
      isIPython: this.#info?.implementation === 'ipython',
      stillWorks: () => this.#life === life && isAlive(life) && !life.ending && this.#timesIdle === before && this.#interrupts === turn,
    };
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
