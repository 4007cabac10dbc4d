/** The terminal: what single sequences do, and that the result never depends on where a stream was cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutStyles } from '../../../main/execution/sgr.ts';
import { Terminal } from '../../../main/execution/terminal.ts';

/** `String.prototype.isWellFormed`, which the types of this project's target do not have. */
function isWellFormed(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

function render(...chunks: string[]): string {
  const terminal = new Terminal();
  let settled = '';
  for (const chunk of chunks) settled += terminal.write(chunk).join('');
  return settled + terminal.screen();
}

const ESC = '\x1b';
const UP = `${ESC}[A`;

describe('cursor and erasing', () => {
  it.each<[string, string, string]>([
    ['plain text stays', 'one\ntwo\tthree\n', 'one\ntwo\tthree\n'],
    ['a carriage return overwrites', '10%\r20%\r30%\n', '30%\n'],
    ['what is longer stays behind', 'longer\rab\n', 'abnger\n'],
    ['CR LF is a line end', 'a\r\nb\r\n', 'a\nb\n'],
    ['a carriage return at the end changes nothing yet', 'kept\r', 'kept'],
    ['backspace moves and does not erase', 'abc\b\bX', 'aXc'],
    ['backspace stops at the margin', 'a\b\b\bb', 'b'],
    ['erase to the end of the line', `abcdef\r${ESC}[K`, ''],
    ['erase from the cursor', `abcdef\r${ESC}[2C${ESC}[K`, 'ab'],
    ['erase to the cursor at the end', `abc${ESC}[1K`, ''],
    ['erase to the cursor', `abcdef${ESC}[3G${ESC}[1K`, '   def'],
    ['erase the line, cursor stays', `abc${ESC}[2K`, ''],
    ['erase below', `a\nb\nc${UP}${ESC}[J`, 'a\nb'],
    ['column', `abc${ESC}[1Gx`, 'xbc'],
    ['left and right', `abc${ESC}[2D-${ESC}[C!`, 'a-c!'],
    ['up and down keep the column', `ab\ncd${UP}x${ESC}[By`, 'abx\ncd y'],
    ['previous and next line go to the margin', `ab\ncd${ESC}[Fx${ESC}[Ey`, 'xb\nyd'],
    ['up stops at the first row', `a${ESC}[99Ab`, 'ab'],
    ['down stops at the last row', `a\nb${ESC}[9Bc`, 'a\nbc'],
    ['line feed in the middle goes down', `1\n2\n3${UP}${UP}\nX`, '1\nX\n3'],
    ['a gap is filled with blanks', `a\n\r${UP}${ESC}[5Gx`, 'a   x\n'],
  ])('%s', (_name, input, output) => {
    expect(render(input)).toBe(output);
  });

  it('shows two stacked bars as two lines', () => {
    let stream = '\n';
    for (let step = 0; step <= 10; step += 1) stream += `${UP}\router ${step}\n\rinner ${step % 3}`;
    expect(render(stream)).toBe('outer 10\ninner 1');
  });

  it('shows two bars one after the other as two lines', () => {
    expect(render('\ra 50%', '\ra 100%\n', '\rb 50%', '\rb 100%\n')).toBe('a 100%\nb 100%\n');
  });

  it('does not let a few bytes make much text', () => {
    expect(render(`${ESC}[8000Gx`).length).toBeLessThan(300);
  });
});

describe('what passes and what does not', () => {
  it.each<[string, string, string]>([
    [
      'colours as they were written',
      `${ESC}[31mred${ESC}[m ${ESC}[38;5;9mx${ESC}[0m\n`,
      `${ESC}[31mred${ESC}[m ${ESC}[38;5;9mx${ESC}[0m\n`,
    ],
    ['angle brackets', `${ESC}[31m<i>x</i>${ESC}[0m <class 'int'>`, `${ESC}[31m<i>x</i>${ESC}[0m <class 'int'>`],
    ['private and unknown control sequences', `${ESC}[?25lspin${ESC}[?25h${ESC}[>4;1m${ESC}[5z${ESC}[2 q`, 'spin'],
    ['single escapes', `${ESC}(B${ESC}7a${ESC}8${ESC}=b${ESC}c`, 'ab'],
    ['a title', `${ESC}]0;title\x07a`, 'a'],
    ['a device string', `${ESC}Pq#0;2;0${ESC}\\a`, 'a'],
    ['control characters', 'a\x00\x07\x0b\x0c\x7f\x85\x9bb', 'ab'],
    [
      'a safe link',
      `${ESC}]8;id=1;https://example.org${ESC}\\t${ESC}]8;;${ESC}\\`,
      `${ESC}]8;;https://example.org${ESC}\\t${ESC}]8;;${ESC}\\`,
    ],
    ['a safe link ended by BEL', `${ESC}]8;;mailto:a@b.c\x07t${ESC}]8;;\x07`, `${ESC}]8;;mailto:a@b.c${ESC}\\t${ESC}]8;;${ESC}\\`],
    ['the text of an unsafe link', `${ESC}]8;;javascript:alert(1)\x07t${ESC}]8;;\x07`, 't'],
    ['the text of a link with blanks', `${ESC}]8;;https://a b\x07t${ESC}]8;;\x07`, 't'],
    ['everything after an unfinished string', `p ${ESC}]8;;q\nr\n`, 'p 8;;q\nr\n'],
    ['a sequence cut short by another', `a${ESC}[3${ESC}[31mb`, `a${ESC}[31mb`],
    ['lone surrogates as the replacement character', 'a\ud800b\udc00c\ud800', 'a\ufffdb\ufffdc'],
    ['pairs', 'a\u{1f600}b', 'a\u{1f600}b'],
  ])('%s', (_name, input, output) => {
    expect(render(input)).toBe(output);
  });

  it('gives up an unfinished string after a limit', () => {
    const long = 'x'.repeat(10_000);
    expect(render(`${ESC}]0;${long}`)).toBe(`0;${long}`);
    expect(withoutStyles(render(`${ESC}[${'1'.repeat(10_000)}m`))).toMatch(/^1+m$/);
  });

  it('keeps the colours of what an overwrite leaves', () => {
    expect(render(`${ESC}[31mred${ESC}[0m\rX\n`)).toBe(`X${ESC}[31med${ESC}[0m\n`);
    expect(render(`${ESC}[1mab\n${ESC}[32mcd${UP}\rX\nY`)).toBe(`${ESC}[1;32mX${ESC}[0;1mb\n${ESC}[0;1;32mYd`);
  });
});

/** Pieces that streams are made of, dense in what is hard. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 4, arbitrary: fc.constantFrom('\n', '\r', '\b', '\r\n', '\t', 'word', '█▌', '\u{1f600}') },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'J', 'K', 'm', 'z'), fc.integer({ min: 0, max: 9 }))
      .map(([final, count]) => `${ESC}[${count}${final}`),
  },
  { weight: 2, arbitrary: fc.constantFrom(`${ESC}[31m`, `${ESC}[0m`, `${ESC}[1;38;5;200m`, `${ESC}[38:2::1:2:3m`, `${ESC}[22;39m`) },
  { weight: 1, arbitrary: fc.constantFrom(`${ESC}]8;;https://x.y${ESC}\\`, `${ESC}]8;;\x07`, `${ESC}]0;t`, `${ESC}[`, ESC, `${ESC}Pq`) },
  { weight: 1, arbitrary: fc.constantFrom('\ud83d', '\ude00', '\x00', '\x9b', '\x7f') },
);
const stream = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index] ?? text.length));
}

describe('properties', () => {
  it('gives the same text however the stream is cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
        expect(render(...cutAt(text, places))).toBe(render(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives the same text one UTF-16 unit at a time', () => {
    fc.assert(
      fc.property(stream, (text) => {
        expect(render(...text.split(''))).toBe(render(text));
      }),
      { numRuns: 500 },
    );
  });

  it('lets no control character, unknown sequence or lone surrogate pass', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const plain = withoutStyles(render(text));
        expect(plain).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(isWellFormed(plain)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves plain text as it is', () => {
    const plain = fc
      .array(fc.constantFrom('a', 'word ', '\n', '\t', 'é', '数', '\u{1f600}'), { maxLength: 200 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(plain, (text) => {
        expect(render(text)).toBe(text);
      }),
    );
  });

  it('shows in its own text what it shows', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const once = render(text);
        expect(withoutStyles(render(once))).toBe(withoutStyles(once));
      }),
      { numRuns: 500 },
    );
  });
});

describe('long streams', () => {
  /** Long enough for the path that skips what can't be on the screen, with every length of line. */
  const long = fc
    .tuple(fc.array(fc.nat({ max: 9_500 }), { minLength: 20, maxLength: 60 }), fc.array(fc.nat(), { maxLength: 12 }), stream)
    .map(([lengths, places, end]) => {
      const lines = lengths.map((length, index) => String.fromCharCode(97 + (index % 26)).repeat(length));
      return { text: `${lines.join('\n')}${end}`, places };
    });

  it('gives the same text however they are cut', () => {
    fc.assert(
      fc.property(long, ({ text, places }) => {
        expect(render(...cutAt(text, places))).toBe(render(text));
        expect(render(...(text.match(/[\s\S]{1,1000}/g) ?? []))).toBe(render(text));
      }),
      { numRuns: 60 },
    );
  });

  it('can change the last 256 rows and nothing above', () => {
    const rows = (count: number) => 'row\n'.repeat(count);
    expect(render(rows(300), `${ESC}[999A`, 'X')).toBe(`${rows(45)}Xow\n${rows(254)}`);
  });

  it('settles what is too far up to change', () => {
    const terminal = new Terminal();
    const settled = terminal.write('0123456789\n'.repeat(100_000)).join('');
    expect(settled.length).toBeGreaterThan(1_000_000);
    expect(settled + terminal.screen()).toBe('0123456789\n'.repeat(100_000));
  });

  it('wraps endless lines without a mark', () => {
    const line = 'x'.repeat(100_000);
    expect(render(line, line)).toBe(line + line);
  });
});
