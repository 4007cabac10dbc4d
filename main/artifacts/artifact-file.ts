/**
 * How one artifact lies on disk: `<id>.json` says what it is and reserves the id, `<id>.<extension>` holds its bytes. An id is taken by creating
 * its note exclusively, so processes that share a folder never get the same one, and since notes stay, no id is used twice.
 */
import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';

/** What made an artifact and what it is. */
export interface ArtifactNote {
  kind: ArtifactKind;
  mime: string;
  /** Name of the file with the bytes, in the same folder; with `version` a path below it, with slashes. */
  file: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** The cell or run it came from, where there is one. */
  source: ArtifactSource;
  /** Only for a file that code put into the folder itself, which keeps its own name: the version of it that this is. */
  version?: FileVersion;
}

export interface FileVersion {
  bytes: number;
  /** Milliseconds since the epoch, with what the system knows of parts of them. */
  modifiedAt: number;
}

export type ArtifactKind = 'stream' | 'payload' | 'file';

export interface ArtifactSource {
  /** Key of the cell, or the id of an agent's run. */
  areaId?: string;
  runId?: string;
  /** The stream's name, or the name of a file that code saved. */
  name?: string;
}

export interface NewArtifact {
  id: string;
  /** Absolute path; the file isn't there yet. */
  file: string;
}

const NOTE = /^(\d{1,15})\.json$/;

/** Ids are decimal numbers; nothing else may reach the file system. */
export function isArtifactId(id: string): boolean {
  return /^(?:0|[1-9]\d{0,14})$/.test(id);
}

export function noteName(id: number | string): string {
  return `${id}.json`;
}

/** The first id after those in a folder listing. */
export function nextId(names: readonly string[]): number {
  return names.reduce((next, name) => Math.max(next, Number(NOTE.exec(name)?.[1] ?? -1) + 1), 0);
}

/** Only letters and digits: an extension must not carry a path. */
export function safeExtension(extension: string): string {
  return /^[a-z0-9]{1,12}$/i.test(extension) && extension.toLowerCase() !== 'json' ? extension.toLowerCase() : 'data';
}

/** Where each folder's ids go on in this process, so that a folder of thousands isn't read for each. */
const nextIds = new Map<string, number>();

/**
 * Takes the next free id, for the kernel host: there the order of messages must not wait for the disk, and nobody looks at a window.
 * Makes the folder when it is missing. Throws the file system's error (ENOSPC, EACCES …).
 */
export function reserveSync(folder: string, extension: string, note: Omit<ArtifactNote, 'file'>): NewArtifact {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let id = nextIds.get(folder) ?? nextId(readdirSync(folder)); ; id += 1) {
    nextIds.set(folder, id + 1);
    let handle: number;
    try {
      handle = openSync(path.join(folder, noteName(id)), 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const file = `${id}.${safeExtension(extension)}`;
    try {
      writeSync(handle, JSON.stringify({ ...note, file }));
    } finally {
      closeSync(handle);
    }
    return { id: String(id), file: path.join(folder, file) };
  }
}
