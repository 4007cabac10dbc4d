/** The scanner against `JSON.parse`: the same texts are accepted, errors name the place, and slices of any size give the same spans. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError } from '../../../main/documents/json-errors.ts';
import { JsonScanner, MAX_DEPTH, scanAtOnce } from '../../../main/documents/json-spans.ts';
import { decodeJson } from '../../../main/documents/json-text.ts';
import { mutate } from './malformed.ts';

function problem(text: string): JsonSyntaxError | null {
  try {
    scanAtOnce(Buffer.from(text), { keepDepth: 3 });
    return null;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('what is accepted', () => {
  it('accepts any JSON text and keeps spans that decode to its parts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const bytes = Buffer.from(text);
        const { root } = scanAtOnce(bytes, { keepDepth: 2 });
        expect(decodeJson(bytes, root.start, root.end)).toEqual(JSON.parse(text));
        for (const child of root.children ?? []) {
          const part = decodeJson(bytes, child.start, child.end);
          if (root.kind === 'object') expect((JSON.parse(text) as Record<string, unknown>)[child.key!]).toEqual(part);
        }
      }),
    );
  });

  it('agrees with JSON.parse on damaged texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), fc.nat(), (value, kind, seed) => {
        const text = mutate(JSON.stringify(value, null, 1), kind, seed);
        // Bare NaN and Infinity are the one thing that is accepted beyond JSON.
        if (/NaN|Infinity/.test(text)) return;
        expect(problem(text) === null).toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees with JSON.parse on long lists of texts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '"', '\\', '\n', '\u001b', '\u20ac', '0'), maxLength: 60 });
    const list = fc.oneof(fc.array(text, { maxLength: 30 }), fc.array(fc.oneof(text, fc.double(), fc.array(text)), { maxLength: 30 }));
    const spaces = fc.constantFrom(undefined, 1, 4, '\t');
    fc.assert(
      fc.property(list, spaces, fc.boolean(), fc.nat(), fc.nat(), fc.boolean(), (value, indent, damage, kind, seed, crlf) => {
        const plain = JSON.stringify({ outputs: [value] }, null, indent);
        const ends = crlf ? plain.replaceAll('\n', '\r\n') : plain;
        const text = damage ? mutate(ends, kind, seed) : ends;
        if (/NaN|Infinity/.test(text)) return;
        expect(problem(text) === null).toBe(parses(text));
        if (damage) return;
        const scanner = scanAtOnce(Buffer.from(text), { keepDepth: 2 });
        expect(scanner.root.children![0]!.children![0]!.count).toBe(value.length);
        expect(scanner.hasCarriageReturn).toBe(text.includes('\r'));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['NaN', '-Infinity', 'Infinity', '[1,NaN]', '{"a":Infinity}'])('accepts %s as Python writes it', (text) => {
    const scanner = scanAtOnce(Buffer.from(text), { keepDepth: 0 });
    expect(scanner.hasBareTokens).toBe(true);
  });

  it('decodes bare tokens but not those inside strings', () => {
    expect(decodeJson(Buffer.from('{"a":NaN,"b":-Infinity,"NaN":"Infinity \\" NaN","c":[Infinity]}'))).toEqual({
      a: Number.NaN,
      b: Number.NEGATIVE_INFINITY,
      NaN: 'Infinity " NaN',
      c: [Number.POSITIVE_INFINITY],
    });
  });

  it('reads every key, usual or nearly so, as it is written', () => {
    const keys = [
      'source',
      'sourcf',
      'id',
      'ie',
      'cell_type',
      'cell_typf',
      'execution_count',
      'outputs',
      '',
      's\\u006furce',
      'métadata',
      'i\\n',
    ];
    const { root } = scanAtOnce(Buffer.from(`{${keys.map((key) => `"${key}":1`).join(',')}}`), { keepDepth: 1 });
    expect(root.children!.map(({ key }) => key)).toEqual(keys.map((key) => JSON.parse(`"${key}"`) as string));
  });

  it('keeps duplicate keys in order and counts what it does not keep', () => {
    const { root } = scanAtOnce(Buffer.from('{"a":1,"a":[[1,2],{}],"b":{"c":[1,2,3]}}'), { keepDepth: 1 });
    expect(root.children!.map(({ key, count, children }) => [key, count, children])).toEqual([
      ['a', 0, null],
      ['a', 2, null],
      ['b', 1, null],
    ]);
  });
});

describe('what is refused, and where', () => {
  it.each([
    ['', 1, 1, 0, 'the text ends too early'],
    ['{"a": 1', 1, 8, 7, 'the text ends too early'],
    ['{"cells": [', 1, 12, 11, 'the text ends too early'],
    ['"abc', 1, 5, 4, 'the text ends too early'],
    ['"abc\\', 1, 6, 5, 'the text ends too early'],
    ['"abc\\u12', 1, 9, 8, 'the text ends too early'],
    ['tru', 1, 4, 3, 'the text ends too early'],
    ['1.', 1, 3, 2, 'the text ends too early'],
    ['{\n "a": tru\n}', 2, 7, 8, 'a value should start here, not "tru"'],
    ['{"a" 1}', 1, 6, 5, 'a colon is missing after the key'],
    ['{"a": 1,}', 1, 9, 8, 'a comma stands before "}"'],
    ['[1,]', 1, 4, 3, 'a comma stands before "]"'],
    ['[1 2]', 1, 4, 3, 'a comma or "]" should stand here'],
    ['{"a":1 "b":2}', 1, 8, 7, 'a comma or "}" should stand here'],
    ['{a: 1}', 1, 2, 1, 'a key in double quotes should stand here'],
    ["{'a': 1}", 1, 2, 1, 'a key in double quotes should stand here'],
    ["['a']", 1, 2, 1, 'JSON strings stand in double quotes'],
    ['[1, // one\n2]', 1, 5, 4, 'JSON has no comments'],
    ['{"a":}', 1, 6, 5, 'a value is missing before "}"'],
    ['[01]', 1, 2, 1, 'a number starts with a zero'],
    ['[-]', 1, 3, 2, 'a digit is missing in a number'],
    ['["a\tb"]', 1, 4, 3, 'a string holds an unescaped control character (0x09)'],
    ['["\\x41"]', 1, 3, 2, 'a string holds an unknown escape'],
    ['["\\u00g0"]', 1, 3, 2, 'a \\u escape needs four hexadecimal digits'],
    ['{}\n{}', 2, 1, 3, 'there is more text after the end of the JSON value'],
    ['\u0000', 1, 1, 0, 'there is a zero byte where a value should start'],
    ['["é", x]', 1, 7, 7, 'a value should start here, not "x"'],
  ])('%j', (text, line, column, offset, reason) => {
    expect(problem(text)).toMatchObject({ line, column, offset, reason });
  });

  it('says line and column after a byte order mark as an editor would', () => {
    const bytes = Buffer.from('\ufeff[x]');
    expect(() => scanAtOnce(bytes, { start: 3, keepDepth: 0 })).toThrow('line 1, column 2 (byte 4)');
  });

  it('refuses endless nesting without overflowing the stack', () => {
    expect(problem('['.repeat(10_000_000))).toMatchObject({ offset: MAX_DEPTH, reason: 'values are nested deeper than 2,000 levels' });
    expect(problem('{"a":'.repeat(1_000_000))?.reason).toBe('values are nested deeper than 2,000 levels');
    expect(problem(`${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`)).toBeNull();
  });

  it('refuses a text of millions of cells before memory runs out', () => {
    expect(problem(`{"cells":[${'0,'.repeat(5_100_000)}0]}`)?.reason).toMatch(/^there are more than 5,000,000/);
  });
});

/** Any JSON, or the long texts that are most of a notebook. */
const sliced = fc.oneof(
  fc.jsonValue(),
  fc.array(fc.string({ unit: fc.constantFrom('plain text of some length ', '\u001b[0m', 'é', '"', '\\', '\n'), maxLength: 12 })),
);

it('gives the same spans and errors for slices of any size', () => {
  fc.assert(
    fc.property(sliced, fc.boolean(), fc.nat(), fc.integer({ min: 1, max: 90 }), (value, damage, seed, slice) => {
      const plain = JSON.stringify(value, null, 1);
      const bytes = Buffer.from(damage ? mutate(plain, seed, seed) : plain);
      const run = (budget: number): unknown => {
        const scanner = new JsonScanner(bytes, { keepDepth: 3 });
        try {
          while (!scanner.advance(budget));
          return scanner.root;
        } catch (error) {
          return String(error);
        }
      };
      expect(run(slice)).toEqual(run(Number.POSITIVE_INFINITY));
    }),
    { numRuns: 500 },
  );
});

it('reads a part of a larger buffer at any alignment', () => {
  const text = JSON.stringify({ long: 'x'.repeat(100), quote: `${'y'.repeat(40)}"\\` });
  for (let offset = 0; offset < 9; offset += 1) {
    const bytes = Buffer.from(`${'#'.repeat(offset)}${text}####`);
    const { root } = scanAtOnce(bytes, { start: offset, end: offset + text.length, keepDepth: 1 });
    expect(root.children!.map(({ start, end }) => decodeJson(bytes, start, end))).toEqual(['x'.repeat(100), `${'y'.repeat(40)}"\\`]);
  }
});
