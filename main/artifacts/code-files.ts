/**
 * Files that code itself puts into its artifact folder (`ARTIFACTS`): each version of one becomes an artifact with the cell that made it. The hard
 * part is to tell which cell: a look comes after a cell's end, when the next may already write, so the file's own time decides.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileVersion, noteName } from './artifact-file.ts';
import type { Artifact } from './artifact-store.ts';
import { type ArtifactStore, isNoteFile, sameVersion } from './artifact-store.ts';
import { mimeOfName } from './mime-types.ts';

/** A folder with more holds data rather than results; what is beyond is left without ids. */
const MAX_FILES = 2_000;
const MAX_DEPTH = 4;

/** Cells whose files may still be found. */
const MAX_STARTS = 1_000;

/**
 * File systems round times down to a tick of about 4 ms: a file made in a cell's first moment may seem older than the cell. More than this would give it
 * the last file of the cell before, whose end is 2 ms away at the least.
 */
const TIME_SLACK_MS = 2;

const NOTE = /^\d{1,15}\.json$/;

/** Bytes. No note is longer, and a table of this size need not be read to know it. */
const NOTE_LIMIT = 64 * 1024;

interface Found {
  /** Below the folder, with slashes. */
  file: string;
  version: FileVersion;
}

export class CodeFiles {
  readonly #store: ArtifactStore;
  readonly #starts: { areaId: string; at: number }[] = [];
  /** Versions that have an id, by file; null before the first look. */
  #known: Map<string, FileVersion> | null = null;
  /** Names of files that are the store's own and stay so. */
  readonly #ofStore = new Set<string>();
  #looking: Promise<Artifact[]> | null = null;
  #next: Promise<Artifact[]> | null = null;

  constructor(store: ArtifactStore) {
    this.#store = store;
  }

  /** A cell began to run. `at` in milliseconds since the epoch. */
  began(areaId: string, at: number): void {
    if (this.#starts.at(-1)?.areaId === areaId && this.#starts.at(-1)?.at === at) return;
    this.#starts.push({ areaId, at });
    if (this.#starts.length > MAX_STARTS) this.#starts.shift();
  }

  /** Gives ids to what is new or changed; call when a cell has ended. Calls during a look share the next one. Throws the file system's error. */
  look(): Promise<Artifact[]> {
    if (!this.#looking) return this.#begin();
    this.#next ??= this.#looking.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<Artifact[]> {
    this.#next = null;
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<Artifact[]> {
    const found = await codeFiles(this.#store.folder, this.#ofStore);
    if (found.length === 0) return [];
    if (!this.#known) {
      const artifacts = await this.#store.list();
      // The store's own files have the names of their ids and notes without a version.
      for (const { id, file, version } of artifacts) {
        this.#ofStore.add(noteName(id));
        if (!version) this.#ofStore.add(path.basename(file));
      }
      this.#known = new Map(artifacts.flatMap(({ file, version }) => (version ? [[this.#below(file), version] as const] : [])));
    }
    const made: Artifact[] = [];
    for (const { file, version } of found) {
      const known = this.#known.get(file);
      if (known && sameVersion(known, { size: version.bytes, mtimeMs: version.modifiedAt })) continue;
      if (this.#ofStore.has(file) || (await this.#isOfStore(file, version.bytes))) continue;
      const source = { ...this.#makerOf(version.modifiedAt), name: path.posix.basename(file) };
      const id = await this.#store.adopt(file, { mime: mimeOfName(file), source, createdAt: version.modifiedAt, version });
      this.#known.set(file, version);
      const artifact = await this.#store.resolve(id);
      if (artifact) made.push(artifact);
    }
    return made;
  }

  #makerOf(modifiedAt: number): { areaId?: string } {
    const maker = this.#starts.findLast(({ at }) => at <= modifiedAt + TIME_SLACK_MS);
    return maker ? { areaId: maker.areaId } : {};
  }

  /** `7.txt` is the store's when the note of id 7, `7.json`, says so; that is there before the file is. */
  async #isOfStore(file: string, bytes: number): Promise<boolean> {
    const id = /^(\d{1,15})\./.exec(file)?.[1];
    if (id === undefined || file.includes('/')) return false;
    if (NOTE.test(file)) {
      const isNote = bytes > NOTE_LIMIT ? false : await isNoteFile(path.join(this.#store.folder, file));
      if (isNote) this.#ofStore.add(file);
      return isNote !== false;
    }
    const artifact = await this.#store.resolve(id);
    const isOurs = artifact !== null && !artifact.version && path.basename(artifact.file) === file;
    if (isOurs) this.#ofStore.add(file);
    return isOurs;
  }

  #below(file: string): string {
    return path.relative(this.#store.folder, file).split(path.sep).join('/');
  }
}

/** Plain files below the folder but for those named in `without`, in order of their names. Hidden ones are somebody's work in progress. */
async function codeFiles(folder: string, without: ReadonlySet<string>): Promise<Found[]> {
  const found: Found[] = [];
  let room = MAX_FILES;
  const walk = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.name.startsWith('.') || room <= 0 || without.has(file)) continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await walk(file, depth + 1);
      if (!entry.isFile()) continue;
      const status = await stat(path.join(folder, file)).catch(() => null);
      if (!status) continue;
      found.push({ file, version: { bytes: status.size, modifiedAt: status.mtimeMs } });
      // Each file of the store has a note beside it, which takes no other file's room.
      if (below !== '' || !NOTE.test(file)) room -= 1;
    }
  };
  await walk('', 1);
  return found;
}
