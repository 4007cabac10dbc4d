/**
 * One kernel for the calls of one key (session file and folder): started when first needed, set up after every start, restarted when it died. The
 * hard part is that several things end or begin a kernel at once (a call, a restart by hand, the pool's purge), so there is one way to
 * a ready kernel and everybody who needs it waits on that.
 */
import { claimFolder, leaveFolder } from '../../artifacts/folder-use.ts';
import type { Kernel, KernelExit, KernelSpec, LaunchOptions } from '../../kernels/kernel.ts';
import type { Log } from '../../log/log.ts';
import { SessionKernel } from '../session-kernel.ts';
import { addHelpers, placeKernel, type SessionPlace, SetUpError, sessionEnvironment } from './session-start.ts';
import { Turns } from './turns.ts';

/** Restarts by ourselves without a completed run between. One more would be a loop. */
const RESTARTS_LIMIT = 1;
/** A kernel that dies, or whose host dies, while it is set up. */
const SET_UP_ATTEMPTS = 3;

export type KernelMode = 'session' | 'per-call';

export interface SessionPlan extends SessionPlace {
  key: string;
  mode: KernelMode;
}

export interface SessionSurroundings {
  /** A kernel, started or taken from those that are ready. `hasHelpers` when the prelude is in it. */
  start(options: LaunchOptions): Promise<{ kernel: Kernel; hasHelpers: boolean }>;
  chooseSpec(cwd: string): Promise<{ spec: KernelSpec; note: string | null }>;
  /** Wraps every start and restart, which may run out of descriptors. */
  withRoom<T>(attempt: () => Promise<T>): Promise<T>;
  /** Busy, idle or dead may have changed. */
  onChange(): void;
  log: Log;
}

/** The kernel ended twice without completing anything. */
export class TooManyRestartsError extends Error {
  override name = 'TooManyRestartsError';
  constructor() {
    super('Python kernel restarted too many times in this session. Send the call with `reset` to begin with a fresh kernel.');
  }
}

/** The session was shut down while a call had to do with it. */
export class SessionClosedError extends Error {
  override name = 'SessionClosedError';
  constructor() {
    super('The session was shut down. Send the cells again to begin with a fresh kernel.');
  }
}

/** A restart that a call has to be told of. */
export interface Restarted {
  /** What had happened to the kernel, in one sentence. */
  why: string;
}

export interface ReadyKernel {
  kernel: Kernel;
  restarted: Restarted | null;
  /** What the person may not expect of the kernel that was chosen. */
  note: string | null;
}

export class AgentSession {
  readonly plan: SessionPlan;
  /** Who uses it; it is ended when the last one leaves. */
  readonly owners = new Set<string>();
  readonly turns = new Turns();
  /** How many show it in a window. */
  pins = 0;
  /** Calls that have to do with it, from before their turn until their end. */
  calls = 0;
  lastUsed = 0;
  readonly #around: SessionSurroundings;
  readonly #kernel: SessionKernel;
  #readying: Promise<Restarted | null> | null = null;
  #restarting = 0;
  /** The process that is set up: its kernel's generation. */
  #placed: { kernel: Kernel; generation: number } | null = null;
  #hasHelpers: { kernel: Kernel; generation: number } | null = null;
  #restarts = 0;
  #exit: KernelExit | null = null;
  #news: Restarted | null;
  /** About the choice of the kernel, for the next call. */
  #note: string | null = null;
  #closing: Promise<void> | null = null;

  /** `news` is told to the first call: what became of an earlier session of this key. */
  constructor(plan: SessionPlan, around: SessionSurroundings, news: Restarted | null = null) {
    this.plan = plan;
    this.#around = around;
    this.#news = news;
    const env = sessionEnvironment(plan);
    this.#kernel = new SessionKernel({
      // The start-up code sets it, after each restart too.
      artifactFolder: null,
      kernels: { start: (options) => this.#take({ ...options, env }), withRoom: (attempt) => around.withRoom(attempt) },
      chooseSpec: async () => {
        const choice = await around.chooseSpec(plan.cwd);
        this.#note = choice.note;
        return choice;
      },
      cwd: () => plan.cwd,
      onChange: () => around.onChange(),
      onOutputs: () => {},
      onDeath: () => around.onChange(),
    });
  }

  get kernel(): Kernel | null {
    return this.#kernel.kernel;
  }

  get busy(): boolean {
    return this.calls > 0 || this.#readying !== null || this.#restarting > 0;
  }

  get dead(): boolean {
    return this.kernel?.state === 'dead';
  }

  /** How the kernel ended when it last did so by itself, in one sentence. */
  get deathMessage(): string {
    return this.#exit?.message ?? 'The kernel ended.';
  }

  get closed(): boolean {
    return this.#closing !== null;
  }

  /** State, name and message for whoever lists sessions. */
  view(): ReturnType<SessionKernel['view']> {
    return this.#kernel.view();
  }

  /**
   * The kernel, set up and ready. What the call has to know about it comes with it, once. Throws KernelStartError, KernelNotFoundError,
   * TooManyFilesError, TooManyRestartsError, SessionClosedError. Goes on in the background when the caller stops waiting.
   */
  async ready(): Promise<ReadyKernel> {
    this.#readying ??= this.#makeReady().finally(() => {
      this.#readying = null;
      this.#around.onChange();
    });
    const restarted = (await this.#readying) ?? this.#news;
    const note = this.#note;
    this.#news = null;
    this.#note = null;
    return { kernel: this.kernel!, restarted, note };
  }

  /** A fresh kernel because somebody asked for it: what died before doesn't count any more. */
  async reset(): Promise<void> {
    this.#restarts = 0;
    this.#news = null;
    if (this.kernel) await this.restart();
  }

  /** Restarts the kernel on purpose; no reason to think that it will die again. */
  async restart(): Promise<void> {
    this.#restarting += 1;
    try {
      await this.#readying?.catch(() => {});
      this.#mustBeOpen();
      await this.#kernel.restart();
      await this.ready();
    } finally {
      this.#restarting -= 1;
      this.#around.onChange();
    }
  }

  /** A run came to its end: the kernel works. */
  completed(): void {
    this.#restarts = 0;
  }

  /** Waits until a kernel that is about to end has ended, and says how it did. */
  async left(kernel: Kernel): Promise<string> {
    await this.#kernel.left(kernel);
    return this.deathMessage;
  }

  /** Interrupts what runs. */
  async interrupt(): Promise<void> {
    if (this.kernel && !this.dead) await this.kernel.interrupt();
  }

  /** Ends the kernel, also while it starts. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { artifactFolder } = this.plan;
    try {
      await this.#kernel.shutdown();
    } finally {
      if (artifactFolder !== null) await leaveFolder(artifactFolder, this);
    }
  }

  async #makeReady(): Promise<Restarted | null> {
    let restarted: Restarted | null = null;
    for (let attempts = 1; ; attempts += 1) {
      const wasDead = this.dead;
      if (wasDead && this.#restarts >= RESTARTS_LIMIT) throw new TooManyRestartsError();
      const why = this.deathMessage;
      try {
        this.#mustBeOpen();
        const kernel = await this.#kernel.ensure();
        if (wasDead) {
          this.#restarts += 1;
          restarted ??= { why };
        }
        await this.#setUp(kernel);
        this.#mustBeOpen();
        return restarted;
      } catch (error) {
        if (this.closed) throw new SessionClosedError();
        if (!(error instanceof SetUpError) || attempts >= SET_UP_ATTEMPTS) throw error;
        // Nothing has run in it: another attempt, with a fresh process when this one died.
        if (error.status === 'dead' && this.kernel) await this.#kernel.left(this.kernel);
      }
    }
  }

  async #setUp(kernel: Kernel): Promise<void> {
    if (isProcess(this.#placed, kernel)) return;
    const process = { kernel, generation: kernel.generation };
    const { artifactFolder } = this.plan;
    // So that no clean-up takes it away. A disk that refuses is the code's to meet when it writes.
    if (artifactFolder !== null) await claimFolder(artifactFolder, null, this).catch(() => {});
    await placeKernel(kernel, this.plan);
    if (!isProcess(this.#hasHelpers, kernel)) await addHelpers(kernel, this.#around.log);
    this.#placed = process;
  }

  async #take(options: LaunchOptions): Promise<Kernel> {
    const { kernel, hasHelpers } = await this.#around.start(options);
    if (hasHelpers) this.#hasHelpers = { kernel, generation: kernel.generation };
    kernel.on('exit', (exit) => {
      if (!exit.expected) this.#exit = exit;
    });
    return kernel;
  }

  #mustBeOpen(): void {
    if (this.closed) throw new SessionClosedError();
  }
}

function isProcess(process: { kernel: Kernel; generation: number } | null, kernel: Kernel): boolean {
  return process?.kernel === kernel && process.generation === kernel.generation;
}
