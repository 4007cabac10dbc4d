/**
 * A kernel on a Jupyter server: its life by REST from here, its connection in the kernel host. It looks like a kernel of this machine. What
 * differs is that it may end, be restarted or be out of reach without us; each of these is told in words.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '../../log/log.ts';
import { exitMessage } from '../direct/exit-message.ts';
import { HostLink, type Hosts } from '../direct/host-link.ts';
import { processStart } from '../direct/process-table.ts';
import { startError as explainedStart } from '../direct/start-failure.ts';
import { Emitter } from '../emitter.ts';
import { KernelDeadError, KernelTimeoutError } from '../errors.ts';
import type { RpcEndpoint } from '../host/rpc.ts';
import type { Kernel, KernelEvents, KernelState, LaunchOptions } from '../kernel.ts';
import type { InfoReply, OutgoingMessage } from '../messages.ts';
import type { GatewayConnectionInfo } from './gateway-server.ts';
import { endMessage, type KernelEnd } from './kernel-end.ts';
import { type GatewayLaunch, giveBack, orAborted, provideKernel, type ServerKernel, startError, whenLost } from './server-kernel.ts';
import { ServerRestart } from './server-restart.ts';
import { ShownState } from './shown-state.ts';

/** Start and restart. A server waits a minute for the first word of a kernel whose ports were taken, before it lets anyone connect. */
const START_LIMIT_MS = 90_000;

/** What is left of the limit for the first contact, when the server took most of it. */
const MIN_ATTACH_MS = 1_000;

const REATTACH_LIMIT_MS = 60_000;
const REATTACH_PAUSE_MS = 1_000;

/** An interrupt is of use now or not at all. */
const INTERRUPT_LIMIT_MS = 5_000;

/** A server asks the kernel politely first. One that is out of reach gets no more than an attempt: the app may be closing. */
const SHUTDOWN_LIMIT_MS = 15_000;
const CUT_SHUTDOWN_LIMIT_MS = 2_000;

/** While a server of this machine is silent: how often its process is looked for. */
const LOOK_MS = 1_000;

const INTERRUPT = { channel: 'control', type: 'interrupt_request', content: {} } as const;
const WAKE = { channel: 'shell', type: 'kernel_info_request', content: {} } as const;

export interface GatewaySurroundings extends Hosts {
  log: Log;
  /** The kernel was shut down and is of no more use. */
  onShutdown(kernel: Kernel): void;
}

export class GatewayKernel implements Kernel {
  readonly id = randomUUID();
  readonly spec: LaunchOptions['spec'];
  /** Processes of other machines have no number here. */
  readonly pid = null;
  readonly #launchOptions: GatewayLaunch;
  readonly #around: GatewaySurroundings;
  readonly #link: HostLink;
  readonly #emitter: Emitter<KernelEvents>;
  readonly #state = new ShownState((state) => this.#emitter.emit('state', state));
  readonly #serverRestart = new ServerRestart();
  readonly #over = new AbortController();
  #server: ServerKernel | null = null;
  #generation = 0;
  #info: InfoReply | null = null;
  #reattaching = false;
  #looking = false;
  #starting: Promise<void> | null = null;
  #restarting: Promise<void> | null = null;
  #shutdown: Promise<void> | null = null;

  constructor(options: GatewayLaunch, surroundings: GatewaySurroundings) {
    this.spec = options.spec;
    this.#launchOptions = options;
    this.#around = surroundings;
    this.#link = new HostLink(this.id, surroundings);
    this.#emitter = new Emitter((error) => surroundings.log.error('kernel.listener-failed', { kernelId: this.id, ...errorFields(error) }));
  }

  get host(): RpcEndpoint {
    return this.#link.host;
  }

  get state(): KernelState {
    return this.#state.shown;
  }

  get generation(): number {
    return this.#generation;
  }

  get info(): InfoReply | null {
    return this.#info;
  }

  /** The server's id of the kernel, null while there is none. */
  get serverKernelId(): string | null {
    return this.#server?.id ?? null;
  }

  on<N extends keyof KernelEvents>(event: N, listener: (payload: KernelEvents[N]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  /** To be called once, before anything else. Throws KernelStartError, or the signal's reason. */
  start(): Promise<void> {
    const { signal } = this.#launchOptions;
    this.#starting = this.#launch(signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal);
    return this.#starting;
  }

  async request(message: OutgoingMessage, timeoutMs: number): Promise<Record<string, unknown>> {
    this.#mustLive();
    return this.#link.request(message, timeoutMs);
  }

  /** By REST, which also reaches a kernel whose connection is cut; by message where the kernelspec says so or the server can't. */
  async interrupt(): Promise<void> {
    const { api, id } = this.#mustLive();
    if (this.spec.interruptMode === 'message' && this.#state.isBeating) await this.#link.send(INTERRUPT);
    else {
      await api.interrupt(id, INTERRUPT_LIMIT_MS).catch(async (error: unknown) => {
        // Sent into a cut it would come out at the other end of it, and hit what runs then.
        if (!this.#state.isBeating)
          throw new KernelTimeoutError('The server can’t be reached, so the kernel was not interrupted. Try again.', { cause: error });
        await this.#link.send(INTERRUPT);
      });
    }
    // ipykernel 7 notes the interrupt of an `await` without waking its event loop. Any message does that; this one does nothing else.
    if (this.#state.isBeating) await this.#link.send(WAKE);
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

  /** The kernel host died: attaches again as soon as there is another, for as long as the server has the kernel. */
  async hostGone(): Promise<void> {
    // A loop that runs already meets the next host too; a second one would take the connection away from it.
    if (!this.#state.isRunning || this.#reattaching) return;
    this.#reattaching = true;
    const generation = this.#generation;
    while (this.#state.isRunning && this.#generation === generation) {
      try {
        await this.#attach(this.#info, REATTACH_LIMIT_MS, this.#over.signal);
        if (this.#generation !== generation) break;
        this.#state.know({ beating: true });
        this.#connected();
        break;
      } catch (error) {
        if (this.#over.signal.aborted) break;
        this.#around.log.warn('kernel.not-reattached', { kernelId: this.id, ...errorFields(error) });
        if (error instanceof KernelDeadError) await this.#died(error.message);
        this.#state.know({ beating: false });
        await delay(REATTACH_PAUSE_MS, undefined, { ref: false });
      }
    }
    this.#reattaching = false;
  }

  /** The host's word on what the kernel does. */
  heard(generation: number, what: { status: 'busy' | 'idle' } | { beating: boolean }): void {
    if (generation !== this.#generation || !this.#state.isRunning) return;
    this.#state.know('beating' in what ? what : { working: what.status === 'busy' });
    if (!this.#state.isBeating) void this.#lookForServer();
  }

  /** The host's word on the kernel's end. */
  ended(generation: number, end: KernelEnd): void {
    if (generation !== this.#generation) return;
    this.#serverRestart.heard(end);
    void this.#died(endMessage(end));
  }

  async #restart(): Promise<void> {
    await this.#starting?.catch(() => {});
    if (this.#shutdown) throw new KernelDeadError('The kernel was shut down. Start a new one.');
    const wasRunning = this.#state.isRunning;
    this.#state.know({ phase: 'restarting' });
    await this.#link.detach('restart');
    if (wasRunning) this.#exit(exitMessage({ code: null, signal: null }, 'restart'), true);
    await this.#launch(this.#over.signal);
  }

  async #shutDown(): Promise<void> {
    this.#over.abort(new KernelDeadError('The kernel was shut down.'));
    await this.#starting?.catch(() => {});
    await this.#restarting?.catch(() => {});
    const wasRunning = this.#state.isRunning;
    await this.#link.detach('shutdown');
    await this.#giveBack();
    this.#state.know({ phase: 'dead' });
    if (wasRunning) this.#exit(exitMessage({ code: null, signal: null }, 'shutdown'), true);
    this.#around.onShutdown(this);
  }

  async #launch(signal: AbortSignal): Promise<void> {
    const isFirst = this.#info === null;
    const timeoutMs = this.#launchOptions.startTimeoutMs ?? START_LIMIT_MS;
    const end = performance.now() + timeoutMs;
    const { log } = this.#around;
    try {
      signal.throwIfAborted();
      let info = await this.#replacement(timeoutMs, signal);
      if (!info) {
        this.#server = await provideKernel({ launch: this.#launchOptions, before: this.#server, timeoutMs, signal, log });
        // What an earlier process still says must not count for this one.
        if (!isFirst) this.#generation += 1;
        info = await this.#firstAttach(this.#server, Math.max(MIN_ATTACH_MS, end - performance.now()), signal);
      }
      this.#info = info;
      signal.throwIfAborted();
    } catch (error) {
      const stderr = error instanceof KernelDeadError ? ((await this.#server?.said?.()) ?? '') : '';
      // One that could not be restarted may be once more: what the host keeps for it stays.
      await this.#link.detach(isFirst ? 'shutdown' : 'restart');
      if (isFirst) await this.#giveBack();
      this.#state.know({ phase: 'dead' });
      signal.throwIfAborted();
      if (stderr === '') throw startError(error);
      throw explainedStart({ argv: this.spec.argv, cwd: this.#launchOptions.cwd, stderr, exit: null });
    }
    this.#state.know({ phase: 'running', beating: true, working: this.#mustHave().busy });
    this.#connected();
  }

  /** The kernel that the server started by itself in place of one that ended; null when ours has to be made. */
  async #replacement(timeoutMs: number, signal: AbortSignal): Promise<InfoReply | null> {
    const server = this.#server;
    if (!server || !this.#serverRestart.isExpected) return null;
    this.#server = { ...server, busy: false };
    this.#generation += 1;
    const attach = () => this.#attach(null, timeoutMs, signal);
    const info = await this.#serverRestart.take(server.ours, { attach, signal, log: this.#around.log });
    if (!info) await this.#link.detach('restart');
    return info;
  }

  async #firstAttach(server: ServerKernel, timeoutMs: number, signal: AbortSignal): Promise<InfoReply> {
    const looking = new AbortController();
    try {
      const lost = whenLost(server, AbortSignal.any([signal, looking.signal]));
      return await Promise.race([this.#attach(null, timeoutMs, signal), lost]);
    } finally {
      looking.abort();
    }
  }

  /** Throws the signal's reason as soon as it is aborted, and what the host throws. */
  #attach(knownInfo: InfoReply | null, timeoutMs: number, signal: AbortSignal): Promise<InfoReply> {
    const { target, id } = this.#mustHave();
    const { url, token, certificate, anyCertificate } = target;
    const connection: GatewayConnectionInfo = { transport: 'websocket', serverKernelId: id, url, token, certificate, anyCertificate };
    const params = { generation: this.#generation, connection, pid: null, knownInfo, timeoutMs };
    return orAborted(
      this.#link.attach(
        params,
        () => !signal.aborted,
        (host) => knownInfo && this.#emitter.emit('attaching', { host }),
      ),
      signal,
    );
  }

  async #giveBack(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server) await giveBack(server, this.#state.isBeating ? SHUTDOWN_LIMIT_MS : CUT_SHUTDOWN_LIMIT_MS, this.#around.log);
  }

  /** The kernel is gone, though nobody here asked for it. What it said last is read before anyone is told. */
  async #died(message: string): Promise<void> {
    if (!this.#state.isRunning) return;
    const generation = this.#generation;
    await this.#link.detach('dead');
    if (!this.#state.isRunning || this.#generation !== generation) return;
    this.#around.log.info('kernel.ended', { kernelId: this.id, why: message });
    this.#state.know({ phase: 'dead' });
    this.#exit(message, false);
  }

  #exit(message: string, expected: boolean): void {
    this.#emitter.emit('exit', { code: null, signal: null, message, stderrTail: '', expected });
  }

  /** A server of this machine that has ended will not come back, so nobody waits for it. */
  async #lookForServer(): Promise<void> {
    const server = this.#server?.target.process;
    if (!server || this.#looking) return;
    this.#looking = true;
    while (this.#state.isRunning && !this.#state.isBeating) {
      if ((await processStart(server.pid)) !== server.start) await this.#died('The kernel ended with the gateway it ran in.');
      else await delay(LOOK_MS, undefined, { ref: false });
    }
    this.#looking = false;
  }

  #mustHave(): ServerKernel {
    if (!this.#server) throw new KernelDeadError('The kernel is not running. Restart it.');
    return this.#server;
  }

  #mustLive(): ServerKernel {
    if (!this.#state.isRunning) throw new KernelDeadError('The kernel is not running. Restart it.');
    return this.#mustHave();
  }

  #connected(): void {
    if (this.#info) this.#emitter.emit('connected', { generation: this.#generation, info: this.#info });
  }
}
