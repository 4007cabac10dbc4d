/**
 * The store behind `artifact://<id>`: one folder per session, ids that count up from 0 and are never used again, also after a restart.
 * The hard rule is that an id is all a caller can say: no address leads out of the folder, neither by a path nor by a link in it.
 */
import { lstat, mkdir, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ArtifactKind, type ArtifactNote, isArtifactId, type NewArtifact, nextId, noteName, safeExtension } from './artifact-file.ts';

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
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    this.#next ??= nextId(await readdir(this.folder));
    for (;;) {
      const id = this.#next++;
      let handle: Awaited<ReturnType<typeof open>>;
      try {
        handle = await open(path.join(this.folder, noteName(id)), 'wx', 0o600);
      } catch (error) {
        // Another process took it.
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      const file = `${id}.${safeExtension(extension)}`;
      const note: ArtifactNote = { kind, mime: meta.mime, file, createdAt: Date.now(), source: meta.source };
      try {
        await handle.writeFile(JSON.stringify(note));
      } finally {
        await handle.close();
      }
      return { id: String(id), file: path.join(this.folder, file) };
    }
  }

  /** The artifact of this id, or null when there is none (or its file is gone, or isn't a plain file in the folder). */
  async resolve(id: string): Promise<Artifact | null> {
    if (!isArtifactId(id)) return null;
    const note = await readNote(path.join(this.folder, noteName(id)));
    if (!note || path.basename(note.file) !== note.file || !note.file.startsWith(`${id}.`)) return null;
    const file = path.join(this.folder, note.file);
    try {
      const status = await lstat(file);
      return status.isFile() ? { ...note, id, file, bytes: status.size } : null;
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
    source !== null
  );
}
