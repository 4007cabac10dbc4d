/**
 * What the shared model does not know of a cell's source: its line ends in the file, and whether outputs come from it. The model has line feeds
 * alone, so line ends that the `notebook` tool gives wait in the cell's record for the save.
 */
import { type CellRecord, isStale, newRecord } from './cell-record.ts';
import { restoreLineEnds, withLineFeeds } from './source-lines.ts';

export class CellSources {
  readonly #records: ReadonlyMap<string, CellRecord>;
  readonly #onSpelled: (key: string) => void;

  /** `onSpelled` hears of a cell whose line ends may be others than the file has. */
  constructor(records: ReadonlyMap<string, CellRecord>, onSpelled: (key: string) => void) {
    this.#records = records;
    this.#onSpelled = onSpelled;
  }

  /** Whether the cell's outputs, shown or kept for when it is a code cell again, come from another source than this. */
  staleWith(key: string, source: string): boolean {
    const record = this.#records.get(key);
    return record !== undefined && isStale(record, withLineFeeds(source));
  }

  /** The source with the file's own line ends in the lines that stay. */
  withLineEnds(key: string, source: string): string {
    const base = this.#records.get(key)?.base;
    return base ? restoreLineEnds(base.source, source) : source;
  }

  /** The file gets the cell's source as it is spelled here, while the model has this text. */
  spell(key: string, source: string): void {
    const record = this.#records.get(key);
    if (!record) return;
    record.spelling = source;
    this.#onSpelled(key);
  }

  /** How the cell was spelled, as long as it has this text and would be written otherwise without that. */
  spelling(key: string, text: string): string | null {
    const { spelling, base } = this.#records.get(key) ?? newRecord();
    if (spelling === null || withLineFeeds(spelling) !== text) return null;
    return spelling === text && !base?.source.includes('\r\n') ? null : spelling;
  }
}
