/**
 * The store behind `artifact://<id>`: one folder per session, ids that count up from 0 and are never used again, also after a restart.
 * The hard rule is that an id is all a caller can say: no address leads out of the folder, neither by a path nor by a link in it.
 */
import { lstat, mkdir, open, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import {
  type ArtifactKind,
  type ArtifactNote,
  type FileVersion,
  isArtifactId,
  type NewArtifact,
  nextId,
  noteName,
  safeExtension,
} from './artifact-file.ts';

export interface Artifact extends ArtifactNote {
  id: string;
  /** Absolute path. */
  file: string;
  bytes: number;
}

export class ArtifactStore {
  readonly folder: string;
  #next: number | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Takes the next id for a file that the caller writes. Throws the file system's error. */
  async allocate(kind: ArtifactKind, extension: string, meta: Pick<ArtifactNote, 'mime' | 'source'>): Promise<NewArtifact> {
    const fileOf = (id: string): string => `${id}.${safeExtension(extension)}`;
    const id = await this.#reserve((id) => ({ kind, mime: meta.mime, file: fileOf(id), createdAt: Date.now(), source: meta.source }));
    return { id, file: path.join(this.folder, fileOf(id)) };
  }

  /** Gives an id to a file that code put into the folder, as it is now. `file` is its path below the folder, with slashes. */
  adopt(file: string, meta: Pick<ArtifactNote, 'mime' | 'source' | 'createdAt'> & { version: FileVersion }): Promise<string> {
    return this.#reserve(() => ({
      kind: 'file',
      mime: meta.mime,
      file,
      createdAt: meta.createdAt,
      source: meta.source,
      version: meta.version,
    }));
  }

  /** The artifact of this id, or null when there is none (or its file is gone or changed, or isn't a plain file in the folder). */
  async resolve(id: string): Promise<Artifact | null> {
    if (!isArtifactId(id)) return null;
    const note = await readNote(path.join(this.folder, noteName(id)));
    if (!note) return null;
    const file = path.join(this.folder, note.file);
    try {
      const status = await lstat(file);
      if (!status.isFile()) return null;
      if (note.version) {
        if (!sameVersion(note.version, status) || !(await this.#holds(file))) return null;
      } else if (path.basename(note.file) !== note.file || !note.file.startsWith(`${id}.`)) return null;
      return { ...note, id, file, bytes: status.size };
    } catch {
      return null;
    }
  }

  /** All artifacts, oldest first. */
  async list(): Promise<Artifact[]> {
    const names = await readdir(this.folder).catch(() => []);
    const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [])).filter(isArtifactId);
    const artifacts = await Promise.all(ids.sort((a, b) => Number(a) - Number(b)).map((id) => this.resolve(id)));
    return artifacts.filter((artifact) => artifact !== null);
  }

  /** Takes the next id by creating its note. */
  async #reserve(noteFor: (id: string) => ArtifactNote): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    this.#next ??= nextId(await readdir(this.folder));
    for (;;) {
      const id = String(this.#next++);
      let handle: Awaited<ReturnType<typeof open>>;
      try {
        handle = await open(path.join(this.folder, noteName(id)), 'wx', 0o600);
      } catch (error) {
        // Another process took it.
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      try {
        await handle.writeFile(JSON.stringify(noteFor(id)));
      } finally {
        await handle.close();
      }
      return id;
    }
  }

  /** Whether a file lies in the folder also when links on the way to it are followed. */
  async #holds(file: string): Promise<boolean> {
    const [folder, real] = await Promise.all([realpath(this.folder), realpath(file)]);
    return real.startsWith(folder + path.sep);
  }
}

/** Whether a file is still the version that a note is about. */
export function sameVersion({ bytes, modifiedAt }: FileVersion, status: { size: number; mtimeMs: number }): boolean {
  return bytes === status.size && modifiedAt === status.mtimeMs;
}

/**
 * Whether a file with a note's name is one, or somebody's own JSON, as `2024.json` may be. Null when it can't be told: a note may be half
 * written.
 */
export async function isNoteFile(file: string): Promise<boolean | null> {
  try {
    return isNote(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

async function readNote(file: string): Promise<ArtifactNote | null> {
  try {
    const note: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isNote(note) ? note : null;
  } catch {
    return null;
  }
}

function isNote(value: unknown): value is ArtifactNote {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, mime, file, createdAt, source } = value as Partial<ArtifactNote>;
  return (
    typeof kind === 'string' &&
    typeof mime === 'string' &&
    typeof file === 'string' &&
    typeof createdAt === 'number' &&
    typeof source === 'object' &&
    source !== null &&
    isVersion((value as Partial<ArtifactNote>).version)
  );
}

function isVersion(version: unknown): boolean {
  if (version === undefined) return true;
  if (typeof version !== 'object' || version === null) return false;
  const { bytes, modifiedAt } = version as Partial<FileVersion>;
  return typeof bytes === 'number' && typeof modifiedAt === 'number';
}
