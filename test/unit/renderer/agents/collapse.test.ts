/** What a card shows of a long text, and how much it says is left out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLAPSED_LINES, COLLAPSED_SOURCE_LINES, firstLines, lastLines } from '../../../../renderer/agents/collapse.ts';

const text = fc.array(fc.constantFrom('', 'x', 'some words'), { maxLength: 20 }).map((lines) => lines.join('\n'));
const lines = (value: string) => value.replace(/\n$/, '').split('\n');

describe('a collapsed source', () => {
  it('has six lines', () => {
    expect([COLLAPSED_LINES, COLLAPSED_SOURCE_LINES]).toEqual([3, 6]);
    expect(firstLines('1\n2\n3\n4\n5\n6\n7\n8', COLLAPSED_SOURCE_LINES)).toEqual({ text: '1\n2\n3\n4\n5\n6', hidden: 2 });
  });

  it('is whole when it fits, and a last line end is no line', () => {
    expect(firstLines('1\n2\n3\n4\n5\n6\n', COLLAPSED_SOURCE_LINES)).toEqual({ text: '1\n2\n3\n4\n5\n6', hidden: 0 });
    expect(firstLines('', 6)).toEqual({ text: '', hidden: 0 });
  });

  it('is the beginning of any text', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (value, most) => {
        const { text: shown, hidden } = firstLines(value, most);
        expect(shown).toBe(lines(value).slice(0, most).join('\n'));
        expect(hidden).toBe(Math.max(0, lines(value).length - most));
      }),
    );
  });
});

describe('collapsed output', () => {
  it('is the end of any text', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (value, most) => {
        const { text: shown, hidden } = lastLines(value, most);
        expect(shown).toBe(lines(value).slice(-most).join('\n'));
        expect(hidden).toBe(Math.max(0, lines(value).length - most));
      }),
    );
  });
});
