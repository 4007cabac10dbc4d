/** What a process has of the machine, where the system tells (Linux): memory now, its peak over a while, processor time, open descriptors. */
import { readdirSync, readFileSync } from 'node:fs';

const MIB = 2 ** 20;

/** 4 KiB everywhere that this runs. */
const PAGE = 4096;

/** Resident memory in MiB; NaN where it can't be had. */
export function memoryOf(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE) / MIB;
  } catch {
    return Number.NaN;
  }
}

/** Watches the memory of processes until it is asked for the highest that each has had. */
export function watchMemory(pids: readonly number[], everyMs = 25): () => number[] {
  const peaks = pids.map(memoryOf);
  const look = (): void => {
    for (const [index, pid] of pids.entries()) peaks[index] = Math.max(peaks[index] ?? 0, memoryOf(pid));
  };
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    look();
    return peaks;
  };
}

/** Open descriptors; NaN where it can't be had. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** The kernel counts in hundredths of a second for everybody. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used, in milliseconds. On a busy machine it says more than the clock. */
export function processorTimeOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return ((Number(user) + Number(system)) * 1000) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}
