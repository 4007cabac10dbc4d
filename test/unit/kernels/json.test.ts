import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePythonJson } from '../../../main/kernels/direct/json.ts';

/** As Python's json.dumps writes it. */
function pythonJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

test('everything that Python writes is read, also where strings look like its numbers', () => {
  const text = fc.oneof(fc.constantFrom('NaN', '-Infinity', '"NaN', '\\', '\\"Infinity\\'), fc.string());
  const number = fc.oneof(fc.constantFrom(Number.NaN, Infinity, -Infinity), fc.integer(), fc.double());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, text, number, fc.boolean(), fc.constant(null), tie('list'), tie('record')),
    list: fc.array(tie('value')),
    record: fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('value'),
    ),
  }));
  fc.assert(
    fc.property(value, (given) => {
      // JSON has no negative zero.
      expect(JSON.stringify(parsePythonJson(pythonJson(given)))).toBe(JSON.stringify(given));
    }),
  );
});

test.each([
  ['[NaN]', [Number.NaN]],
  ['[-Infinity,Infinity, 1e5]', [-Infinity, Infinity, 100_000]],
  ['{"a": {"NaN": NaN}}', { a: { NaN: Number.NaN } }],
  ['"Infinity"', 'Infinity'],
  ['-Infinity', -Infinity],
])('%s', (text, value) => {
  expect(parsePythonJson(text)).toEqual(value);
});

test.each(['', '{', 'nan', 'Inf', '[NaN', '{"a": NaN NaN}', '["NaN]', 'N', '"unclosed'])('%j is refused', (text) => {
  expect(() => parsePythonJson(text)).toThrow(SyntaxError);
});

test('a long text with one such number is read in time that grows with it', () => {
  const long = 'x'.repeat(4_000_000);
  expect(parsePythonJson(`{"a": "${long}", "b": NaN}`)).toEqual({ a: long, b: Number.NaN });
});
