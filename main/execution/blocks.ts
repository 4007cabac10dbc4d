/**
 * Blocks of memory that text is encoded into on its way to the disk. They are used again: memory that is new for every write costs more than
 * the encoding, in a flood most of all. A few are kept, the rest goes back to the system.
 */

export const BLOCK_BYTES = 512 * 1024;

/** Kept while nobody uses them. */
const KEPT = 4;

const free: Buffer[] = [];

/** A block of `BLOCK_BYTES`, with anything in it. */
export function takeBlock(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}

/** Nobody reads or writes this block any more. */
export function freeBlock(block: Buffer): void {
  if (free.length < KEPT) free.push(block);
}
