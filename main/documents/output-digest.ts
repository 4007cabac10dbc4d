/**
 * A short name for what a file's outputs are, to know again outputs that were trusted. Made from the text of each cell's outputs: whoever changes
 * one of them makes another name, while sources and the order of cells may change. Large outputs are digested away from this thread.
 */
import { createHash, webcrypto } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { NotebookFile } from './notebook-file.ts';
import { findMember } from './object-splice.ts';
import { fileOutputCount } from './raw-cell.ts';

/** Smaller outputs are digested at once: asking another thread would take longer. */
const SMALL_BYTES = 64 * 1024;

/** Between two turns of the event loop. */
const CELLS_AT_ONCE = 200;

/** Null when no cell has outputs. */
export async function outputsDigest({ cells }: NotebookFile): Promise<string | null> {
  const digests: string[] = [];
  for (const [index, cell] of cells.entries()) {
    if (index % CELLS_AT_ONCE === CELLS_AT_ONCE - 1) await turn();
    const member = findMember(cell, 'outputs');
    if (member && fileOutputCount(cell) > 0) digests.push(await digestOf(cell.bytes.subarray(member.start, member.end)));
  }
  return digests.length === 0 ? null : sha256(Buffer.from(digests.sort().join('\n')));
}

async function digestOf(text: Buffer): Promise<string> {
  if (text.length <= SMALL_BYTES) return sha256(text);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', text)).toString('hex');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
