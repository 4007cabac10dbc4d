/** The diff a person reviews: nothing of either text is lost, and little is said beyond what changed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffCounts, diffRows, lineDiff } from '../../../../renderer/agents/line-diff.ts';

const signs = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`);
/** Few different lines, so that texts have much in common. */
const source = fc.array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 30 }).map((lines) => lines.join('\n'));

describe('a diff', () => {
  it.each([
    ['', '', []],
    ['', 'a\nb', ['+a', '+b']],
    ['a\nb\n', '', ['-a', '-b']],
    ['a\nb\nc', 'a\nB\nc', [' a', '-b', '+B', ' c']],
    ['a\nc', 'a\nb\nc', [' a', '+b', ' c']],
    ['x\ny\nz', 'y\nz\nw', ['-x', ' y', ' z', '+w']],
    ['a', 'a\n', [' a']],
    ['a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', [' a', '-b', '+B', ' c']],
    ['a\r\nb\r\nc', 'a\nB\nc', [' a', '-b', '+B', ' c']],
    ['a\nb', 'a\r\nb\r\n', [' a', ' b']],
    ['a\rb', 'a\rc', ['-a\rb', '+a\rc']],
  ])('of %j and %j', (before, after, expected) => {
    expect(signs(before, after)).toEqual(expected);
  });

  it('holds both texts, whatever they are', () => {
    fc.assert(
      fc.property(source, source, (before, after) => {
        const diff = lineDiff(before, after);
        const side = (other: string) => diff.filter(({ kind }) => kind !== other).map(({ text }) => text);
        const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
        expect(side('added')).toEqual(lines(before));
        expect(side('removed')).toEqual(lines(after));
      }),
    );
  });

  it('says nothing of a text that stays', () => {
    fc.assert(
      fc.property(source, (text) => {
        expect(diffCounts(lineDiff(text, text))).toEqual({ added: 0, removed: 0 });
      }),
    );
  });

  it('of two long texts without anything in common is one block each', () => {
    const before = Array.from({ length: 2_000 }, (_, index) => `old ${index}`).join('\n');
    const after = Array.from({ length: 2_000 }, (_, index) => `new ${index}`).join('\n');
    const kinds = lineDiff(before, after).map(({ kind }) => kind);
    expect(kinds.slice(0, 2_000).every((kind) => kind === 'removed')).toBe(true);
    expect(diffCounts(lineDiff(before, after))).toEqual({ added: 2_000, removed: 2_000 });
  });
});

describe('its rows', () => {
  it('leave out what is far from a change, and count it', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    const rows = diffRows(lineDiff(before, before.replace('line 10', 'LINE 10')));
    expect(rows[0]).toEqual({ kind: 'gap', lines: 8 });
    expect(rows.at(-1)).toEqual({ kind: 'gap', lines: 7 });
    expect(rows).toHaveLength(1 + 2 + 2 + 2 + 1);
  });

  it('show a single line rather than say that one is left out', () => {
    const rows = diffRows(lineDiff('a\nb\nc\nd\ne\nf\ng', 'A\nb\nc\nd\ne\nf\nG'));
    expect(rows.filter(({ kind }) => kind === 'gap')).toEqual([]);
    expect(rows.filter(({ kind }) => kind === 'same')).toHaveLength(5);
  });

  it('lose no line between their gaps', () => {
    fc.assert(
      fc.property(source, source, (before, after) => {
        const diff = lineDiff(before, after);
        const count = diffRows(diff).reduce((sum, row) => sum + (row.kind === 'gap' ? row.lines : 1), 0);
        expect(count).toBe(diff.length);
      }),
    );
  });
});
