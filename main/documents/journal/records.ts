/**
 * The records of a journal and how they lie in its file: one line each, a checksum and JSON. The hard thing is the end of the file after a crash:
 * the last lines may be torn, missing or zeros, and records that were written together are one moment of the notebook. So reading stops at the
 * first line that does not carry its own checksum, and goes back to the end of the last group that is whole.
 */
import { crc32 } from 'node:zlib';
import type { CellType } from '../../../preload/notebook-model.ts';
import type { RawOutputChange } from '../../execution/run-protocol.ts';
import type { Conflict } from '../outside/merge-plan.ts';
import { pacer } from '../pacing.ts';

/** Another version is not read: it is kept and left to the program that knows it. */
export const JOURNAL_VERSION = 2;

/** Size and time of a file as decimal texts: JSON has no numbers that large. */
export interface FileTimes {
  size: string;
  mtimeNs: string;
}

export function fileTimes({ size, mtimeNs }: { size: bigint; mtimeNs: bigint }): FileTimes {
  return { size: String(size), mtimeNs: String(mtimeNs) };
}

/** The first record: which document, and which contents of which file it starts from. */
export interface HeadRecord {
  t: 'head';
  version: number;
  path: string | null;
  realPath: string | null;
  title: string;
  folder: string | null;
  convertedFrom: string | null;
  disk: FileTimes | null;
  /** Cell keys in the order of the file. */
  keys: readonly string[];
}

/** The starting contents once more, beside the journal, and their SHA-256. */
export interface BaseRecord {
  t: 'base';
  file: string;
  digest: string;
  /** Outputs were left out of the copy because they are large. */
  light: boolean;
}

/** What changed in one cell. Fields that are missing stay as they were. */
export interface CellRecord {
  t: 'cell';
  key: string;
  type?: CellType;
  id?: string | null;
  metadata?: Record<string, unknown>;
  /** The whole source, or a splice of the one that a record before gave: at, removed UTF-16 units, inserted text. */
  source?: string | readonly [at: number, remove: number, insert: string];
  /** Goes with `source`: the same text with line ends of its own. Missing: those that the file would get anyway. */
  spelling?: string;
  /** JSON text of attachments that the file has lost. */
  attachments?: string;
  run?: { count: number | null; producedFrom: string | null; foreign: boolean };
  outputs?: readonly RawOutputChange[];
}

/** The cells that there are, in document order. */
export interface OrderRecord {
  t: 'order';
  keys: readonly string[];
}

/** Changed entries of the notebook's metadata. */
export interface MetadataRecord {
  t: 'metadata';
  entries: readonly (readonly [string, unknown])[];
}

/** Cells that were changed here and in the file, and wait for a choice: without them a save would put this side's over the file's. */
export interface ConflictsRecord {
  t: 'conflicts';
  conflicts: readonly Conflict[];
}

/** Save number `save` took its copy here: records after this one are not in what it writes. */
export interface MarkRecord {
  t: 'mark';
  save: number;
}

/** Save number `save` is about to put a file of this size and time in its place. */
export interface SavedRecord extends FileTimes {
  t: 'saved';
  save: number;
  path: string;
  realPath: string;
  keys: readonly string[];
}

/** The last line of records that were written together. Only the file has it. */
interface EndRecord {
  t: 'end';
}

export type JournalRecord =
  | HeadRecord
  | BaseRecord
  | CellRecord
  | OrderRecord
  | MetadataRecord
  | ConflictsRecord
  | MarkRecord
  | SavedRecord;

/** Largest piece that is handed to the disk at once. */
const PIECE_BYTES = 1_000_000;

/** The lines of records that belong together, in pieces and without blocking: outputs may be many megabytes. Read back are all of them or none. */
export async function* encodeRecords(records: readonly JournalRecord[]): AsyncGenerator<Buffer> {
  const breathe = pacer();
  let lines: Buffer[] = [];
  let bytes = 0;
  for (const record of records) {
    if (bytes > PIECE_BYTES) {
      yield Buffer.concat(lines);
      lines = [];
      bytes = 0;
    }
    const line = encodeLine(record);
    lines.push(...line);
    bytes += line[1].length;
    await breathe();
  }
  yield Buffer.concat([...lines, ...encodeLine({ t: 'end' })]);
}

/** The records of all groups that are whole before the first damaged line. */
export async function decodeRecords(bytes: Buffer): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  const breathe = pacer();
  let whole = 0;
  for (let start = 0; ; ) {
    const end = bytes.indexOf(0x0a, start);
    const record = end === -1 ? null : decodeLine(bytes.subarray(start, end));
    if (!record) return records.slice(0, whole);
    if (record.t === 'end') whole = records.length;
    else records.push(record);
    start = end + 1;
    await breathe();
  }
}

/** Hexadecimal digits before the space. */
const CHECKSUM_LENGTH = 8;

function checksum(json: Buffer): string {
  return crc32(json).toString(16).padStart(CHECKSUM_LENGTH, '0');
}

function encodeLine(record: JournalRecord | EndRecord): [checksum: Buffer, json: Buffer, end: Buffer] {
  const json = Buffer.from(JSON.stringify(record));
  return [Buffer.from(`${checksum(json)} `), json, Buffer.from('\n')];
}

function decodeLine(line: Buffer): JournalRecord | EndRecord | null {
  const json = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.toString('latin1', 0, CHECKSUM_LENGTH + 1) !== `${checksum(json)} `) return null;
  try {
    return JSON.parse(json.toString('utf8')) as JournalRecord | EndRecord;
  } catch {
    return null;
  }
}
