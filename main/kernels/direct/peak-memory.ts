/**
 * The most memory that a kernel's process has held, for the sentence that says how it ended. The system tells it of living processes alone, so it is
 * asked now and then while code runs; what was taken between the last look and the end is missing. Linux only: elsewhere a look would cost a program.
 */
import { readFile } from 'node:fs/promises';

/** Between two looks; most runs are over before the first one. */
const LOOK_MS = 250;

export class PeakMemory {
  readonly #pid: number;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #bytes: number | null = null;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Null where nothing is known. */
  get bytes(): number | null {
    return this.#bytes;
  }

  /** Looks for as long as this was true last. */
  watch(working: boolean): void {
    if (process.platform !== 'linux' || working === (this.#timer !== null)) return;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = working ? setInterval(() => void this.#look(), LOOK_MS).unref() : null;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const status = await readFile(`/proc/${this.#pid}/status`, 'utf8').catch(() => '');
    this.#looking = false;
    this.#bytes = peakIn(status) ?? this.#bytes;
  }
}

/** Bytes of `VmHWM` in a process's status; null of one that has ended. */
export function peakIn(status: string): number | null {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(status);
  return found ? Number(found[1]) * 1024 : null;
}
