/**
 * Notebooks that were open lately, newest first, for the start view and the menu. Files that are gone are left out when asked for but stay
 * in the list: a drive that is not mounted today comes back tomorrow.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { JsonFile } from './json-file.ts';

const MAX_RECENT = 30;

const recentSchema = z.object({
  files: z.array(z.object({ path: z.string().min(1), openedAt: z.number() })),
});

type RecentList = z.infer<typeof recentSchema>;

export interface RecentFile {
  path: string;
  title: string;
  /** Milliseconds since the epoch. */
  openedAt: number;
}

export class RecentFiles {
  readonly #file: JsonFile<RecentList>;
  #list: RecentList = { files: [] };

  private constructor(file: string) {
    this.#file = new JsonFile(file, recentSchema);
  }

  static async open(file: string): Promise<RecentFiles> {
    const recent = new RecentFiles(file);
    recent.#list = (await recent.#file.read({ files: [] })).value;
    return recent;
  }

  /** Puts a path in front. Rejects when the list can't be written; it then lasts for this start only. */
  add(filePath: string, openedAt: number): Promise<void> {
    const others = this.#list.files.filter((file) => file.path !== filePath);
    this.#list = { files: [{ path: filePath, openedAt }, ...others].slice(0, MAX_RECENT) };
    return this.#file.write(this.#list);
  }

  /** Those that exist now. */
  async list(): Promise<RecentFile[]> {
    const found = await Promise.all(this.#list.files.map(async (file) => ((await isFile(file.path)) ? file : null)));
    return found.filter((file) => file !== null).map((file) => ({ ...file, title: path.basename(file.path) }));
  }

  async settled(): Promise<void> {
    await this.#file.settled();
  }

  /** At the app's end: what is changed from now on is not written any more. */
  async end(): Promise<void> {
    await this.#file.end();
  }
}

function isFile(filePath: string): Promise<boolean> {
  return stat(filePath).then(
    (found) => found.isFile(),
    () => false,
  );
}
