/**
 * What windows and main say to each other about a notebook's file that other programs changed, and about files that are damaged. A part of
 * the contract, in a file of its own because the two views that use it are the only ones to know it.
 */
import * as z from 'zod';
import type { CellType } from './notebook-model.ts';

/** Why a notebook and its file can't be brought together now: the file is gone, it can't be read, or it has every cell twice and somebody has to choose. */
export interface FileTrouble {
  kind: 'gone' | 'unreadable' | 'doubled';
  message: string;
}

/** What another program's version of the file lacks and is kept here until somebody decides: in how many cells, and of the notebook itself. */
export interface KeptFromFile {
  outputs: number;
  /** Cell metadata. */
  settings: number;
  attachments: number;
  /** The notebook's own metadata. */
  notebook: boolean;
}

export interface CellText {
  type: CellType;
  source: string;
}

/**
 * A cell that was changed here and in the file. `deleted-there`: it was deleted in the file; `deleted-here`: it was deleted here and has come
 * back, since it was changed in the file.
 */
export interface CellConflict {
  key: string;
  kind: 'both' | 'deleted-there' | 'deleted-here';
  /** What both sides had before. */
  base: CellText | null;
  /** The file's version; null when it was deleted there. What is here is in the shared document. */
  theirs: CellText | null;
}

/** A cell of a damaged file, on one side of git's markers or, without such, of the file itself. */
export interface RecoveredText extends CellText {
  outputs: number;
  /** What had to be mended. */
  note: string | null;
}

export interface RecoveredCellView {
  key: string;
  ours: RecoveredText | null;
  theirs: RecoveredText | null;
  /** Two versions: one has to be chosen. */
  open: boolean;
  choice: 'ours' | 'theirs';
}

export interface DamagedFileView {
  path: string;
  name: string;
  message: string;
  line: number | null;
  column: number | null;
  /** Byte of the file, from 0. */
  offset: number | null;
  /** The file's text around the fault; `firstLine` is the number of its first line. */
  excerpt: { text: string; firstLine: number; whole: boolean };
  /** Null: nothing like a notebook was found in the file. */
  cells: RecoveredCellView[] | null;
  notes: string[];
  /** Git's names of the two sides, or null. */
  sides: { ours: string; theirs: string } | null;
  suggestedPath: string;
  version: string;
}

export type RepairChoice = 'ours' | 'theirs' | 'both' | { source: string };

export interface OutsideCalls {
  /** Looks at the files of all notebooks: some disks don't tell of changes. */
  'outside.check': { args: undefined; result: null };
  /** Takes back what came in from the disk last. */
  'outside.undo': { args: { docId: string }; result: { undone: boolean } };
  /** What the file lacks stays here, or goes as it went there. */
  'outside.settleKept': { args: { docId: string; choice: 'keep' | 'file' }; result: null };
  /** A file with every cell twice is right, or what is here is, unsaved until the next save. */
  'outside.settleDoubled': { args: { docId: string; choice: 'file' | 'mine' }; result: null };
  'conflict.list': { args: { docId: string }; result: CellConflict[] };
  /**
   * A version was chosen. `before` is what stood here when the choice replaced it, `copy` the cell that holds the file's version when both were
   * kept: undoing the choice opens the conflict again.
   */
  'conflict.settle': { args: { docId: string; key: string; before: CellText | null; copy: string | null }; result: { left: number } };
  /** Null when the file opens as it is. */
  'repair.look': { args: { path: string }; result: DamagedFileView | null };
  /** Writes the repaired notebook. Without a target the system's dialog asks for one; null when the person cancels. */
  'repair.write': {
    args: { path: string; version: string; choices: [key: string, choice: RepairChoice][]; target: string | null };
    result: { path: string } | null;
  };
}

const docId = z.string().min(1).max(64);
const key = z.string().min(1).max(64);
const path = z.string().min(1).max(4096);
const source = z.string().max(10_000_000);
const choice = z.union([z.enum(['ours', 'theirs', 'both']), z.object({ source })]);

export const outsideCallSchemas: { [N in keyof OutsideCalls]: z.ZodType<OutsideCalls[N]['args']> } = {
  'outside.check': z.undefined(),
  'outside.undo': z.object({ docId }),
  'outside.settleKept': z.object({ docId, choice: z.enum(['keep', 'file']) }),
  'outside.settleDoubled': z.object({ docId, choice: z.enum(['file', 'mine']) }),
  'conflict.list': z.object({ docId }),
  'conflict.settle': z.object({
    docId,
    key,
    before: z.object({ type: z.enum(['code', 'markdown', 'raw']), source }).nullable(),
    copy: key.nullable(),
  }),
  'repair.look': z.object({ path }),
  'repair.write': z.object({
    path,
    version: z.string().max(100),
    choices: z.array(z.tuple([key, choice])).max(100_000),
    target: path.nullable(),
  }),
};

export interface OutsideEvents {
  /** Something came in from the disk. */
  'doc.outside': { docId: string; message: string; canUndo: boolean };
}
