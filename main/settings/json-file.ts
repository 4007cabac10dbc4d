/**
 * One small JSON file of the app's own, checked by a schema when read and replaced whole when written. A file that can't be understood is
 * moved aside and never overwritten: it may hold an hour of somebody's settings behind one missing comma. Writes run one after another and
 * each goes through a temporary file, so that a crash leaves the old file or the new one.
 */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type * as z from 'zod';

export interface ReadOutcome<T> {
  value: T;
  /** A sentence for the person when the file could not be used, else null. */
  notice: string | null;
}

/** The end of a temporary file's name, with the process that writes it. */
const TEMPORARY = /\.(\d+)\.tmp$/;

export class JsonFile<T> {
  readonly file: string;
  readonly #schema: z.ZodType<T>;
  #last: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(file: string, schema: z.ZodType<T>) {
    this.file = file;
    this.#schema = schema;
  }

  /** The content, or `fallback` when there is no file or it can't be used. Never throws. */
  async read(fallback: T): Promise<ReadOutcome<T>> {
    await this.#removeLeftovers();
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const notice = code === 'ENOENT' ? null : `${this.file} could not be read (${code ?? error}), so the defaults are used.`;
      return { value: fallback, notice };
    }
    const problem = this.#parse(text);
    if (problem.ok) return { value: problem.value, notice: null };
    const aside = await this.#setAside();
    const kept = aside ? `It was kept as ${aside}.` : 'It could not be moved aside; correct or delete it.';
    return { value: fallback, notice: `${this.file} could not be understood (${problem.reason}), so the defaults are used. ${kept}` };
  }

  /** Replaces the content. Rejects with the file system's error; the next write still goes through. */
  write(value: T): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const next = this.#last.catch(() => {}).then(() => this.#replace(text));
    this.#last = next;
    return next;
  }

  /** Resolves when no write is under way; failures were reported to their callers. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /** Nothing is written from now on: a write that the process's end cuts off would leave its temporary file. Resolves when the last is done. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.settled();
  }

  /** Temporary files of processes that were killed while they wrote. */
  async #removeLeftovers(): Promise<void> {
    const folder = path.dirname(this.file);
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(`${path.basename(this.file)}.`));
    for (const name of names) {
      const pid = TEMPORARY.exec(name)?.[1];
      if (pid !== undefined && !isRunning(Number(pid))) await rm(path.join(folder, name), { force: true }).catch(() => {});
    }
  }

  #parse(text: string): { ok: true; value: T } | { ok: false; reason: string } {
    let json: unknown;
    try {
      json = JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch (error) {
      return { ok: false, reason: (error as SyntaxError).message };
    }
    const result = this.#schema.safeParse(json);
    if (result.success) return { ok: true, value: result.data };
    const issue = result.error.issues[0];
    return { ok: false, reason: issue ? `${issue.path.join('.') || 'top level'}: ${issue.message}` : 'unknown reason' };
  }

  async #setAside(): Promise<string | null> {
    for (let number = 1; number <= 99; number += 1) {
      const aside = `${this.file}.unreadable-${number}`;
      try {
        await (await open(aside, 'wx', 0o600)).close();
        await rename(this.file, aside);
        return aside;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return null;
      }
    }
    return null;
  }

  async #replace(text: string): Promise<void> {
    await mkdir(path.dirname(this.file), { recursive: true });
    const temporary = `${this.file}.${process.pid}.tmp`;
    try {
      const handle = await open(temporary, 'w', 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, this.file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
