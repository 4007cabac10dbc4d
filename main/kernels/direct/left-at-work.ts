/**
 * Processes that code started and left at work (a fork that never exits, a job in the background): a kernel that is idle while one of them keeps
 * a processor busy says so, for nothing else would show why the machine is slow. What a cell that runs has started is its own matter, so new
 * ones count only while nothing runs; one that was told of is followed until it rests. All kernels share one look at the table of processes.
 * Linux and macOS: elsewhere there is no table.
 */
import { processNames } from './process-names.ts';
import { listProcesses, type ProcessEntry } from './process-table.ts';
import { treeOf } from './process-tree.ts';

/** Between two looks. */
const LOOK_MS = 5_000;

/** Busy through so many times between looks: shorter work after a cell's end is usual (pools that end, files that are written). */
const MIN_TIMES = 2;

/** Of one processor. What only waits has a few hundredths; on a machine that has too much to do, nothing gets a whole one. */
const MIN_SHARE = 0.25;

type Tell = (message: string | null) => void;

/** What is known of one kernel's processes. */
interface Watched {
  readonly root: number;
  readonly tell: Tell;
  /** No code runs. */
  idle: boolean;
  /** What was told last. */
  told: string | null;
  /** The last look; null before the first. */
  seen: { at: number; cpuMs: ReadonlyMap<number, number> } | null;
  /** By pid, through how many times in a row it was busy. */
  times: ReadonlyMap<number, number>;
}

/** One kernel's end of the watch. */
export interface WorkWatch {
  /** To be called when code begins or ends to run. */
  working(working: boolean): void;
  /** The kernel's process has ended. */
  end(): void;
}

export class LeftAtWork {
  readonly #list: () => Promise<ProcessEntry[]>;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(list: () => Promise<ProcessEntry[]> = () => listProcesses()) {
    this.#list = list;
  }

  /** Of the kernel whose process is `root`. `tell` is called with a sentence for the person, and with null once it is not true any more. */
  of(root: number, tell: Tell): WorkWatch {
    const watched: Watched = { root, tell, idle: false, told: null, seen: null, times: new Map() };
    return {
      working: (working) => {
        watched.idle = !working;
        if (watched.idle || watched.told !== null) this.#add(watched);
        else this.#remove(watched);
      },
      end: () => {
        this.#remove(watched);
        told(watched, null);
      },
    };
  }

  #add(watched: Watched): void {
    if (process.platform === 'win32') return;
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  #remove(watched: Watched): void {
    this.#watched.delete(watched);
    watched.seen = null;
    watched.times = new Map();
    if (this.#watched.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    // A look that fails is made up for by the next one.
    const table = await this.#list().catch(() => []);
    const at = performance.now();
    this.#looking = false;
    if (table.length === 0) return;
    for (const watched of [...this.#watched]) this.#judge(watched, table, at);
  }

  #judge(watched: Watched, table: readonly ProcessEntry[], at: number): void {
    const members = new Set(treeOf(table, watched.root));
    const started = table.filter(({ pid }) => pid !== watched.root && members.has(pid));
    const { seen, idle } = watched;
    if (seen) {
      const busy = busyTimes(watched.times, seen.cpuMs, started, at - seen.at);
      watched.times = new Map([...busy].filter(([, times]) => idle || times > MIN_TIMES));
    }
    watched.seen = { at, cpuMs: new Map(started.map(({ pid, cpuMs }) => [pid, cpuMs])) };
    const busy = started.filter(({ pid }) => (watched.times.get(pid) ?? 0) >= MIN_TIMES);
    // The table has no order of its own.
    told(watched, sentenceOf(busy.sort((a, b) => a.pid - b.pid)));
    // Only code can start more of them, and its end is told.
    if (started.length === 0) this.#remove(watched);
  }
}

/** By pid, through how many times in a row a process was busy, the last one of `elapsedMs` included; those that rested are left out. Pure. */
function busyTimes(
  times: ReadonlyMap<number, number>,
  before: ReadonlyMap<number, number>,
  now: readonly ProcessEntry[],
  elapsedMs: number,
): Map<number, number> {
  const busy = now.filter(({ pid, cpuMs }) => cpuMs - (before.get(pid) ?? cpuMs) >= MIN_SHARE * elapsedMs);
  return new Map(busy.map(({ pid }) => [pid, (times.get(pid) ?? 0) + 1]));
}

function told(watched: Watched, message: string | null): void {
  if (watched.told === message) return;
  watched.told = message;
  watched.tell(message);
}

function sentenceOf(busy: readonly ProcessEntry[]): string | null {
  if (busy.length === 0) return null;
  const [what, it] =
    busy.length === 1
      ? ['A process that a cell left behind keeps a processor busy', 'it']
      : [`${busy.length} processes that cells left behind keep the processors busy`, 'them'];
  return `${what}: ${processNames(busy)}. A restart of the kernel ends ${it}.`;
}
