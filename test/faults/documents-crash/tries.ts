/**
 * One try: a process works on a notebook and is killed at a random instant, sometimes twice in a row. Then the file must be whole and a state
 * that was saved, what is restored must be exactly one state that there was, no older than a second, and nothing may come back twice.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { Journals } from '../../../main/documents/journal/journals.ts';
import { type Recovered, recover } from '../../../main/documents/journal/recovery.ts';
import { silentLog } from '../../../main/log/log.ts';
import { repository } from '../../../scripts/setup/paths.mjs';
import { seededRandom } from '../kernels/random.ts';
import type { Told, VictimOptions } from './victim.ts';
import { type Kind, stateOf, stateOnDisk } from './work.ts';

/** Between a change and the beginning of its write, with room for a timer that is late. */
export const PACE_MS = 500;
/** A machine that stands still is not the journal's fault: so many of its longest halts are forgiven. */
export const HALTS = 3;
/** A process that has told nothing after this long never will. */
const START_LIMIT_MS = 60_000;

export interface TryResult {
  /** Whether something was left to restore. */
  restored: boolean;
  kills: number;
  states: number;
  saves: number;
  /** Milliseconds between the newest state that came back and the kill. */
  lostMs: number;
}

/** The process to be killed, as one file. */
export async function buildVictim(folder: string): Promise<string> {
  const outfile = join(folder, 'victim.cjs');
  await build({
    entryPoints: ['test/faults/documents-crash/victim.ts'],
    absWorkingDir: repository,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

/** `lossMs`: how much of the work before the kill may be lost. Throws an error that says what was wrong. */
export async function tryOnce(victim: string, kind: Kind, seed: number, lossMs: number): Promise<TryResult> {
  const random = seededRandom(seed);
  const profile = await mkdtemp(join(tmpdir(), 'cellwright-crash-'));
  try {
    const path = join(profile, 'a.ipynb');
    await writeFile(path, firstContents(kind));
    await mkdir(join(profile, 'journals'));
    const kills = random.next() < 0.3 ? 2 : 1;
    const lives: Life[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const told = join(profile, `told-${kill}`);
      const options: VictimOptions = { profile, told, path, kind, seed: random.between(0, 2 ** 31) };
      const life = await liveAndDie(victim, options, random.between(100, 3_500), lossMs);
      if (lives.length > 0) checkBeginning(lives, life);
      lives.push(life);
    }
    return await checkEnd(profile, path, kind, lives);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Life {
  states: { at: number; state: string }[];
  saved: string[];
  killedAt: number;
  /** States from this time on may be lost. */
  lossFrom: number;
}

async function liveAndDie(victim: string, options: VictimOptions, afterMs: number, lossMs: number): Promise<Life> {
  await writeFile(options.told, '');
  const child = spawn(process.execPath, [victim, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const errors = lastErrors(child);
  const limit = Date.now() + START_LIMIT_MS;
  while ((await readTold(options.told)).length === 0) {
    if (child.exitCode !== null || Date.now() > limit) {
      child.kill('SIGKILL');
      await ended;
      throw new Error(`The process ended before its first step: ${errors()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  if (child.exitCode !== null) throw new Error(`The process ended by itself: ${errors()}`);
  const killedAt = Date.now();
  child.kill('SIGKILL');
  await ended;
  const told = await readTold(options.told);
  const states = told.filter((line) => 'at' in line);
  const saved = told.flatMap((line) => ('saved' in line ? [line.saved] : []));
  const disk = Math.max(0, ...told.flatMap((line) => ('disk' in line ? [line.disk] : [])));
  const times = [...states.map(({ at }) => at), killedAt];
  const gap = Math.max(...times.slice(1).map((at, index) => at - times[index]!));
  return { states, saved, killedAt, lossFrom: killedAt - Math.max(lossMs, PACE_MS + HALTS * (gap + disk)) };
}

/** What was told so far; the first line is a state. */
async function readTold(file: string): Promise<Told[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Told);
}

function lastErrors(child: ChildProcess): () => string {
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return () => errors.slice(-2_000);
}

/** The next process began with a state of the one before, not too old. */
function checkBeginning(lives: readonly Life[], next: Life): void {
  checkState(lives, next.states[0]!.state, 'the second process began with');
}

/** The age of the state. */
function checkState(lives: readonly Life[], state: string, what: string): number {
  const last = lives.at(-1)!;
  const index = last.states.findLastIndex((one) => one.state === state);
  if (index === -1) throw new Error(`${what} a state that there never was: ${difference(last, state)}`);
  const following = last.states[index + 1];
  if (following && following.at < last.lossFrom)
    throw new Error(`${what} a state that was over ${last.killedAt - following.at} ms before the kill`);
  return following ? last.killedAt - following.at : 0;
}

function difference({ states }: Life, state: string): string {
  const newest = states.at(-1)!.state;
  let at = 0;
  while (at < state.length && state[at] === newest[at]) at += 1;
  return `…${state.slice(Math.max(0, at - 80), at + 80)}… instead of …${newest.slice(Math.max(0, at - 80), at + 80)}…`;
}

async function checkEnd(profile: string, path: string, kind: Kind, lives: readonly Life[]): Promise<TryResult> {
  JSON.parse(await readFile(path, 'utf8'));
  const onDisk = await stateOnDisk(path);
  const everything = lives.flatMap(({ states }) => states.map(({ state }) => state));
  if (kind !== 'untitled' && !everything.includes(onDisk))
    throw new Error(`the file is no state that there was: ${difference(lives.at(-1)!, onDisk)}`);
  const lastSaved = lives.flatMap(({ saved }) => saved).at(-1);
  if (lastSaved !== undefined && everything.lastIndexOf(onDisk) < everything.indexOf(lastSaved))
    throw new Error('the file is older than its last save');

  const first = await restore(profile);
  if (first.length > 1) throw new Error(`${first.length} documents came back of one`);
  const document = first[0]?.document ?? null;
  if (document && kind !== 'untitled' && document.path !== path)
    throw new Error('the work came back beside a file that nobody else had changed');
  const lostMs = document || kind !== 'untitled' ? checkState(lives, document ? stateOf(document) : onDisk, 'what is restored is') : 0;
  if (!document && kind === 'untitled' && lives.at(-1)!.states.some(({ at }, index) => index > 0 && at < lives.at(-1)!.lossFrom)) {
    throw new Error('an untitled notebook did not come back');
  }
  const again = await restore(profile);
  if (again.length > 0) throw new Error('the work came back a second time');
  const states = everything.length;
  return {
    restored: document !== null,
    kills: lives.length,
    states,
    saves: lives.reduce((sum, life) => sum + life.saved.length, 0),
    lostMs,
  };
}

/** A start of this process: what was left is laid over its documents and saved, so that nothing must be left for the next. */
async function restore(profile: string): Promise<Recovered[]> {
  const journals = new Journals({ folder: join(profile, 'journals'), log: silentLog });
  const store = new DocumentStore({ journals });
  const recovered: Recovered[] = [];
  for (const left of await journals.takeLeft()) recovered.push(await recover(left, store, journals, 'try'));
  await journals.appEnds();
  return recovered;
}

function firstContents(kind: Kind): string {
  const line = `${'x'.repeat(99)}\n`;
  const outputs = (count: number) => [{ name: 'stdout', output_type: 'stream', text: Array.from({ length: count }, () => line) }];
  const lines = kind === 'large' ? 10_000 : 3;
  const cells = Array.from({ length: 5 }, (_, index) => ({
    cell_type: index === 1 ? 'markdown' : 'code',
    id: `cell-${index}`,
    metadata: {},
    source: [`cell ${index}\n`, 'second line'],
    ...(index === 1 ? {} : { execution_count: index, outputs: outputs(lines) }),
  }));
  return `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
