/**
 * A sample of the crash campaign: each kind of work at least once. A failure names its seed, with which `npm run campaign -- documents-crash --seed n
 * --only <kind> --tries 1` tries the same again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildVictim, tryOnce } from './documents-crash/tries.ts';
import { KINDS } from './documents-crash/work.ts';

const TRIES = 2;
/** The campaign asks for one second; a machine that runs all tests at once is given more. */
const LOSS_MS = 3_000;
const seed = Date.now() % 1_000_000;

let folder = '';
let victim = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cellwright-victim-'));
  victim = await buildVictim(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(KINDS)('a process killed while it is at work (%s) leaves a whole file and all but its last moments', async (kind) => {
  for (let index = 0; index < TRIES; index += 1) {
    const result = await tryOnce(victim, kind, seed + index, LOSS_MS).catch((error: Error) => `seed ${seed + index}: ${error.message}`);
    expect(result).toBeTypeOf('object');
  }
});
