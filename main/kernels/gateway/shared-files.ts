/**
 * The files of the shared gateway, in a private folder: what it says of itself, and one for each process that uses it. Whole files are swapped in,
 * so nobody ever reads half of one; what can't be read is as good as not there.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { processStart } from '../direct/process-table.ts';

const FOLDER = 'cellwright-gateway';

const processSchema = z.object({ pid: z.number().int().positive(), start: z.string() });

/** Written by the gateway once it listens. */
const stateSchema = processSchema.extend({ port: z.number().int().positive(), token: z.string().min(1) });

export type GatewayState = z.infer<typeof stateSchema>;

export class SharedFiles {
  readonly folder: string;

  constructor(runtimeFolder: string) {
    this.folder = path.join(runtimeFolder, FOLDER);
  }

  /** Where the gateway's stderr goes. */
  get logFile(): string {
    return path.join(this.folder, 'gateway.log');
  }

  /** Kernelspecs of those that use it; with their variables in them, and gone with the gateway. */
  get kernelspecs(): string {
    return path.join(this.folder, 'kernels');
  }

  get #users(): string {
    return path.join(this.folder, 'users');
  }

  get #own(): string {
    return path.join(this.#users, `${process.pid}.json`);
  }

  /** For this user alone: the token is in there. */
  async make(): Promise<void> {
    await mkdir(this.#users, { recursive: true, mode: 0o700 });
  }

  /** What runs now; null when there is none. */
  async running(): Promise<GatewayState | null> {
    const state = await readJson(path.join(this.folder, 'gateway.json'), stateSchema);
    return state && (await isRunning(state)) ? state : null;
  }

  /** Enters this process as a user, with the kernels that end with it. */
  async enter(kernels: readonly string[]): Promise<void> {
    const user = { pid: process.pid, start: (await processStart(process.pid)) ?? '', kernels };
    const temporary = `${this.#own}.new`;
    await writeFile(temporary, JSON.stringify(user), { mode: 0o600 });
    await rename(temporary, this.#own);
  }

  async leave(): Promise<void> {
    await rm(this.#own, { force: true });
  }

  /** Whether any other process uses it that still runs. */
  async hasOthers(): Promise<boolean> {
    const names = (await readdir(this.#users).catch(() => [])).filter((name) => name.endsWith('.json'));
    for (const name of names) {
      const file = path.join(this.#users, name);
      const user = file === this.#own ? null : await readJson(file, processSchema);
      if (user && (await isRunning(user))) return true;
    }
    return false;
  }

  /** Bytes that the gateway has written to stderr. */
  async logLength(): Promise<number> {
    return stat(this.logFile).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** The last part of what the gateway wrote to stderr, after so many bytes. */
  async logTail(characters: number, from = 0): Promise<string> {
    const written = await readFile(this.logFile).catch(() => Buffer.alloc(0));
    return written.subarray(from).toString('utf8').slice(-characters);
  }
}

/** Whether that very process still runs, and not another that got its number. */
export async function isRunning({ pid, start }: { pid: number; start: string }): Promise<boolean> {
  return (await processStart(pid)) === start;
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}
