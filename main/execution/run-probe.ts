/**
 * Finds out whether a run will say more: asks the kernel something else, whose answer comes after all that the run has to say on that channel. In a
 * flood, iopub lags far behind shell, so an answer on one of them is followed by a wait for silence on the other.
 */

/** When the reply has come and idle hasn't after this, the kernel is asked whether it will: in a flood it comes late. */
const PROBE_MS = 10_000;
/** The same for a reply after idle, which no flood delays. An interrupt that meets the kernel at a bad moment costs it, and somebody waits then. */
const REPLY_PROBE_MS = 3_000;
/** A run of which a half never comes, though the question was answered, is over when the kernel has then published nothing for this long. */
const SILENCE_MS = 10_000;

export interface ProbeOptions {
  runId: string;
  /** Sends kernel_info_request on shell with this msg_id. */
  ask: (messageId: string) => void;
  /** When the kernel last published something, by `performance.now`: a machine that slept has not waited. */
  publishedAt: () => number;
  onSilence: () => void;
}

export class RunProbe {
  readonly #options: ProbeOptions;
  #timer: NodeJS.Timeout | null = null;
  #asked = 0;
  #question: string | null = null;

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /** How often the kernel was asked. */
  get asked(): number {
    return this.#asked;
  }

  /** Asks when the run isn't over in a while. */
  later(lacks: 'reply' | 'idle'): void {
    this.#timer ??= setTimeout(() => this.now(), lacks === 'reply' ? REPLY_PROBE_MS : PROBE_MS);
  }

  now(): void {
    this.stop();
    this.#asked += 1;
    this.#question = `${this.#options.runId}-probe-${this.#asked}`;
    this.#options.ask(this.#question);
  }

  /** Whether a message with this parent answers the last question. */
  isAnswer(parent: string | undefined): boolean {
    return parent !== undefined && parent === this.#question;
  }

  /** The run begins only now: what is still to come for the last question says nothing about it. */
  forget(): void {
    this.stop();
    this.#question = null;
  }

  /** The question was heard of, and the run isn't over. */
  awaitSilence(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      if (performance.now() - this.#options.publishedAt() < SILENCE_MS) this.awaitSilence();
      else this.#options.onSilence();
    }, SILENCE_MS);
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
