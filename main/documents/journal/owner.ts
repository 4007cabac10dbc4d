/**
 * Which process a journal belongs to. A journal whose process lives is left alone; one whose process is gone may be taken over, by one taker only.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import { lives, type OwningProcess, owningProcess, thisProcess } from '../owning-process.ts';
import { FILE_MODE } from './journal-file.ts';

const OWNER_FILE = 'owner.json';
const FOLDER_MODE = 0o700;

/** A new folder of this process for one journal. It has its name only once it says whose it is. */
export async function newOwnedFolder(journals: string): Promise<string> {
  const folder = join(journals, randomUUID());
  await mkdir(journals, { recursive: true, mode: FOLDER_MODE });
  await mkdir(`${folder}.new`, { mode: FOLDER_MODE });
  await writeOwner(`${folder}.new`);
  await rename(`${folder}.new`, folder);
  return folder;
}

/** The journal in this folder is of this process, or of another one that lives. */
export async function isOwned(folder: string): Promise<boolean> {
  const owner = await readOwner(folder);
  return owner !== null && lives(owner);
}

/** Takes the folder over under a new name; null when somebody else was faster. */
export async function takeOver(folder: string, journals: string): Promise<string | null> {
  const taken = join(journals, randomUUID());
  try {
    await rename(folder, taken);
  } catch {
    return null;
  }
  // A full disk takes no name, which the next start can bear. That the folder is gone means that another one took it.
  const error: unknown = await writeOwner(taken).catch((reason: unknown) => reason);
  return systemCode(error) === 'ENOENT' ? null : taken;
}

async function writeOwner(folder: string): Promise<void> {
  await writeFile(join(folder, OWNER_FILE), `${JSON.stringify(await thisProcess())}\n`, { mode: FILE_MODE });
}

async function readOwner(folder: string): Promise<OwningProcess | null> {
  try {
    return owningProcess.parse(JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8')));
  } catch {
    return null;
  }
}
