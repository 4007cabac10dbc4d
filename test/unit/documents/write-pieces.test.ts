/** Writing pieces: whatever their sizes, the file has them in order, and a failure that the disk tells on the way is told even if it is told once. */
import { type FileHandle, open } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writePieces } from '../../../main/documents/write-pieces.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Bytes that tell their place. */
const source = Buffer.alloc(40_000_000);
for (let at = 0; at < source.length; at += 4) source.writeUInt32LE(at, at);

describe('pieces', () => {
  const sizes = fc.array(fc.oneof(fc.nat(50), fc.nat(2_000), fc.integer({ min: 900_000, max: 1_100_000 }), fc.nat(9_000_000)), {
    maxLength: 12,
  });

  it('are in the file in their order, small and large ones', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const pieces: Buffer[] = [];
        let end = 0;
        for (const length of lengths) {
          if (end + length > source.length) break;
          pieces.push(source.subarray(end, end + length));
          end += length;
        }
        const file = await open(folder.path('a'), 'w+');
        try {
          await writePieces(file, pieces);
          const { size } = await file.stat();
          const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
          expect(size).toBe(end);
          expect(buffer.equals(source.subarray(0, end))).toBe(true);
        } finally {
          await file.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

/** The file, whose disk tells of a failure at the first of its syncs and of none afterwards. */
function failing(file: FileHandle, error: Error): FileHandle {
  let told = false;
  return new Proxy(file, {
    get(target, name) {
      if (name === 'datasync')
        return async () => {
          await target.datasync();
          if (told) return;
          told = true;
          throw error;
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a failure of the disk', () => {
  it.skipIf(process.platform !== 'linux')('on the way is not lost, though the disk tells of it once', async () => {
    const file = await open(folder.path('a'), 'w');
    const error = Object.assign(new Error('i/o error'), { code: 'EIO' });
    try {
      await expect(writePieces(failing(file, error), [source])).rejects.toBe(error);
    } finally {
      await file.close();
    }
  });

  it('of a write is told', async () => {
    const file = await open(folder.write('a', ''), 'r');
    try {
      await expect(writePieces(file, [source])).rejects.toMatchObject({ code: 'EBADF' });
    } finally {
      await file.close();
    }
  });
});
