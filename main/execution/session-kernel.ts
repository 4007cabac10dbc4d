/**
 * The kernel of one notebook session: started when first needed, started again when it died, and described for the window. The hard part is
 * overlap: whoever asks while it starts or restarts waits for that, so two simultaneous first runs make one kernel.
 */
import { mkdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KernelView } from '../../preload/contract.ts';
import { KernelNotFoundError, KernelStartError } from '../kernels/errors.ts';
import { GatewayError } from '../kernels/gateway/gateway-errors.ts';
import type { Kernel, KernelSpec } from '../kernels/kernel.ts';
import type { KernelManager } from '../kernels/kernel-manager.ts';
import { TooManyFilesError } from '../kernels/room.ts';
import { followOutputs } from './run-client.ts';
import type { AreaState, RunEvents } from './run-protocol.ts';

export interface SessionKernelOptions {
  kernels: Pick<KernelManager, 'start' | 'withRoom'>;
  /** Called for each start, not for a restart. `note` is for the person when the choice isn't what they may expect. */
  chooseSpec: () => Promise<{ spec: KernelSpec; note: string | null }>;
  /** Working folder of the kernel process. */
  cwd: () => string;
  /** The kernel's code finds it as `ARTIFACTS`, ready to be written into; null: there is none. */
  artifactFolder: string | null;
  /** Something of the view changed. */
  onChange: () => void;
  /** `isEnding`: the kernel was told to end, so of what is over it says nothing that anybody waits for. */
  onOutputs: (areas: RunEvents['run.changes']['areas'], isEnding: boolean) => void;
  /** Where the outputs are that it was told of. */
  outputs?: () => AreaState[];
  /** Called with each kernel before anything runs on it; the function that it gives ends it. */
  follow?: (kernel: Kernel) => () => void;
  /** The kernel ended by itself. */
  onDeath: () => void;
}

/** For a kernel whose code called `exit`: it ends within a second, unless the machine is busy or something holds it. */
const LEAVE_LIMIT_MS = 20_000;

interface Problem {
  message: string;
  detail: string | null;
}

export class SessionKernel {
  readonly #options: SessionKernelOptions;
  #kernel: Kernel | null = null;
  /** It has a process on this machine. */
  #isLocal = false;
  #spec: KernelSpec | null = null;
  #starting: Promise<Kernel> | null = null;
  /** Shutdowns and restarts under way. */
  #ending = 0;
  #abort = new AbortController();
  #ends: (() => void)[] = [];
  #problem: Problem | null = null;
  #note: string | null = null;
  /** What the kernel's processes do though no code runs. */
  #leftAtWork: string | null = null;
  /** Working folder of the kernel's process. */
  #folder = '';

  constructor(options: SessionKernelOptions) {
    this.#options = options;
  }

  get kernel(): Kernel | null {
    return this.#kernel;
  }

  /**
   * The kernel, ready to run code. Throws KernelStartError, KernelNotFoundError, TooManyFilesError, or the signal's reason. `wanted` is asked before a kernel that
   * ended is restarted: false for a caller whom its end concerns, and who gets an AbortError then.
   */
  async ensure(signal?: AbortSignal, wanted: () => boolean = () => true): Promise<Kernel> {
    if (this.#starting) return this.#starting;
    if (!this.#kernel) return this.#begin(this.#start(signal));
    for (let kernel = this.#kernel; !isDead(kernel); kernel = this.#kernel) {
      await news();
      if (this.#isReady(kernel)) return kernel;
      if (this.#kernel === kernel && !this.#starting && !isDead(kernel)) await changed(kernel);
      if (this.#starting) return this.#starting;
      if (!this.#kernel) throw shutDown();
    }
    if (!wanted()) throw new DOMException('The kernel ended.', 'AbortError');
    return this.#begin(this.#revive(this.#kernel));
  }

  /** Ends the kernel process and starts it again; starts one where there is none. Overlapping calls join. */
  async restart(): Promise<void> {
    if (this.#starting || !this.#kernel) await this.ensure();
    else await this.#begin(this.#revive(this.#kernel));
  }

  async shutdown(): Promise<void> {
    this.#abort.abort(shutDown());
    this.#abort = new AbortController();
    await this.#starting?.catch(() => {});
    const kernel = this.#kernel;
    const ends = this.#ends;
    this.#kernel = null;
    this.#ends = [];
    this.#problem = null;
    this.#note = null;
    this.#options.onChange();
    // The last output comes until then.
    if (kernel) await this.#ended(() => kernel.shutdown());
    for (const end of ends) end();
  }

  /** Resolves when a kernel that is about to end has ended, or doesn't after all. */
  async left(kernel: Kernel): Promise<void> {
    if (kernel.state === 'dead') return;
    let ends: (() => void)[] = [];
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, LEAVE_LIMIT_MS);
      ends = [kernel.on('exit', () => resolve()), () => clearTimeout(limit)];
    });
    for (const end of ends) end();
  }

  /** A sentence for the person, until the next start, restart or word. */
  say(message: string | null): void {
    if (message === null && !this.#problem) return;
    this.#problem = message === null ? null : { message, detail: null };
    this.#options.onChange();
  }

  /** Takes a sentence back that is not true any more. */
  unsay(message: string): void {
    if (this.#problem?.message === message) this.say(null);
  }

  view(): Omit<KernelView, 'queued'> {
    const spec = this.#kernel?.spec ?? this.#spec;
    const mendable = this.#moved() ?? this.#leftAtWork;
    return {
      state: this.#state(),
      name: spec?.displayName ?? '',
      kernelspecName: spec?.name ?? null,
      language: spec?.language ?? '',
      generation: this.#kernel?.generation ?? 0,
      message: this.#problem?.message ?? mendable ?? this.#note,
      restartHelps: !this.#problem && mendable !== null,
      detail: this.#problem?.detail ?? null,
    };
  }

  /** The notebook has been saved elsewhere: the folder of code that runs is never changed under it. */
  #moved(): string | null {
    const now = this.#options.cwd();
    if (!this.#kernel || !this.#isLocal || this.#kernel.state === 'dead' || now === this.#folder) return null;
    return `The kernel works in ${this.#folder}. Restart it to work in ${now}, where the notebook is now.`;
  }

  #asked(): string {
    this.#folder = this.#options.cwd();
    return this.#folder;
  }

  /** False between the end of its process, or of the kernel host, and what follows from it. */
  #isReady(kernel: Kernel): boolean {
    const ended = this.#isLocal && kernel.pid === null;
    return this.#kernel === kernel && !this.#starting && !isDead(kernel) && !ended && kernel.host.gone === null;
  }

  #state(): KernelView['state'] {
    if (this.#kernel && !(this.#starting && this.#kernel.state === 'dead')) return this.#kernel.state;
    if (this.#starting) return this.#kernel ? 'restarting' : 'starting';
    // One that could not be started was never there to end; the problem says why.
    return 'none';
  }

  /** From now until it has ended, whoever needs the kernel waits for this start. */
  #begin(start: Promise<Kernel>): Promise<Kernel> {
    this.#problem = null;
    this.#starting = start
      .catch((error: unknown) => {
        this.#problem = problemOf(error);
        if (!this.#kernel) this.#note = null;
        throw error;
      })
      .finally(() => {
        this.#starting = null;
        this.#options.onChange();
      });
    this.#options.onChange();
    return this.#starting;
  }

  async #start(given?: AbortSignal): Promise<Kernel> {
    const signal = given ? AbortSignal.any([given, this.#abort.signal]) : this.#abort.signal;
    // The search for a kernel may run out of descriptors as well.
    const kernel = await this.#options.kernels.withRoom(() => this.#launch(signal));
    this.#kernel = kernel;
    this.#isLocal = kernel.pid !== null;
    this.#ends = [
      kernel.on('state', () => this.#options.onChange()),
      kernel.on('connected', () => this.#options.onChange()),
      kernel.on('leftAtWork', (message) => {
        this.#leftAtWork = message;
        this.#options.onChange();
      }),
      kernel.on('exit', (exit) => {
        if (exit.expected) return;
        this.#problem = { message: `${exit.message} Its variables are gone. Restart it to go on.`, detail: exit.stderrTail || null };
        this.#options.onChange();
        this.#options.onDeath();
      }),
      followOutputs(
        kernel,
        (areas) => this.#options.onOutputs(areas, this.#ending > 0),
        () => ({
          artifactFolder: this.#options.artifactFolder,
          areas: this.#options.outputs?.() ?? [],
        }),
      ),
      this.#options.follow?.(kernel) ?? (() => {}),
    ];
    return kernel;
  }

  async #launch(signal: AbortSignal): Promise<Kernel> {
    const { spec, note } = await this.#options.chooseSpec();
    signal.throwIfAborted();
    this.#spec = spec;
    this.#note = note;
    this.#options.onChange();
    const env = await artifactEnvironment(this.#options.artifactFolder);
    const gateway = spec.gateway ? { gateway: spec.gateway } : {};
    return this.#options.kernels.start({ spec, cwd: this.#asked(), cwdNow: () => this.#asked(), env, signal, ...gateway });
  }

  async #revive(kernel: Kernel): Promise<Kernel> {
    await this.#options.kernels.withRoom(() => this.#ended(() => kernel.restart()));
    return kernel;
  }

  async #ended(end: () => Promise<void>): Promise<void> {
    this.#ending += 1;
    try {
      await end();
    } finally {
      this.#ending -= 1;
    }
  }
}

/** A folder that can't be made costs the variable, not the kernel: code that needs it says so itself. */
async function artifactEnvironment(folder: string | null): Promise<Record<string, string>> {
  if (folder === null) return {};
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { ARTIFACTS: folder };
  } catch {
    return {};
  }
}

/**
 * Resolves when the event loop has looked for news once: an end that has happened is known then, and code that is sent before would fail
 * instead of waiting for a kernel. Two turns, because the first one may be past its look already.
 */
async function news(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function isDead(kernel: Kernel): boolean {
  return kernel.state === 'dead';
}

/** Resolves when the kernel's end, or a new connection to it, is told: main makes one by itself for as long as the kernel lives. */
async function changed(kernel: Kernel): Promise<void> {
  let ends: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    ends = [kernel.on('connected', () => resolve()), kernel.on('exit', () => resolve())];
  });
  for (const end of ends) end();
}

function shutDown(): DOMException {
  return new DOMException('The kernel was shut down.', 'AbortError');
}

/** Errors whose message says what happened and what to do. */
const WITH_OWN_WORDS = [KernelStartError, KernelNotFoundError, GatewayError, TooManyFilesError];

function problemOf(error: unknown): Problem | null {
  if (error instanceof DOMException && error.name === 'AbortError') return null;
  const detail = error instanceof KernelStartError && error.stderrTail !== '' ? error.stderrTail : null;
  if (WITH_OWN_WORDS.some((kind) => error instanceof kind)) return { message: (error as Error).message, detail };
  return { message: `The kernel could not be started: ${error instanceof Error ? error.message : String(error)}`, detail };
}
