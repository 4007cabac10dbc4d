/**
 * A profile and a folder of notebooks as a crash leaves them: documents whose process ends without a word, and the next start that finds what
 * they left. Journals of this very process count as owned, so a crash is played by giving them to a process that is gone.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentStore } from '../../../../main/documents/document-store.ts';
import { JOURNAL_FILE } from '../../../../main/documents/journal/journal-file.ts';
import { Journals } from '../../../../main/documents/journal/journals.ts';
import { decodeRecords, type JournalRecord } from '../../../../main/documents/journal/records.ts';
import { type Recovered, recover } from '../../../../main/documents/journal/recovery.ts';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { silentLog } from '../../../../main/log/log.ts';
import { cellFields, setSource } from '../../../../preload/notebook-model.ts';

export interface Session {
  store: DocumentStore;
  journals: Journals;
}

const sessions: Journals[] = [];

export function session(profile: string): Session {
  const journals = new Journals({ folder: profile, log: silentLog });
  sessions.push(journals);
  return { journals, store: new DocumentStore({ journals }) };
}

/** Lets go of the files that this test's sessions hold, also of those that it let crash. */
export async function endSessions(): Promise<void> {
  await Promise.all(sessions.splice(0).map((journals) => journals.appEnds()));
}

/** Waits for a condition on the disk; the test's own limit ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function journalFolders(profile: string): string[] {
  return namesIn(profile)
    .filter((name) => name !== 'kept' && !name.endsWith('.new'))
    .map((name) => join(profile, name));
}

export function keptFolders(profile: string): string[] {
  return namesIn(join(profile, 'kept'));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export async function recordsIn(folder: string): Promise<JournalRecord[]> {
  try {
    return await decodeRecords(readFileSync(join(folder, JOURNAL_FILE)));
  } catch {
    return [];
  }
}

/** Waits until a journal of the profile tells of this text. */
export async function journaled(profile: string, text: string): Promise<void> {
  const inJson = JSON.stringify(text).slice(1, -1);
  await until(async () => {
    const all = await Promise.all(journalFolders(profile).map(recordsIn));
    return all.some((records) => JSON.stringify(records).includes(inJson));
  });
}

/** The copy of the contents that the journals start from is there, too. */
export async function copied(profile: string): Promise<void> {
  await until(async () => {
    const all = await Promise.all(journalFolders(profile).map(recordsIn));
    return all.length > 0 && all.every((records) => records.some((record) => record.t === 'base'));
  });
}

/** All journals belong to a process that is gone: what a crash makes of them. */
export function crash(profile: string): void {
  for (const folder of journalFolders(profile)) {
    writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, start: 'of a process before this one' }));
  }
}

/** The next start: takes what is left and restores all of it. */
export async function nextStart(profile: string): Promise<Session & { recovered: Recovered[] }> {
  const next = session(profile);
  const recovered: Recovered[] = [];
  for (const left of await next.journals.takeLeft()) recovered.push(await recover(left, next.store, next.journals, 'test'));
  return { ...next, recovered };
}

export function sources(document: NotebookDocument): string[] {
  return document.keys().map((key) => cellFields(document.ydoc, key).source);
}

export function type(document: NotebookDocument, index: number, source: string): void {
  setSource(document.ydoc, document.keys()[index]!, source);
}
