/**
 * The metadata of a live notebook: what the file has, with the few entries that Cellwright changed laid over it until they are saved.
 * `language_info` alone makes nothing unsaved: a kernel tells it, and nobody asked for it.
 */
import { sameJson } from './json-text.ts';
import type { NotebookFile } from './notebook-file.ts';
import { allMetadata, kernelspecChange, languageInfoChange, type MetadataChanges, metadataEntry } from './notebook-metadata.ts';

export class DocumentMetadata {
  readonly #file: () => NotebookFile;
  readonly #opened: NotebookFile;
  readonly #onChange: () => void;
  readonly #changes = new Map<string, unknown>();
  #widgets: { file: NotebookFile; value: unknown } | null = null;
  /** Where the widgets come from that are shown. */
  #widgetsFile: NotebookFile | null = null;
  /** What a save writes as `widgets`; null leaves what the file has. */
  widgetsToSave: () => Record<string, unknown> | null = () => null;

  constructor(file: () => NotebookFile, onChange: () => void) {
    this.#file = file;
    this.#opened = file();
    this.#onChange = onChange;
  }

  /** Entries that differ from the file's. */
  get changes(): MetadataChanges {
    return this.#changes;
  }

  get isUnsaved(): boolean {
    return this.#changes.has('kernelspec');
  }

  all(): Record<string, unknown> {
    return allMetadata(this.#file(), this.#changes);
  }

  /**
   * The file whose stored widgets count: as it was opened, or as it was saved with widgets of this session. What another program writes there
   * meanwhile was never trusted, and may hold scripts.
   */
  get widgetsFile(): NotebookFile {
    return this.#widgetsFile ?? this.#opened;
  }

  /** Decoded once: they may be megabytes. */
  storedWidgets(): unknown {
    const file = this.widgetsFile;
    if (this.#widgets?.file !== file) this.#widgets = { file, value: metadataEntry(file, 'widgets') };
    return this.#widgets.value;
  }

  setKernelspec(spec: { name: string; display_name: string; language: string }): void {
    this.#set('kernelspec', kernelspecChange(metadataEntry(this.#file(), 'kernelspec'), spec));
  }

  setLanguageInfo(info: Record<string, unknown>): void {
    this.#set('language_info', languageInfoChange(metadataEntry(this.#file(), 'language_info'), info));
  }

  restore(entries: Iterable<readonly [string, unknown]>): void {
    for (const [key, value] of entries) this.#changes.set(key, value);
    this.#onChange();
  }

  /** Gives up changes of these entries. */
  forget(keys: Iterable<string>): void {
    for (const key of keys) this.#changes.delete(key);
    this.#onChange();
  }

  /** What a save that begins now writes. */
  toSave(): MetadataChanges {
    const widgets = this.widgetsToSave();
    return new Map([...this.#changes, ...(widgets ? [['widgets', widgets] as const] : [])]);
  }

  /** These were saved; what was changed since stays. */
  saved(entries: MetadataChanges): void {
    if (entries.has('widgets')) this.#widgetsFile = this.#file();
    for (const [key, value] of entries) if (this.#changes.get(key) === value) this.#changes.delete(key);
  }

  /** The file is another one: what it has already is no change any more. */
  compare(): void {
    for (const [key, value] of this.#changes) if (sameJson(metadataEntry(this.#file(), key), value)) this.#changes.delete(key);
  }

  #set(key: string, value: Record<string, unknown> | null): void {
    if (value) this.#changes.set(key, value);
    else this.#changes.delete(key);
    this.#onChange();
  }
}
