/**
 * Tells the kernel what its Output widgets have taken in, so that `out.outputs` is there for code too. The hard part is a cell that prints for an
 * hour: the kernel reads nothing meanwhile, so of each widget one message at most is under way, and what comes after it waits.
 */
import { randomUUID } from 'node:crypto';
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { weightOf } from './binary-state.ts';
import { nbformatOutput } from './portable-outputs.ts';

export interface OutputSyncOptions {
  outputs: (commId: string) => readonly Output<RawPayload>[] | null;
  send: (commId: string, messageId: string, state: Record<string, unknown>) => void;
}

/** Gathered for so long: prints come in many pieces. */
const PAUSE_MS = 100;
/** Larger outputs stay here: every further print would send all of them once more. */
const MAX_BYTES = 2 * 1024 * 1024;

export class OutputSync {
  readonly #options: OutputSyncOptions;
  readonly #changed = new Set<string>();
  /** Widgets whose message the kernel has not taken in, by message. */
  readonly #underWay = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: OutputSyncOptions) {
    this.#options = options;
  }

  changed(commId: string): void {
    this.#changed.add(commId);
    this.#later();
  }

  /** The kernel is done with a message, or nobody will hear of it any more. */
  done(messageId: string): void {
    if (this.#underWay.delete(messageId) && this.#changed.size > 0) this.#later();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#changed.clear();
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#send();
    }, PAUSE_MS);
  }

  #send(): void {
    const busy = new Set(this.#underWay.values());
    for (const commId of this.#changed) {
      if (busy.has(commId)) continue;
      this.#changed.delete(commId);
      const outputs = this.#options.outputs(commId);
      if (!outputs || weightOf(outputs) > MAX_BYTES) continue;
      const messageId = `cellwright-${randomUUID()}`;
      this.#underWay.set(messageId, commId);
      this.#options.send(commId, messageId, { outputs: outputs.map(nbformatOutput) });
    }
  }
}
