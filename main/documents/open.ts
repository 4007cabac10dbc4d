/**
 * From a path to a parsed notebook, or to the exact reason why not. The checks run in one fixed order and never write: exists, is a file,
 * readable, text, JSON, object, cells, version. Old formats come back as text of a new notebook, so the old file can't be overwritten.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { type DiskState, diskState, sameState } from './disk-state.ts';
import { NotebookOpenError, systemCode } from './errors.ts';
import { GrowingScan } from './growing-scan.ts';
import { JsonSyntaxError, placeOf } from './json-errors.ts';
import type { JsonNode, JsonScanner } from './json-spans.ts';
import { decodeJson } from './json-text.ts';
import { hasMixedLineEnds, MIXED_NOTICE } from './line-ends.ts';
import { MEMBER_DEPTH, type NotebookFile, notebookFromScan, notNotebook, parseNotebookAtOnce, scanNotebook } from './notebook-file.ts';
import { notebookFormat } from './notebook-format.ts';
import { isWritable, protectedNotice } from './save.ts';
import { decodeFile, textStart } from './text-decoding.ts';
import { convertOldNotebook, oldMajor } from './v3-convert.ts';

export interface OpenedNotebook {
  file: NotebookFile;
  minor: number;
  /** As given, made absolute. */
  path: string;
  realPath: string;
  /** What was on disk; null when `file` is a conversion and not the file's own text. */
  disk: DiskState | null;
  /** `utf-8`: the file's own bytes. `converted`: decoded from another encoding. `old-format`: converted from nbformat 3 or older. */
  origin: 'utf-8' | 'converted' | 'old-format';
  readOnly: boolean;
  notices: string[];
  /** Those of them that are over when the notebook was written. */
  untilSaved: string[];
}

/** Throws NotebookOpenError. */
export async function openNotebook(path: string): Promise<OpenedNotebook> {
  const absolute = resolve(path);
  const name = basename(absolute);
  const { bytes, disk, realPath, writable, early } = await readNotebookFile(absolute, name);
  const text = early ? { bytes, start: textStart(bytes), converted: null } : await decodeFile(bytes, name);
  const common = { path: absolute, realPath };
  const scanner = early ?? (await scan(text.bytes, text.start, name));
  const old = oldFormat(text.bytes, text.start, scanner.root, name);
  if (old) return { ...common, ...old, untilSaved: old.notices, disk: null, origin: 'old-format', readOnly: false };
  const file = notebookFromScan(text.bytes, scanner);
  const { minor, notices } = notebookFormat(file);
  if (file.hasBareTokens)
    notices.push(
      'The file has NaN or Infinity as bare words, which is not JSON. They are kept where they are; many programs refuse such a file.',
    );
  if (!text.converted && scanner.hasCarriageReturn && (await hasMixedLineEnds(text.bytes))) notices.push(MIXED_NOTICE);
  const whyReadOnly = text.converted ?? (writable ? null : protectedNotice(name));
  const untilSaved = whyReadOnly === null ? [] : [whyReadOnly];
  return {
    ...common,
    file,
    minor,
    disk,
    origin: text.converted ? 'converted' : 'utf-8',
    readOnly: whyReadOnly !== null,
    notices: [...untilSaved, ...notices],
    untilSaved,
  };
}

interface FileBytes {
  bytes: Buffer;
  /** Their structure when they are whole JSON in UTF-8, as far as that could be told while they were read. */
  early: JsonScanner | null;
}

interface FileOnDisk extends FileBytes {
  disk: DiskState;
  realPath: string;
  writable: boolean;
}

async function readNotebookFile(path: string, name: string): Promise<FileOnDisk> {
  let file: FileHandle;
  let realPath: string;
  try {
    realPath = await realpath(path);
    file = await openForReading(realPath, name);
  } catch (error) {
    throw openError(error, name, path);
  }
  try {
    const { mode, ...read } = await readStable(file, name);
    return { ...read, realPath, writable: await isWritable(realPath, { mode }) };
  } catch (error) {
    throw openError(error, name, path);
  } finally {
    await file.close();
  }
}

/** O_NONBLOCK lets a named pipe be opened, looked at and refused instead of waiting for a writer for ever. */
async function openForReading(path: string, name: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  if (stats.isDirectory()) throw folderError(name);
  throw new NotebookOpenError('not-file', `${name} is not a regular file.`, 'Choose a notebook file.');
}

/** Offsets are kept as 32-bit numbers. */
const MAX_FILE_BYTES = 2 ** 31 - 2 ** 16;
/** Read at once, while what came before is looked through. */
const READ_BYTES = 4_000_000;
/** A file that is being written is read again; after this many times it is taken as it is. */
const READ_TRIES = 3;

async function readStable(file: FileHandle, name: string): Promise<FileBytes & { disk: DiskState; mode: bigint }> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await file.stat({ bigint: true });
    if (before.size > MAX_FILE_BYTES) {
      throw new NotebookOpenError(
        'too-large',
        `${name} has ${(Number(before.size) / 1e9).toFixed(1)} GB; notebooks over 2 GB are not supported.`,
        'Clear its outputs with another program first.',
      );
    }
    const read = await readBytes(file, Number(before.size));
    const after = await file.stat({ bigint: true });
    const disk = diskState(after);
    if ((sameState(diskState(before), disk) && read.bytes.length === Number(after.size)) || attempt >= READ_TRIES)
      return { ...read, disk, mode: after.mode };
  }
}

async function readBytes(file: FileHandle, size: number): Promise<FileBytes> {
  const bytes = Buffer.allocUnsafeSlow(size);
  const readOn = (from: number): Promise<{ bytesRead: number }> => file.read(bytes, from, Math.min(READ_BYTES, size - from), from);
  let scan: GrowingScan | null = null;
  let next = size > 0 ? readOn(0) : null;
  let at = 0;
  while (next) {
    const { bytesRead } = await next;
    if (bytesRead === 0) break;
    at += bytesRead;
    next = at < size ? readOn(at) : null;
    scan ??= new GrowingScan(bytes, { start: textStart(bytes.subarray(0, at)), keepDepth: MEMBER_DEPTH });
    await scan.upTo(at);
  }
  return at === size ? { bytes, early: scan?.whole ?? null } : { bytes: bytes.subarray(0, at), early: null };
}

function folderError(name: string): NotebookOpenError {
  return new NotebookOpenError('is-folder', `${name} is a folder.`, 'Choose a notebook in it.');
}

function openError(error: unknown, name: string, path: string): NotebookOpenError {
  if (error instanceof NotebookOpenError) return error;
  const options = { detail: error instanceof Error ? error.message : String(error), cause: error };
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return new NotebookOpenError('not-found', `There is no file ${path}.`, 'Check the path.', options);
    case 'EACCES':
    case 'EPERM':
      return new NotebookOpenError(
        'not-readable',
        `${name} can't be read: permission denied.`,
        'Ask its owner for read permission.',
        options,
      );
    case 'EISDIR':
      return folderError(name);
    case 'ELOOP':
      return new NotebookOpenError('not-file', `${name} is a link that leads back to itself.`, 'Choose a notebook file.', options);
    case 'EMFILE':
    case 'ENFILE':
      return new NotebookOpenError(
        'not-readable',
        `${name} can't be read: too many files are open.`,
        'Close notebooks or end kernels that you don’t need, and try again.',
        options,
      );
    default:
      return new NotebookOpenError('not-readable', `${name} can't be read.`, 'Check the disk it is on and try again.', options);
  }
}

async function scan(bytes: Buffer, start: number, name: string): Promise<JsonScanner> {
  try {
    return await scanNotebook(bytes, start);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? jsonError(error, bytes, name) : error;
  }
}

function jsonError(error: JsonSyntaxError, bytes: Buffer, name: string): NotebookOpenError {
  const detail = `${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`;
  const marker = firstConflictMarker(bytes);
  if (marker !== null) {
    return new NotebookOpenError(
      'conflict-markers',
      `${name} holds git conflict markers, the first in line ${marker}, so it is not JSON.`,
      'Settle the merge (for instance with nbdime) and open it again. The file was not changed.',
      { detail, cause: error },
    );
  }
  if (isBlank(bytes))
    return new NotebookOpenError('bad-json', `${name} is empty.`, 'Restore it from a copy, or delete it and make a new notebook.', {
      detail,
      cause: error,
    });
  const cut = error.offset >= bytes.length ? ' It looks cut off.' : '';
  return new NotebookOpenError(
    'bad-json',
    `${name} is not JSON: line ${error.line}, column ${error.column}: ${error.reason}.${cut}`,
    'Repair it in a text editor or restore it from a copy. The file was not changed.',
    { detail, cause: error },
  );
}

/** Nothing but blanks, and perhaps a byte order mark. A larger file is not looked through. */
function isBlank(bytes: Buffer): boolean {
  return bytes.length < 10_000 && bytes.toString('utf8').trim() === '';
}

const CONFLICT_MARKERS = ['<<<<<<< ', '||||||| ', '=======', '>>>>>>> '];

/** Line (from 1) of the first line that starts as git marks a conflict, or null. In valid JSON no line can start so. */
function firstConflictMarker(bytes: Buffer): number | null {
  const places = CONFLICT_MARKERS.map((marker) => {
    if (bytes.toString('latin1', 0, marker.length) === marker) return 0;
    const lineFeed = bytes.indexOf(`\n${marker}`);
    return lineFeed === -1 ? Number.POSITIVE_INFINITY : lineFeed + 1;
  });
  const first = Math.min(...places);
  return Number.isFinite(first) ? placeOf(bytes, first).line : null;
}

/** The converted notebook when the file is of nbformat 3 or older, else null. Cells that are not where that has them would be lost. */
function oldFormat(bytes: Buffer, start: number, root: JsonNode, name: string): Pick<OpenedNotebook, 'file' | 'minor' | 'notices'> | null {
  if (root.kind !== 'object') return null;
  const find = (key: string): JsonNode | undefined => root.children!.findLast((member) => member.key === key);
  const version = find('nbformat');
  const value = version?.kind === 'number' ? Number(bytes.toString('latin1', version.start, version.end)) : null;
  const major = oldMajor(value, find('worksheets') !== undefined, find('cells') !== undefined);
  if (major === null) return null;
  const [list, other] = major === 1 ? ['cells', 'worksheets'] : ['worksheets', 'cells'];
  if (find(list) ? find(list)!.kind !== 'array' : find(other))
    throw notNotebook(`It says nbformat ${major}, which has an array "${list}".`);
  const { text, notices } = convertOldNotebook(decodeJson(bytes, start), major, name);
  const file = parseNotebookAtOnce(Buffer.from(text));
  return { file, minor: notebookFormat(file).minor, notices };
}
