/**
 * Removes artifact folders that nobody needs: those that no notebook refers to once they are old, and above the size limit those that were not
 * used for longest. A folder that some Cellwright uses, or that was used within the last day, is never touched. Ids that a notebook still names are
 * not used again: of its folder the last note stays.
 */
import { createReadStream } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { nextId, noteName } from './artifact-file.ts';
import { isInUse, OWNER, ownerOf } from './folder-use.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Names as `artifactFolder` makes them; whatever else lies there is not ours to remove. */
const FOLDER = /^[0-9a-f]{24}$/;
const BEING_REMOVED = /^[0-9a-f]{24}\.removed$/;

const REFERENCE = 'artifact://';

export interface CleanupLimits {
  /** 0: folders are not removed because of their age. */
  maxDays: number;
  /** 0: there is no limit of size. */
  maxBytes: number;
}

/** What is known of a folder when it is decided. */
export interface FolderFacts {
  name: string;
  bytes: number;
  /** Milliseconds since the epoch. */
  usedAt: number;
  inUse: boolean;
  /** A notebook that is there still names artifacts. */
  referenced: boolean;
}

/** Names of the folders to remove, in that order. Pure. */
export function foldersToRemove(folders: readonly FolderFacts[], { maxDays, maxBytes }: CleanupLimits, now: number): string[] {
  const free = folders.filter(({ inUse, usedAt }) => !inUse && usedAt < now - DAY_MS).sort((a, b) => a.usedAt - b.usedAt);
  const old = maxDays === 0 ? [] : free.filter(({ referenced, usedAt }) => !referenced && usedAt < now - maxDays * DAY_MS);
  let bytes = sum(folders) - sum(old);
  const removed = [...old];
  if (maxBytes > 0) {
    const rest = free.filter((folder) => !old.includes(folder));
    for (const folder of [...rest.filter(({ referenced }) => !referenced), ...rest.filter(({ referenced }) => referenced)]) {
      if (bytes <= maxBytes) break;
      bytes -= folder.bytes;
      removed.push(folder);
    }
  }
  return removed.map(({ name }) => name);
}

/** Removes what the limits say from the folder of all artifact folders, or empties it; gives the names. Never throws for a folder that can't be removed. */
export async function cleanArtifacts(artifactsFolder: string, limits: CleanupLimits, now = Date.now()): Promise<string[]> {
  const names = await readdir(artifactsFolder).catch(() => []);
  for (const name of names.filter((each) => BEING_REMOVED.test(each))) await remove(path.join(artifactsFolder, name));
  const folders: FolderFacts[] = [];
  for (const name of names.filter((each) => FOLDER.test(each))) {
    const facts = await factsOf(artifactsFolder, name);
    if (facts) folders.push(facts);
  }
  const removed: string[] = [];
  for (const name of foldersToRemove(folders, limits, now)) {
    const folder = path.join(artifactsFolder, name);
    // Looked at again: the decision may have taken its time.
    if (await isInUse(folder)) continue;
    if (folders.some((facts) => facts.name === name && facts.referenced)) {
      await empty(folder);
      removed.push(name);
      continue;
    }
    // Renamed first, so that whoever comes now gets a folder of its own and never half of the old one.
    if (
      !(await rename(folder, `${folder}.removed`).then(
        () => true,
        () => false,
      ))
    )
      continue;
    await remove(`${folder}.removed`);
    removed.push(name);
  }
  return removed;
}

async function factsOf(artifactsFolder: string, name: string): Promise<FolderFacts | null> {
  const folder = path.join(artifactsFolder, name);
  const status = await lstat(folder).catch(() => null);
  if (!status?.isDirectory()) return null;
  const { bytes, newest } = await measure(folder);
  const notebook = await ownerOf(folder);
  return {
    name,
    bytes,
    usedAt: Math.max(status.mtimeMs, newest),
    inUse: await isInUse(folder),
    referenced: notebook !== null && (await names(notebook, REFERENCE)),
  };
}

/** Size and newest time of what lies in a folder; links are not followed. */
async function measure(folder: string): Promise<{ bytes: number; newest: number }> {
  let [bytes, newest] = [0, 0];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    const status = await lstat(file).catch(() => null);
    if (!status) continue;
    const inside = entry.isDirectory() ? await measure(file) : { bytes: status.size, newest: 0 };
    bytes += inside.bytes;
    newest = Math.max(newest, status.mtimeMs, inside.newest);
  }
  return { bytes, newest };
}

/** Whether a file has this text in it. One that is not there has not. */
async function names(file: string, text: string): Promise<boolean> {
  let tail = '';
  try {
    for await (const chunk of createReadStream(file, 'latin1')) {
      const joined = tail + (chunk as string);
      if (joined.includes(text)) return true;
      tail = joined.slice(1 - text.length);
    }
  } catch {
    return false;
  }
  return false;
}

/** Leaves what says whose it is and which ids were used. Whoever comes meanwhile goes on after them. */
async function empty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const last = noteName(nextId(names) - 1);
  for (const name of names) if (name !== last && name !== OWNER) await remove(path.join(folder, name));
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}

function sum(folders: readonly FolderFacts[]): number {
  return folders.reduce((total, { bytes }) => total + bytes, 0);
}
