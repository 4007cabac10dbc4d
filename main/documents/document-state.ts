/**
 * What a document says of itself as a whole: its name, whether it is unsaved or trusted, and what a person should know of it. Asked for with every
 * keystroke and every chunk of output, so others hear of it only when one of the answers is another than before.
 */
import { basename } from 'node:path';
import type { DocumentCells } from './document-cells.ts';
import type { DocumentMetadata } from './document-metadata.ts';
import type { DocumentParts } from './document-parts.ts';
import type { FilePlace } from './document-saving.ts';
import type { OutsideChanges } from './outside/outside-changes.ts';

export interface DocumentStateOptions {
  parts: Pick<DocumentParts, 'title' | 'notices' | 'untilSaved' | 'isCopy'>;
  place: FilePlace;
  cells: DocumentCells;
  metadata: DocumentMetadata;
  outside: Pick<OutsideChanges, 'trouble' | 'conflictCount'>;
  onChange: () => void;
}

const NONE: ReadonlySet<string> = new Set();

export class DocumentState {
  readonly notices: string[];
  readonly #options: DocumentStateOptions;
  readonly #untilSaved: Set<string>;
  #trusted = false;
  #wasDirty = false;
  #hadConflicts = 0;
  #wasTrusted: boolean;

  constructor(options: DocumentStateOptions) {
    this.#options = options;
    this.notices = options.parts.notices;
    this.#untilSaved = new Set(options.parts.untilSaved);
    this.#wasTrusted = this.trusted;
  }

  get title(): string {
    const { place, parts } = this.#options;
    return place.path === null ? parts.title : basename(place.path);
  }

  get dirty(): boolean {
    return this.isUnsaved(NONE);
  }

  /** Something is unsaved beside these cells. */
  isUnsaved(except: ReadonlySet<string>): boolean {
    const { outside, parts, place, cells, metadata } = this.#options;
    const isLoose = outside.trouble?.kind === 'gone' || (parts.isCopy === true && place.path === null);
    return isLoose || cells.changedBeside(except) || metadata.isUnsaved;
  }

  /** The person said so, or every output was made in this session. */
  get trusted(): boolean {
    return this.#trusted || !this.#options.cells.outputs.hasForeignOutputs;
  }

  trust(trusted: boolean): void {
    this.#trusted = trusted;
    this.mayHaveChanged();
  }

  /** Told with the next change of state. */
  note(notice: string): void {
    if (!this.notices.includes(notice)) this.notices.push(notice);
  }

  addNotice(notice: string): void {
    if (this.notices.includes(notice)) return;
    this.notices.push(notice);
    this.#options.onChange();
  }

  /** What is told of the file that the notebook had before is over. Told with the next change of state. */
  written(): void {
    for (const notice of this.#untilSaved) {
      const told = this.notices.indexOf(notice);
      if (told !== -1) this.notices.splice(told, 1);
    }
    this.#untilSaved.clear();
  }

  /** The notice holds from now on until the notebook is written, or does not. Others hear of it in any case. */
  setNotice(notice: string, holds: boolean): void {
    const told = this.notices.indexOf(notice);
    if (holds) this.#untilSaved.add(notice);
    if (holds && told === -1) this.notices.unshift(notice);
    else if (!holds && told !== -1) this.notices.splice(told, 1);
    this.#options.onChange();
  }

  dropNotice(notice: string): void {
    const told = this.notices.indexOf(notice);
    if (told === -1) return;
    this.notices.splice(told, 1);
    this.#options.onChange();
  }

  /** A save began or ended, or what is known of the file is something else. */
  hasChanged(): void {
    this.#wasDirty = this.dirty;
    this.#hadConflicts = this.#options.outside.conflictCount;
    this.#options.onChange();
  }

  mayHaveChanged(): void {
    const { dirty, trusted } = this;
    // A choice that is undone opens a conflict again.
    const { conflictCount } = this.#options.outside;
    if (dirty === this.#wasDirty && trusted === this.#wasTrusted && conflictCount === this.#hadConflicts) return;
    this.#wasDirty = dirty;
    this.#wasTrusted = trusted;
    this.#hadConflicts = conflictCount;
    this.#options.onChange();
  }
}
