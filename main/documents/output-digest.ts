/**
 * A short name for what a file's outputs are, to know again outputs that were trusted. Made from the text of each cell's outputs and of the stored
 * widgets that they may show: whoever changes one of them makes another name, while sources and the order of cells may change. Large outputs are
 * digested away from this thread.
 */
import { createHash, webcrypto } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { NotebookFile } from './notebook-file.ts';
import { entrySlice } from './notebook-metadata.ts';
import { findMember } from './object-splice.ts';
import { fileOutputCount } from './raw-cell.ts';

/** Smaller outputs are digested at once: asking another thread would take longer. */
const SMALL_BYTES = 64 * 1024;

/** Between two turns of the event loop. */
const CELLS_AT_ONCE = 200;

/** Null when no cell has outputs. `widgetsFrom` has the widgets that count when they are not those of the file. */
export async function outputsDigest(file: NotebookFile, widgetsFrom = file): Promise<string | null> {
  const { cells } = file;
  const digests: string[] = [];
  for (const [index, cell] of cells.entries()) {
    if (index % CELLS_AT_ONCE === CELLS_AT_ONCE - 1) await turn();
    const member = findMember(cell, 'outputs');
    if (member && fileOutputCount(cell) > 0) digests.push(await digestOf(cell.bytes.subarray(member.start, member.end)));
  }
  if (digests.length === 0) return null;
  const widgets = entrySlice(widgetsFrom, 'widgets');
  const parts = digests.sort();
  if (widgets) parts.push(`widgets ${await digestOf(widgets.bytes.subarray(widgets.start, widgets.end))}`);
  return sha256(Buffer.from(parts.join('\n')));
}

async function digestOf(text: Buffer): Promise<string> {
  if (text.length <= SMALL_BYTES) return sha256(text);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', text)).toString('hex');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
