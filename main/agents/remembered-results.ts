/**
 * Results under the keys that an agent gave its calls, kept in files of its session: the same key gives the same result, also while the first call
 * still runs and after a restart. The hard rules: one key never means two things, and a call that a crash cut off is never made twice, since nobody
 * knows how far it came.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorFields, type Log } from '../log/log.ts';
import { ToolError } from './errors.ts';

/** Keys kept for each agent, and bytes of their results; a client that retries does so soon. */
const LIMIT = 500;
const BYTES_LIMIT = 64 * 1024 * 1024;
/** Calls between two looks at what is kept. */
const PRUNE_EVERY = 50;

interface Going {
  call: string;
  result: Promise<unknown>;
}

/** A file without a result is a call that was begun; in one that a power cut left half written not even the call is known. */
interface Stored {
  call: string | null;
  result?: unknown;
}

export class RememberedResults {
  readonly #folder: string;
  readonly #log: Log;
  /** Calls that go on, or whose results are not written yet. */
  readonly #going = new Map<string, Going>();
  /** Calls whose results could not be written. */
  readonly #unwritten = new Map<string, Going>();
  readonly #writes = new Set<Promise<void>>();
  #untilPrune = 0;

  /** The folder is made when the first key comes. */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /**
   * `call` is everything that the result depends on. Throws ToolError when the key was given to another call, and when the first call under it
   * was cut off by the program's end.
   */
  async once<T>(key: string | null, call: unknown, work: () => Promise<T>): Promise<T> {
    if (key === null) return work();
    const digest = createHash('sha256').update(JSON.stringify(call)).digest('base64');
    const going = this.#going.get(key) ?? this.#unwritten.get(key);
    if (going && going.call !== digest) throw usedElsewhere(key);
    if (going) return going.result as Promise<T>;
    const result = this.#carryOut(key, digest, work);
    this.#going.set(key, { call: digest, result });
    // A call that broke has no result to give again.
    result.catch(() => this.#going.delete(key));
    return result;
  }

  /** Everything is written that is to be kept. */
  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #carryOut<T>(key: string, call: string, work: () => Promise<T>): Promise<T> {
    const file = this.#file(key);
    const known = await readStored(file);
    if (known) {
      if (known.call !== null && known.call !== call) throw usedElsewhere(key);
      if (known.result === undefined) throw cutOff(key);
      this.#going.delete(key);
      return known.result as T;
    }
    const begun = await this.#begin(file, call);
    try {
      const result = await work();
      // The caller need not wait for it: until it is written the result is in memory.
      const write = begun ? this.#keep(key, call, result) : this.#keepInMemory(key, call, result);
      this.#writes.add(write);
      void write.finally(() => this.#writes.delete(write));
      return result;
    } catch (error) {
      if (begun) await rm(file, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** On the disk before the work begins, or a crash in the middle would leave no trace of it. False when that can't be. */
  async #begin(file: string, call: string): Promise<boolean> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await this.#prune();
      await writeWhole(file, { call });
      return true;
    } catch (error) {
      this.#log.warn('agents.key-not-kept', errorFields(error));
      return false;
    }
  }

  async #keep(key: string, call: string, result: unknown): Promise<void> {
    const file = this.#file(key);
    try {
      await writeWhole(`${file}.tmp`, { call, result });
      await rename(`${file}.tmp`, file);
      this.#going.delete(key);
    } catch (error) {
      this.#log.warn('agents.result-not-kept', errorFields(error));
      await this.#keepInMemory(key, call, result);
    }
  }

  async #keepInMemory(key: string, call: string, result: unknown): Promise<void> {
    this.#going.delete(key);
    this.#unwritten.set(key, { call, result: Promise.resolve(result) });
    const [oldest] = this.#unwritten.keys();
    if (this.#unwritten.size > LIMIT && oldest !== undefined) this.#unwritten.delete(oldest);
  }

  async #prune(): Promise<void> {
    this.#untilPrune -= 1;
    if (this.#untilPrune > 0) return;
    this.#untilPrune = PRUNE_EVERY;
    const going = new Set([...this.#going.keys()].map((key) => this.#file(key)));
    const names = await readdir(this.#folder);
    const found = await Promise.all(names.map((name) => sized(path.join(this.#folder, name))));
    const files = found.filter((one) => one !== null).filter(({ file }) => !going.has(file));
    files.sort((a, b) => b.at - a.at);
    let bytes = 0;
    const old = files.filter((one, index) => {
      bytes += one.bytes;
      return index >= LIMIT || bytes > BYTES_LIMIT;
    });
    await Promise.all(old.map(({ file }) => rm(file, { force: true })));
  }

  /** A key may be any text, so it can't name a file. */
  #file(key: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 40)}.json`);
  }
}

async function writeWhole(file: string, stored: Stored): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(stored));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Null when there is no such file. Half a file is a call that was begun. */
async function readStored(file: string): Promise<Stored | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return null;
  }
  try {
    return JSON.parse(text) as Stored;
  } catch {
    return { call: null };
  }
}

async function sized(file: string): Promise<{ file: string; at: number; bytes: number } | null> {
  try {
    const { mtimeMs, size } = await stat(file);
    return { file, at: mtimeMs, bytes: size };
  } catch {
    return null;
  }
}

function usedElsewhere(key: string): ToolError {
  return new ToolError(`The idempotency key ${JSON.stringify(key)} was used for another call. Give each call its own key.`);
}

function cutOff(key: string): ToolError {
  return new ToolError(
    `The call with the idempotency key ${JSON.stringify(key)} was under way when Cellwright ended, so its result is not known; it was not carried out again. See with notebook_read or kernel what it did, and if it is still needed call again with another key.`,
  );
}
