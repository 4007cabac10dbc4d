import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAnsi, stripAnsi } from '../../../renderer/outputs/ansi.ts';
import { movesCursor, settleText } from '../../../renderer/outputs/terminal-text.ts';
import type { TextBlock } from '../../../renderer/outputs/text-blocks.ts';
import { createSplitter } from '../../../renderer/outputs/text-blocks.ts';

const ESC = '\x1b';
const join = (blocks: readonly TextBlock[]): string => blocks.map((block) => block.text).join('');
const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index} of the log\n`).join('');

describe('blocks', () => {
  test('a megabyte that grows keeps every block but the last', () => {
    const split = createSplitter();
    let text = lines(40_000);
    let before = split(text);
    expect(join(before)).toBe(text);
    expect(before.length).toBeGreaterThan(100);
    for (let step = 0; step < 50; step += 1) {
      text += `${ESC}[32mstep ${step}${ESC}[0m\n`;
      const after = split(text);
      expect(join(after)).toBe(text);
      const kept = after.filter((block) => before.includes(block)).length;
      expect(after.length - kept).toBeLessThanOrEqual(2);
      before = after;
    }
  });

  test('text taken away in front leaves the blocks behind it alone', () => {
    const split = createSplitter();
    const whole = lines(30_000);
    const before = split(whole);
    const after = split(whole.slice(whole.indexOf('\n', 20_000) + 1) + lines(40, 30_000));
    const kept = after.filter((block) => before.includes(block)).length;
    expect(after.length - kept).toBeLessThanOrEqual(3);
  });

  test('the growing block keeps its key', () => {
    const split = createSplitter();
    const first = split('a\nb');
    const second = split('a\nbc\nd');
    expect(second).toHaveLength(1);
    expect(second[0]!.id).toBe(first[0]!.id);
  });

  test('one endless line is cut, never inside a character or an escape sequence', () => {
    const text = `${`${ESC}[38;5;196m`}${'𝒳'.repeat(30_000)}${ESC}[0m${'y'.repeat(120_000)}`;
    const blocks = createSplitter()(text);
    expect(blocks.length).toBeGreaterThan(5);
    expect(join(blocks)).toBe(text);
    for (const block of blocks) {
      expect(() => encodeURIComponent(block.text)).not.toThrow();
      expect(parseAnsi(block.text, block.start).pending).toBe('');
    }
  });

  test('a colour goes on in the next block', () => {
    const blocks = createSplitter()(`${ESC}[31m${lines(2000)}`);
    expect(blocks.length).toBeGreaterThan(2);
    for (const block of blocks.slice(1)) expect(block.start.fg).toEqual({ named: 1 });
  });

  test('any sequence of texts gives blocks that join to the text, each starting in the style the one before ended in', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/[\r\b\x1b]/g, '')),
      fc.constantFrom(`${ESC}[31m`, `${ESC}[0m`, `${ESC}[1m`),
    );
    const text = fc.array(line, { maxLength: 400 }).map((parts) => parts.join('\n'));
    const steps = fc.array(fc.record({ keep: fc.integer({ min: 0, max: 100 }), add: text }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(steps, (edits) => {
        const split = createSplitter();
        let current = '';
        for (const { keep, add } of edits) {
          current = current.slice(Math.floor((current.length * (100 - keep)) / 100)) + add;
          const blocks = split(current);
          expect(join(blocks)).toBe(current);
          expect(new Set(blocks.map((block) => block.id)).size).toBe(blocks.length);
          blocks.forEach((block, index) => {
            expect(block.end).toEqual(parseAnsi(block.text, block.start).end);
            if (index > 0) expect(block.start).toEqual(blocks[index - 1]!.end);
          });
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('texts that move the cursor, as files of other programs hold them', () => {
  test.each<[string, string, string]>([
    ['progress bar', '10%\r50%\r100%\n', '100%\n'],
    ['shorter text leaves the rest', 'abcdef\rxy\n', 'xycdef\n'],
    ['erase to the end', `abcdef\r${ESC}[Kxy\n`, 'xy\n'],
    ['erase the line', `abcdef${ESC}[2K\rxy`, 'xy'],
    ['backspace', 'ab\b\bX', 'Xb'],
    ['backspace at the start', '\b\bX', 'X'],
    ['two bars by cursor up', `a 1\nb 1\n${ESC}[2Aa 2\nb 2\n`, 'a 2\nb 2\n'],
    ['cursor up without a number', `one\n${ESC}[Atwo\n`, 'two\n'],
    ['cursor up past the top', `one\n${ESC}[99Atwo`, 'two\n'],
    ['column', `abc${ESC}[1Gx`, 'xbc'],
    ['forward over nothing', `${ESC}[3Cx`, '   x'],
    ['erase below', `a\nb\nc${ESC}[2A\r${ESC}[Jx`, 'x'],
    ['two bars one after the other', '1\r2\n3\r4\n', '2\n4\n'],
    ['line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
    ['a hostile count', `x${ESC}[999999999Bend`, `x${'\n'.repeat(1000)} end`],
  ])('%s', (_name, text, expected) => {
    expect(stripAnsi(settleText(text))).toBe(expected);
    expect(stripAnsi(join(createSplitter()(text)))).toBe(expected);
  });

  test('colours stay with their characters', () => {
    const settled = settleText(`${ESC}[31mred${ESC}[0m bar\r${ESC}[32mG${ESC}[0m`);
    expect(parseAnsi(settled).runs.map((run) => [run.text, run.style.fg])).toEqual([
      ['G', { named: 2 }],
      ['ed', { named: 1 }],
      [' bar', null],
    ]);
  });

  test('only texts that need it are settled', () => {
    for (const text of ['plain\n', 'windows\r\n', `${ESC}[31mred${ESC}[0m`, 'ends in a return\r']) expect(movesCursor(text)).toBe(false);
    for (const text of ['a\rb', 'a\b', `${ESC}[A`, `${ESC}[2K`]) expect(movesCursor(text)).toBe(true);
  });

  test('settling a settled text changes nothing', () => {
    const part = fc.constantFrom(
      'abc',
      'x',
      '\n',
      '\r',
      '\b',
      `${ESC}[A`,
      `${ESC}[K`,
      `${ESC}[31m`,
      `${ESC}[0m`,
      `${ESC}[1;4;48;2;1;2;3m`,
      `${ESC}[2D`,
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const once = settleText(parts.join(''));
        const twice = settleText(once);
        expect(parseAnsi(twice).runs).toEqual(parseAnsi(once).runs);
        expect(once).not.toMatch(/\r|[\b]/);
      }),
      { numRuns: 1000 },
    );
  });
});
