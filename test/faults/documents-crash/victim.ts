/**
 * The process that is killed. It opens the notebook, or restores what the process before it left, and takes steps until its end. Each state is
 * told at the moment it comes about, into a file: a pipe that nobody empties in time would keep the last ones in the process that is killed.
 */
import { openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { Journals } from '../../../main/documents/journal/journals.ts';
import { recover } from '../../../main/documents/journal/recovery.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { silentLog } from '../../../main/log/log.ts';
import { seededRandom } from '../kernels/random.ts';
import { type Kind, stateOf, step } from './work.ts';

export interface VictimOptions {
  profile: string;
  /** The file for what is told. */
  told: string;
  path: string;
  kind: Kind;
  seed: number;
}

/** One line of that file. `at` is the time of the step; `disk` how long the disk took for a write and its sync just now. */
export type Told = { at: number; state: string } | { saved: string } | { disk: number };

const options = JSON.parse(process.argv[2]!) as VictimOptions;
const { profile, path, kind, seed } = options;
const random = seededRandom(seed);
const file = openSync(options.told, 'a');
const tell = (told: Told): void => void writeSync(file, `${JSON.stringify(told)}\n`);

async function opened(): Promise<NotebookDocument> {
  const journals = new Journals({ folder: join(profile, 'journals'), log: silentLog });
  const store = new DocumentStore({ journals });
  const [left] = await journals.takeLeft();
  if (left) return (await recover(left, store, journals, 'victim')).document;
  return kind === 'untitled' ? store.create({ folder: profile }) : store.open(path);
}

/** Tells how quick the disk is, so that a machine that stands still is not taken for a journal that does. */
async function pulse(): Promise<never> {
  const handle = await open(join(profile, `pulse-${process.pid}`), 'w');
  for (;;) {
    const began = Date.now();
    await handle.write('x');
    await handle.datasync();
    tell({ disk: Date.now() - began });
    await delay(100);
  }
}

async function live(): Promise<void> {
  const document = await opened();
  tell({ at: Date.now(), state: stateOf(document) });
  void pulse();
  for (let number = 1; ; number += 1) {
    step(document, number, kind, random, (saved) => tell({ saved }));
    tell({ at: Date.now(), state: stateOf(document) });
    await delay(random.between(0, 40));
  }
}

void live();
