/**
 * The journal's file on the disk: appended to and synced at the journal's pace, or replaced as a whole. A replacement is written beside it and
 * renamed, so that at every instant the old journal or the new one is there, whole.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeRecords, type JournalRecord } from './records.ts';

export const JOURNAL_FILE = 'changes.log';

/** For the owner alone: a journal holds what somebody typed. */
export const FILE_MODE = 0o600;

export class JournalFile {
  readonly #handle: FileHandle;
  #bytes: number;

  private constructor(handle: FileHandle, bytes: number) {
    this.#handle = handle;
    this.#bytes = bytes;
  }

  /** Bytes in the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A journal of these records in place of whatever journal the folder has. Rejects with the file system's error; the old one is there then. */
  static async replace(folder: string, records: readonly JournalRecord[]): Promise<JournalFile> {
    const file = join(folder, JOURNAL_FILE);
    const temporary = `${file}.new`;
    const handle = await open(temporary, 'w', FILE_MODE);
    try {
      const journal = new JournalFile(handle, 0);
      await journal.append(records);
      await rename(temporary, file);
      await syncFolder(folder);
      return journal;
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when the records are on the disk. After a failure the file's end may be torn, and the journal has to be replaced. */
  async append(records: readonly JournalRecord[]): Promise<void> {
    for await (const piece of encodeRecords(records)) {
      await writeAll(this.#handle, piece);
      this.#bytes += piece.length;
    }
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}

/** The system may take less than it is given. */
export async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Makes a rename in the folder last. Some systems can't sync a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (!handle) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}
