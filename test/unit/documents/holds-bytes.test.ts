/** Whether a file holds certain bytes, given in pieces of any size. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdsBytes } from '../../../main/documents/disk-state.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-bytes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The bytes cut at these places, with empty pieces among them. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

test('is told however they are cut, and a single other byte is noticed', async () => {
  const file = path.join(folder, 'file');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat()), fc.nat(), async (content, places, other) => {
      const bytes = Buffer.from(content);
      await writeFile(file, bytes);
      expect(await holdsBytes(file, cut(bytes, places))).toBe(true);
      expect(await holdsBytes(file, [...cut(bytes, places), Buffer.from('x')])).toBe(false);
      if (bytes.length === 0) return;
      const changed = Buffer.from(bytes);
      changed[other % bytes.length]! ^= 1;
      expect(await holdsBytes(file, cut(changed, places))).toBe(false);
    }),
    { numRuns: 150 },
  );
});

test('is told of files longer than one read', async () => {
  const file = path.join(folder, 'long');
  const bytes = Buffer.alloc(9_000_001, 'abcdefg');
  await writeFile(file, bytes);
  expect(await holdsBytes(file, cut(bytes, [1, 3_999_999, 4_000_000, 8_000_001]))).toBe(true);
  bytes[8_500_000]! ^= 1;
  expect(await holdsBytes(file, [bytes])).toBe(false);
});
