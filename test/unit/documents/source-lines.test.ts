/** Sources and their lines: only a line feed splits, joining gives the text again, and line ends of a file survive an edit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USUAL_STYLE } from '../../../main/documents/json-text.ts';
import { LineWriter } from '../../../main/documents/line-writer.ts';
import { multilineText, restoreLineEnds, toLines, withLineFeeds } from '../../../main/documents/source-lines.ts';

describe('toLines', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a\n']],
    ['a\nb', ['a\n', 'b']],
    ['\n\n', ['\n', '\n']],
    ['a\r\nb', ['a\r\n', 'b']],
    ['a\rb\fc\u2028d\u0085e\vf', ['a\rb\fc\u2028d\u0085e\vf']],
  ])('%j', (text, lines) => {
    expect(toLines(text)).toEqual(lines);
  });

  it('joins to the text again and never has an empty element', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', '\f', '\ud800') }), (text) => {
        const lines = toLines(text);
        expect(lines.join('')).toBe(text);
        expect(lines).not.toContain('');
        expect(lines.slice(0, -1).every((line) => line.endsWith('\n'))).toBe(true);
      }),
    );
  });
});

it.each([
  ['text', 'text'],
  [['a\n', 'b'], 'a\nb'],
  [['a\u2028', 'b'], 'a\u2028b'],
  [[], ''],
  [[1], null],
  [null, null],
  [{}, null],
])('the text of %j', (value, text) => {
  expect(multilineText(value)).toBe(text);
});

describe('line ends of a file', () => {
  it.each([
    ['no CRLF: nothing changes', 'a\nb', 'a\nc', 'a\nc'],
    ['all CRLF: new lines get it too', 'a\r\nb\r\nc', 'a\nnew\nb\nc', 'a\r\nnew\r\nb\r\nc'],
    ['mixed: lines that stay keep theirs', 'a\r\nb\nc\r\nd', 'a\nb\nX\nc\nd', 'a\r\nb\nX\nc\r\nd'],
    ['everything new', 'a\r\nb', 'x\ny\n', 'x\r\ny\r\n'],
    ['emptied', 'a\r\nb', '', ''],
  ])('%s', (_name, stored, edited, expected) => {
    expect(restoreLineEnds(stored, edited)).toBe(expected);
  });

  it('are restored exactly when nothing was edited', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r') }), (stored) => {
        expect(restoreLineEnds(stored, withLineFeeds(stored))).toBe(stored);
      }),
    );
  });

  it('never change anything but line ends', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n') });
    fc.assert(
      fc.property(text, text.map(withLineFeeds), (stored, edited) => {
        expect(withLineFeeds(restoreLineEnds(stored, edited))).toBe(edited);
      }),
    );
  });
});

it('text that comes in parts makes the same lines as the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '😀', '"') })), (parts) => {
      const writer = new LineWriter(USUAL_STYLE, 0);
      const units = parts.join('').split('');
      const written = units.map((unit) => writer.push(unit)).join('') + writer.end();
      expect(written).toBe(JSON.stringify(toLines(parts.join('')), null, 1));
    }),
  );
});
