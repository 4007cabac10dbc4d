/**
 * The log on disk: JSON lines in one file that is rotated by size. Writing never blocks and never throws: lines queue up and one append
 * at a time takes them all, and when the disk refuses, lines are counted and dropped instead of filling the memory.
 */
import { appendFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Log, type LogFields, type LogLevel, logLine } from './log.ts';

/** A file larger than this is put aside; together with `KEPT_FILES` it bounds what the log takes on disk. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

const KEPT_FILES = 4;

/** Lines beyond this wait for a disk that does not answer: dropping them keeps the process small. */
const MAX_QUEUED_LINES = 10_000;

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export const LOG_FILE_NAME = 'cellwright.log';

export interface LogFileOptions {
  folder: string;
  /** Lines below this level are not written. */
  level?: LogLevel;
  maxFileBytes?: number;
  keptFiles?: number;
}

export class LogFile implements Log {
  readonly file: string;
  readonly #options: Required<LogFileOptions>;
  #queue: string[] = [];
  #dropped = 0;
  #size: number | null = null;
  #writing: Promise<void> | null = null;

  constructor(options: LogFileOptions) {
    const { folder, level = 'info', maxFileBytes = MAX_FILE_BYTES, keptFiles = KEPT_FILES } = options;
    this.#options = { folder, level, maxFileBytes, keptFiles };
    this.file = path.join(folder, LOG_FILE_NAME);
  }

  debug(event: string, fields?: LogFields): void {
    this.#add('debug', event, fields);
  }

  info(event: string, fields?: LogFields): void {
    this.#add('info', event, fields);
  }

  warn(event: string, fields?: LogFields): void {
    this.#add('warn', event, fields);
  }

  error(event: string, fields?: LogFields): void {
    this.#add('error', event, fields);
  }

  /** Resolves when every line so far is on disk or given up. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  #add(level: LogLevel, event: string, fields: LogFields | undefined): void {
    if (ORDER.indexOf(level) < ORDER.indexOf(this.#options.level)) return;
    if (this.#queue.length >= MAX_QUEUED_LINES) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(logLine(new Date(), level, event, fields));
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const lines = this.#queue;
      this.#queue = [];
      if (this.#dropped > 0) {
        lines.push(logLine(new Date(), 'warn', 'log.dropped', { lines: this.#dropped }));
        this.#dropped = 0;
      }
      const text = `${lines.join('\n')}\n`;
      try {
        await this.#append(text);
      } catch {
        this.#dropped += lines.length;
        this.#size = null;
      }
    }
  }

  async #append(text: string): Promise<void> {
    if (this.#size === null) {
      await mkdir(this.#options.folder, { recursive: true });
      this.#size = await stat(this.file).then(
        (found) => found.size,
        () => 0,
      );
    }
    const bytes = Buffer.byteLength(text);
    if (this.#size > 0 && this.#size + bytes > this.#options.maxFileBytes) {
      await this.#rotate();
      this.#size = 0;
    }
    await appendFile(this.file, text, { mode: 0o600 });
    this.#size += bytes;
  }

  /** `cellwright.log` → `.1` → `.2` …; the oldest goes. */
  async #rotate(): Promise<void> {
    const { keptFiles } = this.#options;
    await rm(`${this.file}.${keptFiles}`, { force: true });
    for (let number = keptFiles - 1; number >= 0; number -= 1) {
      const from = number === 0 ? this.file : `${this.file}.${number}`;
      await rename(from, `${this.file}.${number + 1}`).catch(ignoreMissing);
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
