/** Reading a file's JSON while it comes in: wherever the bytes that are there end, the structure is that of the whole, and nothing beyond is looked at. */
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingScan } from '../../../main/documents/growing-scan.ts';
import { scanAtOnce } from '../../../main/documents/json-spans.ts';
import { mutate } from './malformed.ts';

const KEEP = { keepDepth: 3 };

/** The structure after the bytes came in these parts. What is not there yet is filled with what would be read as part of a number. */
async function grown(text: Buffer, parts: readonly number[]): Promise<unknown> {
  const bytes = Buffer.alloc(text.length, '7');
  const scan = new GrowingScan(bytes, KEEP);
  for (let at = 0, index = 0; at < text.length; index += 1) {
    const next = Math.min(text.length, at + parts[index % parts.length]!);
    text.copy(bytes, at, at, next);
    await scan.upTo(next);
    at = next;
  }
  return scan.whole?.root ?? null;
}

function atOnce(text: Buffer): unknown {
  try {
    return scanAtOnce(text, KEEP).root;
  } catch {
    return null;
  }
}

const parts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });

describe('a file that comes in in parts', () => {
  it('has the structure of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), parts, async (value, sizes) => {
        const text = Buffer.from(JSON.stringify(value, null, 1));
        expect(await grown(text, sizes)).toEqual(atOnce(text));
      }),
      { numRuns: 300 },
    );
  });

  it('has none where the whole is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.nat(), parts, async (value, seed, sizes) => {
        const text = Buffer.from(mutate(JSON.stringify(value, null, 1), seed, seed));
        expect(await grown(text, sizes)).toEqual(atOnce(text));
      }),
      { numRuns: 300 },
    );
  });

  it('may hold numbers longer than a part, and escapes and words across the parts', async () => {
    const text = Buffer.from(`[${'1'.repeat(300)},"\\u00e9\\n${'\\u00e9'.repeat(50)}",${'true,null,-1.5e+10,'.repeat(20)}false]`);
    for (let size = 1; size < 50; size += 1) expect(await grown(text, [size])).toEqual(atOnce(text));
  });

  it('may hold characters across the parts', async () => {
    const text = Buffer.from(JSON.stringify(['é€😀 '.repeat(40), '\u0800\uffff', 'ü']));
    for (let size = 1; size < 30; size += 1) expect(await grown(text, [size])).toEqual(atOnce(text));
  });

  it('has no structure where a byte is not UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })),
        fc.nat(),
        fc.nat({ max: 255 }),
        parts,
        async (value, seed, byte, sizes) => {
          const text = Buffer.from(JSON.stringify(value));
          text[seed % text.length] = byte;
          expect(await grown(text, sizes)).toEqual(isUtf8(text) ? atOnce(text) : null);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is waited for where one number is all there is', async () => {
    const text = Buffer.from('1'.repeat(200_000));
    expect(await grown(text, [90_000])).toEqual(atOnce(text));
  });
});
