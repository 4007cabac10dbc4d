/** The spill file on a real disk: nothing lost, nothing reordered, and a disk that takes no more is told once. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SpillFile } from '../../../main/execution/spill-file.ts';

let folder: string;
let count = 0;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-spill-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(onFailure: (error: Error) => void = () => {}): SpillFile {
  return new SpillFile(path.join(folder, `${count++}.txt`), onFailure);
}

/** A file that takes no more: its descriptor was closed while it was idle, and it can't be opened again. */
async function openOnLostDisk(): Promise<{ spill: SpillFile; failures: Error[] }> {
  const failures: Error[] = [];
  const spill = open((error) => failures.push(error));
  spill.append('a');
  await spill.settled();
  await new Promise((resolve) => setTimeout(resolve, 2_300));
  await rm(folder, { recursive: true });
  return { spill, failures };
}

it('holds what was appended, cut anywhere, also inside a pair', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.array(fc.nat(), { maxLength: 20 }), async (text, places) => {
      const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
      const spill = open();
      for (const [index, from] of [0, ...cuts].entries()) {
        spill.append(text.slice(from, cuts[index] ?? text.length));
        if (index % 3 === 0) await spill.settled();
      }
      spill.end();
      await spill.settled();
      expect(await readFile(spill.file, 'utf8')).toBe(text);
    }),
    { numRuns: 100 },
  );
});

it('takes more than may be on its way at once, in order', async () => {
  const spill = open();
  const line = `${'x'.repeat(999)}\n`;
  spill.append(line.repeat(30_000));
  for (let index = 0; index < 1_000; index += 1) spill.append(`${index}\n`);
  spill.append(line.repeat(30_000));
  await spill.settled();
  const text = await readFile(spill.file, 'utf8');
  expect(text).toBe(line.repeat(30_000) + Array.from({ length: 1_000 }, (_, index) => `${index}\n`).join('') + line.repeat(30_000));
  spill.end();
});

const MIB = 2 ** 20;
const onDisk = (spill: SpillFile): number => statSync(spill.file).size;

it('holds nobody up with one text, however long, and writes it in turns', async () => {
  const spill = open();
  const text = 'ä€x\u{1f600}'.repeat(8 * MIB);
  spill.append(text.slice(0, -1));
  // What the threads have written by now is in no turn of ours; the rest can't be.
  const bytes = Buffer.byteLength(text);
  expect(onDisk(spill)).toBeLessThanOrEqual(bytes / 4);
  spill.append(text.slice(-1));
  spill.end();
  await spill.settled();
  expect(
    createHash('sha1')
      .update(await readFile(spill.file))
      .digest('hex'),
  ).toBe(createHash('sha1').update(text).digest('hex'));
});

it('writes the last of a long text soon, though nothing comes after it and nobody waits', async () => {
  const spill = open();
  const length = 40 * MIB + 1_000;
  spill.append('w'.repeat(length));
  await expect.poll(() => onDisk(spill), { timeout: 10_000 }).toBe(length);
  spill.end();
});

it('holds up who brings one text after the other faster than the disk takes them', async () => {
  const spill = open();
  const text = `${'y'.repeat(4 * MIB - 1)}\n`;
  for (let index = 0; index < 40; index += 1) spill.append(text);
  // 16 MiB may be on their way and 4 may wait, beside a block and the last text; as much again is left for what comes late.
  expect(onDisk(spill)).toBeGreaterThanOrEqual((160 - 2 * (16 + 4 + 1 + 4)) * MIB);
  spill.end();
  await spill.settled();
  expect(onDisk(spill)).toBe(160 * MIB);
});

it('may wait in very many small texts', async () => {
  const spill = open();
  spill.append('z'.repeat(40 * MIB));
  let expected = 40 * MIB;
  for (let index = 0; index < 300_000; index += 1) {
    const line = `${index}\n`;
    expected += line.length;
    spill.append(line);
  }
  await spill.settled();
  expect(onDisk(spill)).toBe(expected);
  spill.end();
});

it('a failure ends what waits, too', async () => {
  const { spill, failures } = await openOnLostDisk();
  spill.append('x'.repeat(64 * MIB));
  spill.append('after it');
  spill.end();
  await spill.settled();
  expect(failures).toHaveLength(1);
});

it('cuts no character where blocks and pieces of them end', async () => {
  const spill = open();
  // Two, three and four bytes in UTF-8, so that borders fall anywhere in them.
  const text = 'ä数\u{1f600}x'.repeat(200_000);
  spill.append(text);
  for (let from = 0; from < text.length; from += 70_001) spill.append(text.slice(from, from + 70_001));
  spill.end();
  await spill.settled();
  expect(await readFile(spill.file, 'utf8')).toBe(text + text);
});

it('ends a lone first half as what it is: no character', async () => {
  const spill = open();
  spill.append('a\ud83d');
  spill.end();
  await spill.settled();
  expect(await readFile(spill.file, 'utf8')).toBe('a\ufffd');
});

it('goes on after it was idle', async () => {
  const spill = open();
  spill.append('first ');
  await spill.settled();
  // Longer than the descriptor is kept.
  await new Promise((resolve) => setTimeout(resolve, 2_300));
  spill.append('second');
  await spill.settled();
  spill.end();
  expect(await readFile(spill.file, 'utf8')).toBe('first second');
});

it('refuses a file that is there', () => {
  const spill = open();
  expect(() => new SpillFile(spill.file, () => {})).toThrow(/EEXIST/);
  spill.end();
});

it('tells once that the disk takes no more, and then only ignores', async () => {
  const { spill, failures } = await openOnLostDisk();
  for (let index = 0; index < 5; index += 1) {
    spill.append('x'.repeat(100_000));
    await spill.settled();
  }
  expect(failures.map((error) => (error as NodeJS.ErrnoException).code)).toEqual(['ENOENT']);
  expect(spill.failure).toBe(failures[0]);
  spill.end();
});

it('keeps its file private', async () => {
  const spill = open();
  spill.end();
  expect((await stat(spill.file)).mode & 0o777).toBe(0o600);
});
