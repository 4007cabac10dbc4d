/**
 * Work that a crash left in a journal, and how it stands to the notebook's file now. A file that is not the one the journal starts from always
 * wins: the work then becomes a second document beside it. Times may lie after a copy or a checkout, so contents decide where they differ.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemCode } from '../errors.ts';
import { JOURNAL_FILE } from './journal-file.ts';
import { decodeRecords, type FileTimes, fileTimes } from './records.ts';
import { changedCells, isNothing, isSame, type Journal, readJournal, type UnsavedWork, unsavedWork } from './unsaved-work.ts';

/** `same`: the file is as it was; `changed` and `gone`: it is not; `untitled`: there was none. */
export type LeftState = 'same' | 'changed' | 'gone' | 'untitled';

export interface LeftWork {
  id: string;
  folder: string;
  state: LeftState;
  /** The notebook's file; null when it was never saved. */
  path: string | null;
  title: string;
  /** Where a notebook without a file belongs. */
  place: string | null;
  convertedFrom: string | null;
  /** Against the contents that the file has now, when they are known. */
  work: UnsavedWork;
  /** Against the contents in `copy`. */
  wholeWork: UnsavedWork;
  cells: number;
  /** Milliseconds since the epoch of the last change. */
  changedAt: number;
  /** What tells the contents that `work` starts from: either is enough. */
  contents: { times: FileTimes | null; digest: string | null };
  /** The copy of these contents, where there is one, and whether outputs are left out of it. */
  copy: { file: string; light: boolean } | null;
}

/** Reads the journal in a folder. `nothing`: all of it was saved. */
export async function readLeft(folder: string): Promise<LeftWork | 'nothing' | 'unreadable'> {
  const file = join(folder, JOURNAL_FILE);
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'nothing';
    throw error;
  }
  const journal = readJournal(await decodeRecords(bytes));
  if (!journal) return 'unreadable';
  const changedAt = (await stat(file)).mtimeMs;
  const found = await compare(journal);
  // Where the contents themselves are in no other file, they are work enough.
  if (isNothing(found.work) && (found.state === 'same' || found.state === 'changed')) return 'nothing';
  const { head, base } = journal;
  return {
    id: basename(folder),
    folder,
    title: found.path === null ? head.title : basename(found.path),
    place: head.folder,
    convertedFrom: head.convertedFrom,
    cells: changedCells(found.work),
    changedAt,
    wholeWork: unsavedWork(journal, null),
    copy: base && { file: join(folder, base.file), light: base.light },
    ...found,
  };
}

/** Which contents the file has: those of a save that went through, those that the journal starts from, or others. */
async function compare(journal: Journal): Promise<Pick<LeftWork, 'state' | 'path' | 'work' | 'contents'>> {
  const { head, base, saves } = journal;
  for (const save of saves) {
    if (!isSame(save, await timesOf(save.realPath))) continue;
    return { state: 'same', path: save.path, work: unsavedWork(journal, save), contents: { times: save, digest: null } };
  }
  const work = unsavedWork(journal, null);
  const contents = { times: head.disk, digest: base?.digest ?? null };
  const { path, realPath } = head;
  if (path === null) return { state: 'untitled', path: null, work, contents };
  const times = await timesOf(realPath ?? path);
  if (times === null) return { state: 'gone', path, work, contents };
  const isAsBefore = isSame(head.disk, times) || (base !== null && (await digestOf(realPath ?? path)) === base.digest);
  return { state: isAsBefore ? 'same' : 'changed', path, work, contents };
}

async function timesOf(path: string): Promise<FileTimes | null> {
  return stat(path, { bigint: true }).then(fileTimes, () => null);
}

async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return null;
  }
}
