/** What a process has of the machine, where the system tells (Linux): memory now, its peak over a while, open descriptors. */
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
