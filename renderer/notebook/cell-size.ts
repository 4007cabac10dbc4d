/**
 * How high a cell will be, before it was ever drawn: the closer, the less the scroll bar's thumb moves while a long notebook is read.
 * Estimates are kept, because the list asks for all of them again whenever a cell comes or goes.
 */
import { CODE_LINE, CODE_PADDING } from '../cells/editor/code-metrics.ts';
import { outputsHidden } from './cell-operations.ts';
import type { NotebookClient } from './notebook-client.ts';

/** Room between two cells, where the insert line comes. Equals the height of `.insert` in insert-line.module.css. */
export const CELL_GAP = 16;
/** A rendered line of markdown with its share of margins. */
const MARKDOWN_LINE = 24;
/** A typical output: some lines of text; images are higher, empty ones lower. */
const OUTPUT = 72;
const FOLDED = 28;

export class CellSizes {
  readonly #client: NotebookClient;
  readonly #known = new Map<string, number>();

  constructor(client: NotebookClient) {
    this.#client = client;
  }

  estimate(key: string): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const kind = this.#client.kind(key);
    const lines = countLines(this.#client.source(key));
    const outputs = this.#client.outputs.count(key);
    const below = outputs === 0 ? 0 : outputsHidden(kind?.metadata ?? {}) ? FOLDED : outputs * OUTPUT;
    const source = kind?.type === 'markdown' ? lines * MARKDOWN_LINE : lines * CODE_LINE + CODE_PADDING;
    const size = source + below + CELL_GAP;
    this.#known.set(key, size);
    return size;
  }
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
