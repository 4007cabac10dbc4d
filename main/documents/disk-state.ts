/**
 * What tells whether a file is still the one that was read: its identity, size and time, and where those differ its bytes. A mere touch or a
 * copy with equal content is no change.
 */
import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { systemCode } from './errors.ts';

export interface DiskState {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  /** Names of the file (hard links). */
  links: bigint;
  /** Taken so soon after the last change that another change could carry the same time. */
  racy: boolean;
}

/** File times advance in steps (up to two seconds on FAT); within one step two changes look the same. */
const TIME_STEP_NS = 2_000_000_000n;

export function diskState(stats: BigIntStats): DiskState {
  const now = BigInt(Date.now()) * 1_000_000n;
  return {
    dev: stats.dev,
    ino: stats.ino,
    size: stats.size,
    mtimeNs: stats.mtimeNs,
    links: stats.nlink,
    racy: now - stats.mtimeNs < TIME_STEP_NS,
  };
}

/** The file's state, or null when there is none. */
export async function readDiskState(path: string): Promise<DiskState | null> {
  try {
    return diskState(await stat(path, { bigint: true }));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

export function sameState(a: DiskState, b: DiskState): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

const READ_BYTES = 4_000_000;

/** True when the file holds exactly these bytes. */
export async function holdsBytes(path: string, pieces: readonly Buffer[]): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if ((await file.stat()).size !== total) return false;
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(1, total)));
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, piece.length - at), null);
        if (bytesRead === 0 || buffer.compare(piece, at, at + bytesRead, 0, bytesRead) !== 0) return false;
        at += bytesRead;
      }
    }
    return true;
  } finally {
    await file.close();
  }
}
