/**
 * Kernels that a killed app may have left behind. Each app keeps one small file of what it runs, beside the connection files; at the next
 * start the files of dead owners are read and what still runs of them is ended. Pids come with start times, so no stranger is hit.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { errorFields, type Log } from '../../log/log.ts';
import { processStart } from './process-table.ts';
import { endTree } from './process-tree.ts';

const FILE = /^cellwright-kernels-\d+\.json$/;

const processSchema = z.object({ pid: z.number().int().min(2), start: z.string() });
const registrySchema = z.object({
  owner: processSchema,
  kernels: z.array(processSchema.extend({ connectionFile: z.string() })),
});

type Kernel = z.infer<typeof registrySchema>['kernels'][number];

/** Remembers this process's kernels on disk. Writes are in order, and a failed one is logged: it must not keep a kernel from starting. */
export class LeftoverRegistry {
  readonly #folder: string;
  readonly #file: string;
  readonly #log: Log;
  readonly #kernels = new Map<number, Kernel>();
  #writing: Promise<void> = Promise.resolve();

  constructor(runtimeFolder: string, log: Log) {
    this.#folder = runtimeFolder;
    this.#file = path.join(runtimeFolder, `cellwright-kernels-${process.pid}.json`);
    this.#log = log;
  }

  async add(pid: number, connectionFile: string): Promise<void> {
    const start = await processStart(pid);
    if (start === null) return;
    this.#kernels.set(pid, { pid, start, connectionFile });
    await this.#write();
  }

  async remove(pid: number): Promise<void> {
    if (this.#kernels.delete(pid)) await this.#write();
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#save()).catch((error) => this.#log.warn('leftovers.not-written', errorFields(error)));
    return this.#writing;
  }

  async #save(): Promise<void> {
    if (this.#kernels.size === 0) return rm(this.#file, { force: true });
    const owner = { pid: process.pid, start: (await processStart(process.pid)) ?? '' };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.#file}.new`;
    await writeFile(temporary, JSON.stringify({ owner, kernels: [...this.#kernels.values()] }), { mode: 0o600 });
    await rename(temporary, this.#file);
  }
}

/** Ends the kernels of apps that are gone and removes their files. Returns how many kernels still ran. Never throws. */
export async function endLeftovers(runtimeFolder: string, log: Log): Promise<number> {
  const names = await readdir(runtimeFolder).catch(() => []);
  let ended = 0;
  for (const name of names.filter((name) => FILE.test(name))) {
    const file = path.join(runtimeFolder, name);
    try {
      ended += await endOwned(runtimeFolder, file);
    } catch (error) {
      log.warn('leftovers.not-ended', { file: name, ...errorFields(error) });
    }
  }
  if (ended > 0) log.info('leftovers.ended', { kernels: ended });
  return ended;
}

async function endOwned(runtimeFolder: string, file: string): Promise<number> {
  const registry = await readRegistry(file);
  if (registry && (await isRunning(registry.owner))) return 0;
  let ended = 0;
  for (const kernel of registry?.kernels ?? []) {
    if (await isRunning(kernel)) {
      await endTree(kernel.pid, 'SIGKILL');
      ended += 1;
    }
    // Only ever a file of this folder, whatever the registry says.
    await rm(path.join(runtimeFolder, path.basename(kernel.connectionFile)), { force: true });
  }
  await rm(file, { force: true });
  return ended;
}

/** Null for a file that is not ours to read or was cut off: there is nothing to end in it. */
async function readRegistry(file: string): Promise<z.infer<typeof registrySchema> | null> {
  try {
    return registrySchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

async function isRunning({ pid, start }: { pid: number; start: string }): Promise<boolean> {
  return (await processStart(pid)) === start;
}
