/**
 * What a live document is made of: the loaded cells, the file they come from, and what it needs to ask of the store.
 */
import type { DiskState } from './disk-state.ts';
import type { LoadedCells } from './load-document.ts';
import type { NotebookFile } from './notebook-file.ts';
import type { OpenedNotebook } from './open.ts';

export interface DocumentParts extends LoadedCells {
  id: string;
  file: NotebookFile;
  hasIds: boolean;
  /** As the person opened it, which is also the kernel's folder; null: never saved. */
  path: string | null;
  realPath: string | null;
  /** Folder of an untitled notebook. */
  folder: string | null;
  disk: DiskState | null;
  origin: OpenedNotebook['origin'];
  /** Real path of the file that the notebook was converted from; never written. */
  convertedFrom: string | null;
  readOnly: boolean;
  /** Those of the notices that are over when the notebook was written. */
  untilSaved: readonly string[];
  /** The contents are a copy that nothing else has: unsaved until they have a file. */
  isCopy?: boolean;
  title: string;
  onError: (error: unknown) => void;
  /** Asked before a save to another path; true when another document has that file. */
  isOpenElsewhere: (path: string) => Promise<boolean>;
}
