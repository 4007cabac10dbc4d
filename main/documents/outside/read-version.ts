/**
 * The version of a notebook that another program left on disk. A program that writes in place may be in the middle of it, so a file that
 * can't be read is looked at again before it is believed to be broken.
 */
import type { CellFields } from '../../../preload/notebook-model.ts';
import { FIRST_MINOR_WITH_IDS } from '../cell-ids.ts';
import { type CellRecord, recordOf } from '../cell-record.ts';
import { type DiskState, readDiskState, sameState } from '../disk-state.ts';
import { NotebookOpenError } from '../errors.ts';
import type { NotebookFile } from '../notebook-file.ts';
import { openNotebook } from '../open.ts';
import { nextTurn, pacer } from '../pacing.ts';

export interface DiskCell {
  record: CellRecord;
  fields: CellFields;
}

export interface DiskVersion {
  file: NotebookFile;
  disk: DiskState;
  realPath: string;
  readOnly: boolean;
  hasIds: boolean;
  cells: DiskCell[];
}

/** Milliseconds between two looks at a file that can't be read. */
const AGAIN_MS = 150;
/** Looks in all, as long as the file does not change between them; one that goes on changing is being written. */
const LOOKS = 4;

/** Throws NotebookOpenError when the file is gone or can't be read as a notebook that could be merged. */
export async function readVersion(path: string): Promise<DiskVersion> {
  let before: DiskState | null = null;
  for (let looks = 1; ; looks += 1) {
    try {
      return await readOnce(path);
    } catch (error) {
      if (!(error instanceof NotebookOpenError) || !['bad-json', 'not-notebook'].includes(error.code)) throw error;
      const now = await readDiskState(path);
      if (now && before && !sameState(now, before)) looks = 1;
      if (!now || looks >= LOOKS) throw error;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

async function readOnce(path: string): Promise<DiskVersion> {
  const opened = await openNotebook(path);
  const { file, disk, realPath, readOnly } = opened;
  if (!disk || opened.origin !== 'utf-8') {
    throw new NotebookOpenError('other-format', opened.notices[0] ?? 'The file has another format now.', 'Open it beside this one.');
  }
  const cells: DiskCell[] = [];
  await nextTurn();
  const breathe = pacer();
  for (const [place, raw] of file.cells.entries()) {
    const cell = recordOf(raw, place);
    if (!cell) throw new NotebookOpenError('not-notebook', `The source of cells[${place}] is no text.`, 'Repair it in a text editor.');
    cells.push(cell);
    const turn = breathe();
    if (turn) await turn;
  }
  await nextTurn();
  return { file, disk, realPath, readOnly, hasIds: opened.minor >= FIRST_MINOR_WITH_IDS, cells };
}
