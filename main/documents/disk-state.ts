/**
 * What tells whether a file is still the one that was read: its identity, size and time, and where those differ its bytes. A mere touch or a
 * copy with equal content is no change.
 */
import type { BigIntStats } from 'node:fs';
import { type FileReadResult, open, stat } from 'node:fs/promises';
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

/**
 * File times advance in steps; within one step two changes look the same. A system that keeps parts of a second takes them from a clock that ticks
 * every 4 to 16 ms; one that keeps whole seconds may keep every other one alone (FAT).
 */
const FINE_STEP_NS = 50_000_000n;
const COARSE_STEP_NS = 2_000_000_000n;
const SECOND_NS = 1_000_000_000n;

export function diskState(stats: BigIntStats): DiskState {
  const now = BigInt(Date.now()) * 1_000_000n;
  return {
    dev: stats.dev,
    ino: stats.ino,
    size: stats.size,
    mtimeNs: stats.mtimeNs,
    links: stats.nlink,
    racy: now - stats.mtimeNs < (stats.mtimeNs % SECOND_NS === 0n ? COARSE_STEP_NS : FINE_STEP_NS),
  };
}

/** What the system knows of the file, or null when there is none. */
export async function presentFile(path: string): Promise<BigIntStats | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The file's state, or null when there is none. */
export async function readDiskState(path: string): Promise<DiskState | null> {
  const stats = await presentFile(path);
  return stats && diskState(stats);
}

export function sameState(a: DiskState, b: DiskState): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Read at once, whatever the pieces: a notebook of thousands of cells has tens of thousands of small ones. */
const READ_BYTES = 2_000_000;

/** True when the file holds exactly these bytes. One part is compared while the next is read. */
export async function holdsBytes(path: string, pieces: readonly Buffer[]): Promise<boolean> {
  const file = await open(path, 'r');
  let next: Promise<FileReadResult<Buffer>> | null = null;
  try {
    const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if ((await file.stat()).size !== total) return false;
    const buffers = [0, 1].map(() => Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(1, total))));
    const continues = comparison(pieces);
    const read = (part: number, from: number): Promise<FileReadResult<Buffer>> => file.read(buffers[part % 2]!, 0, undefined, from);
    next = read(0, 0);
    for (let at = 0, part = 1; at < total; part += 1) {
      const { buffer, bytesRead } = await next;
      at += bytesRead;
      if (at < total) next = read(part, at);
      if (bytesRead === 0 || !continues(buffer.subarray(0, bytesRead))) return false;
    }
    return true;
  } finally {
    // It must not go on in a file that is closed.
    await next?.catch(() => undefined);
    await file.close();
  }
}

/** Compares chunk by chunk: whether each goes on where the one before it ended. */
function comparison(pieces: readonly Buffer[]): (chunk: Buffer) => boolean {
  let index = 0;
  let offset = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const piece = pieces[index];
      if (!piece) return false;
      const length = Math.min(piece.length - offset, chunk.length - at);
      if (chunk.compare(piece, offset, offset + length, at, at + length) !== 0) return false;
      at += length;
      offset += length;
      if (offset < piece.length) continue;
      index += 1;
      offset = 0;
    }
    return true;
  };
}
