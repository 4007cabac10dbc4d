/**
 * The repair of a file on disk: what is wrong with it and where, its text around that place, what can be had back; and the writing of that
 * into a new file. The damaged file itself is only ever replaced when that was asked for, and not when it has changed since it was looked at.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { readDiskState } from '../disk-state.ts';
import { NotebookOpenError, NotebookSaveError } from '../errors.ts';
import { JsonSyntaxError } from '../json-errors.ts';
import { openNotebook } from '../open.ts';
import { saveAtomically } from '../save.ts';
import { decodeFile } from '../text-decoding.ts';
import { conflictSides } from './conflict-sides.ts';
import { type Choice, openChoices, type Recovered, recover, repairedText } from './recover.ts';

export interface DamagedFile {
  path: string;
  name: string;
  code: string;
  message: string;
  /** Place of the fault, from 1; null where the whole file is meant. */
  line: number | null;
  column: number | null;
  /** The fault's byte in the file, from 0; null also where the file is not UTF-8. */
  offset: number | null;
  /** A part of the text around the fault, and the number of its first line. */
  excerpt: { text: string; firstLine: number; whole: boolean };
  /** Null: nothing like a notebook was found. */
  recovered: Recovered | null;
  /** A name beside the file that is free. */
  suggestedPath: string;
  /** Names exactly these bytes. */
  version: string;
}

/** What the repair view is for; other failures to open have nothing to do with the file's content. */
export const REPAIRABLE_CODES: readonly string[] = ['bad-json', 'conflict-markers', 'not-notebook'];

/** Larger files would hold up main while they are read leniently. */
const MAX_BYTES = 64_000_000;
/** Characters shown before and after the fault. */
const EXCERPT = 150_000;

/** Null when the file opens as it is. Throws NotebookOpenError for what can't be repaired here. */
export async function lookAtDamage(path: string): Promise<DamagedFile | null> {
  const error = await openNotebook(path).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) return null;
  if (!(error instanceof NotebookOpenError) || !REPAIRABLE_CODES.includes(error.code)) throw error;
  const name = basename(path);
  if ((await stat(path)).size > MAX_BYTES) throw error;
  const bytes = await readFile(path);
  const { text, isOwn } = await textOf(bytes, name);
  const place = placeOfFault(error, text);
  return {
    path,
    name,
    code: error.code,
    message: error.message,
    ...place,
    offset: isOwn ? place.offset : null,
    excerpt: excerptAround(text, place.line),
    recovered: recover(text, name),
    suggestedPath: await freePath(path),
    version: versionOf(bytes),
  };
}

/** Binary files are shown with a sign for each byte that is no text. */
async function textOf(bytes: Buffer, name: string): Promise<{ text: string; isOwn: boolean }> {
  const decoded = await decodeFile(bytes, name).catch(() => ({ bytes, start: 0 }));
  return { text: decoded.bytes.toString('utf8', decoded.start), isOwn: decoded.bytes === bytes };
}

function placeOfFault(error: NotebookOpenError, text: string): Pick<DamagedFile, 'line' | 'column' | 'offset'> {
  if (error.code === 'conflict-markers') return { line: conflictSides(text)?.firstLine ?? null, column: 1, offset: null };
  const { cause } = error;
  if (!(cause instanceof JsonSyntaxError)) return { line: null, column: null, offset: null };
  const { line, column, offset } = cause;
  return { line, column, offset };
}

function excerptAround(text: string, line: number | null): DamagedFile['excerpt'] {
  if (text.length <= 2 * EXCERPT) return { text, firstLine: 1, whole: true };
  let at = 0;
  for (let left = (line ?? 1) - 1; left > 0 && at !== -1; left -= 1) at = text.indexOf('\n', at) + 1;
  const wanted = Math.max(0, at - EXCERPT);
  const start = wanted === 0 ? 0 : text.indexOf('\n', wanted) + 1;
  const firstLine = text.slice(0, start).split('\n').length;
  return { text: text.slice(start, at + EXCERPT), firstLine, whole: false };
}

async function freePath(path: string): Promise<string> {
  const { dir, name } = parse(path);
  for (let number = 1; ; number += 1) {
    const candidate = join(dir, `${name} (repaired${number === 1 ? '' : ` ${number}`}).ipynb`);
    if (!(await readDiskState(candidate).catch(() => null))) return candidate;
  }
}

export interface RepairOrder {
  path: string;
  /** As the person saw it. */
  version: string;
  choices: ReadonlyMap<string, Choice>;
  /** A new file, or the damaged one itself to replace it. */
  target: string;
}

/** Throws NotebookSaveError; nothing is written then. */
export async function writeRepaired({ path, version, choices, target }: RepairOrder): Promise<void> {
  const name = basename(path);
  const state = await readDiskState(path);
  const bytes = await readFile(path);
  if (!state || versionOf(bytes) !== version)
    throw new NotebookSaveError('conflict', `${name} has changed since it was looked at, so nothing was written.`, 'Look at it again.');
  const recovered = recover((await textOf(bytes, name)).text, name);
  if (!recovered) throw new NotebookSaveError('write-failed', `${name} has nothing that could be repaired.`, 'Restore it from a copy.');
  if (openChoices(recovered, choices) > 0)
    throw new NotebookSaveError('conflict', 'Some cells still have two versions, so nothing was written.', 'Choose one of each.');
  if (target !== path && (await readDiskState(target)))
    throw new NotebookSaveError('bad-name', `There is a file ${basename(target)} already, so nothing was written.`, 'Choose another name.');
  await saveAtomically(target, [Buffer.from(repairedText(recovered, choices))], {
    expected: target === path ? { state, pieces: [bytes] } : null,
  });
}

function versionOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
