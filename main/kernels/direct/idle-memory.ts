/**
 * Gives memory back after a flood. V8 collects what was read of it only when more is needed, so that the host of kernels that have become quiet would
 * hold some hundred megabytes of garbage for as long as they stay so.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes read since the last collection that are worth one. */
const FLOOD_BYTES = 32 * 1024 * 1024;
/** Milliseconds without so much as a byte, after which nobody notices the few that a collection takes. */
const QUIET_MS = 1_000;

export class IdleMemory {
  readonly #collect: () => void;
  #bytes = 0;
  #hasNew = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(collect: () => void = collectGarbage) {
    this.#collect = collect;
  }

  /** So many bytes were read. */
  used(bytes: number): void {
    this.#bytes += bytes;
    this.#hasNew = true;
    if (this.#bytes >= FLOOD_BYTES) this.#timer ??= this.#later();
  }

  #later(): NodeJS.Timeout {
    this.#hasNew = false;
    return setTimeout(() => {
      if (this.#hasNew) {
        this.#timer = this.#later();
        return;
      }
      this.#timer = null;
      this.#bytes = 0;
      this.#collect();
    }, QUIET_MS).unref();
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
