/**
 * The metadata of a live notebook: what the file has, with the few entries that Cellwright changed laid over it until they are saved.
 * `language_info` alone makes nothing unsaved: a kernel tells it, and nobody asked for it.
 */
import { sameJson } from './json-text.ts';
import type { NotebookFile } from './notebook-file.ts';
import { allMetadata, kernelspecChange, languageInfoChange, type MetadataChanges, metadataEntry } from './notebook-metadata.ts';

export class DocumentMetadata {
  readonly #file: () => NotebookFile;
  readonly #onChange: () => void;
  readonly #changes = new Map<string, unknown>();
  #widgets: { file: NotebookFile; value: unknown } | null = null;

  constructor(file: () => NotebookFile, onChange: () => void) {
    this.#file = file;
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

  /** Decoded once for each version of the file: it may hold megabytes. */
  storedWidgets(): unknown {
    const file = this.#file();
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

  /** These were saved; what was changed since stays. */
  saved(entries: MetadataChanges): void {
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
