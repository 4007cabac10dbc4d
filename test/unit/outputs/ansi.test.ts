import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnsiStyle } from '../../../renderer/outputs/ansi.ts';
import { endStyle, PLAIN, paletteColor, parseAnsi, safeHref, stripAnsi } from '../../../renderer/outputs/ansi.ts';

const ESC = '\x1b';

/** Runs as `[text, what differs from plain]`. */
function shape(text: string): [string, Partial<AnsiStyle>][] {
  return parseAnsi(text).runs.map((run) => [run.text, difference(run.style)]);
}

function difference(style: AnsiStyle): Partial<AnsiStyle> {
  const entries = Object.entries(style).filter(([name, value]) => value !== PLAIN[name as keyof AnsiStyle]);
  return Object.fromEntries(entries);
}

describe('colours and attributes', () => {
  const red = { fg: { named: 1 } };
  test.each<[string, string, [string, Partial<AnsiStyle>][]]>([
    ['plain text', 'a\tb\nc', [['a\tb\nc', {}]]],
    [
      '16 colours',
      `${ESC}[31mr${ESC}[0mp`,
      [
        ['r', red],
        ['p', {}],
      ],
    ],
    [
      'reset without a number',
      `${ESC}[1;31mr${ESC}[mp`,
      [
        ['r', { ...red, bold: true }],
        ['p', {}],
      ],
    ],
    ['bright', `${ESC}[94;103mx`, [['x', { fg: { named: 12 }, bg: { named: 11 } }]]],
    ['256 colours, named range', `${ESC}[38;5;9mx`, [['x', { fg: { named: 9 } }]]],
    ['256 colours, cube', `${ESC}[38;5;28;01mdef`, [['def', { fg: { rgb: [0, 135, 0] }, bold: true }]]],
    ['256 colours, grey', `${ESC}[48;5;255mx`, [['x', { bg: { rgb: [238, 238, 238] } }]]],
    ['true colour', `${ESC}[38;2;1;2;3mx`, [['x', { fg: { rgb: [1, 2, 3] } }]]],
    ['true colour with colons', `${ESC}[38:2::1:2:3mx`, [['x', { fg: { rgb: [1, 2, 3] } }]]],
    ['true colour with colons, no colour space', `${ESC}[38:2:1:2:3mx`, [['x', { fg: { rgb: [1, 2, 3] } }]]],
    ['colour number out of range', `${ESC}[38;5;999mx`, [['x', {}]]],
    ['true colour out of range', `${ESC}[38;2;1;2;300mx`, [['x', {}]]],
    [
      'all attributes',
      `${ESC}[1;2;3;4;7;9mx`,
      [['x', { bold: true, faint: true, italic: true, underline: true, inverse: true, strike: true }]],
    ],
    ['bold and faint off', `${ESC}[1;2;22mx`, [['x', {}]]],
    ['each off', `${ESC}[3;4;7;9m${ESC}[23;24;27;29mx`, [['x', {}]]],
    [
      'underline styles',
      `${ESC}[4:3mx${ESC}[4:0my`,
      [
        ['x', { underline: true }],
        ['y', {}],
      ],
    ],
    [
      'default colours',
      `${ESC}[31;41mx${ESC}[39;49my`,
      [
        ['x', { ...red, bg: { named: 1 } }],
        ['y', {}],
      ],
    ],
    [
      'background on and off within syntax colours',
      `${ESC}[38;5;241;43m.${ESC}[39;49m;`,
      [
        ['.', { fg: { rgb: [98, 98, 98] }, bg: { named: 3 } }],
        [';', {}],
      ],
    ],
    ['unknown codes', `${ESC}[5;8;53mx`, [['x', {}]]],
    ['same style twice makes one run', `${ESC}[31ma${ESC}[31mb`, [['ab', red]]],
  ])('%s', (_name, text, expected) => {
    expect(shape(text)).toEqual(expected);
  });
});

describe('other sequences', () => {
  test.each<[string, string, string]>([
    ['cursor show and hide', `a${ESC}[?25lb${ESC}[?25h`, 'ab'],
    ['erase line', `a${ESC}[2Kb`, 'ab'],
    ['private SGR-like', `a${ESC}[>4;1mb`, 'ab'],
    ['with an intermediate', `a${ESC}[1 qb`, 'ab'],
    ['character set', `a${ESC}(Bb`, 'ab'],
    ['single', `a${ESC}7b${ESC}=c`, 'abc'],
    ['device control string', `a${ESC}P1$r0m${ESC}\\b`, 'ab'],
    ['window title, BEL', `a${ESC}]0;title\x07b`, 'ab'],
    ['window title, ST', `a${ESC}]0;title${ESC}\\b`, 'ab'],
    ['window title, 8-bit ST', `a${ESC}]0;title\x9cb`, 'ab'],
    ['a character that cannot stand in a sequence', `a${ESC}[31äb`, 'aäb'],
    ['a line feed inside a sequence', `a${ESC}[3\nb`, 'a\nb'],
    ['control characters', 'a\x00\x01\x7f\x85b\rc', 'abc'],
    ['two escapes', `${ESC}${ESC}[31mx`, 'x'],
    ['unterminated string sequence up to the line end', `p ${ESC}]8;;q\nr`, 'p ]8;;q\nr'],
    ['markup stays text', `${ESC}[31m<i>x</i>&amp;${ESC}[0m`, '<i>x</i>&amp;'],
  ])('%s', (_name, text, expected) => {
    expect(stripAnsi(text)).toBe(expected);
  });

  test('an unterminated string sequence never swallows more than its limit', () => {
    expect(stripAnsi(`${ESC}]0;${'x'.repeat(10_000)}`)).toContain('x'.repeat(9_000));
  });
});

describe('links', () => {
  const st = `${ESC}\\`;
  test.each([
    ['ST', `${ESC}]8;;https://example.org${st}text${ESC}]8;;${st}after`],
    ['BEL', `${ESC}]8;;https://example.org\x07text${ESC}]8;;\x07after`],
    ['with parameters', `${ESC}]8;id=1;https://example.org${st}text${ESC}]8;;${st}after`],
  ])('%s', (_name, text) => {
    expect(shape(text)).toEqual([
      ['text', { link: 'https://example.org' }],
      ['after', {}],
    ]);
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vscode://x', 'not an address', ''])(
    'no link to %j',
    (target) => {
      expect(shape(`${ESC}]8;;${target}${st}text${ESC}]8;;${st}`)).toEqual([['text', {}]]);
      expect(safeHref(target)).toBeNull();
    },
  );

  test('a reset keeps the link, its end ends it', () => {
    expect(shape(`${ESC}]8;;mailto:a@b.org${st}a${ESC}[0mb${ESC}]8;;${st}c`)).toEqual([
      ['ab', { link: 'mailto:a@b.org' }],
      ['c', {}],
    ]);
  });
});

const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('\n', ESC, `${ESC}[`, `${ESC}]8;;https://a.org\x07`, `${ESC}]8;;\x07`, `${ESC}[38;5;`, `${ESC}P`, `${ESC}\\`),
  fc.integer({ min: 0, max: 110 }).map((code) => `${ESC}[${code}m`),
);
const ansiText = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

test('cut anywhere, the pieces give what the whole gives', () => {
  fc.assert(
    fc.property(ansiText, fc.nat(), (text, where) => {
      const cut = text.length === 0 ? 0 : where % (text.length + 1);
      const head = parseAnsi(text.slice(0, cut));
      const tail = parseAnsi(head.pending + text.slice(cut), head.end);
      const whole = parseAnsi(text);
      const flat = (runs: typeof whole.runs) => runs.flatMap((run) => [...run.text].map((character) => ({ character, style: run.style })));
      expect([...flat(head.runs), ...flat(tail.runs)]).toEqual(flat(whole.runs));
      expect(tail.end).toEqual(whole.end);
    }),
    { numRuns: 2000 },
  );
});

test('the quick ways give what parsing gives', () => {
  const resets = fc
    .array(fc.oneof(piece, fc.constantFrom(`${ESC}[0m`, `${ESC}[m`, 'word')), { maxLength: 30 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(resets, (text) => {
      const start = { ...PLAIN, bold: true, link: 'https://a.org' };
      expect(stripAnsi(text)).toBe(
        parseAnsi(text)
          .runs.map((run) => run.text)
          .join(''),
      );
      expect(endStyle(text, start)).toEqual(parseAnsi(text, start).end);
    }),
    { numRuns: 3000 },
  );
});

test('never an escape or control character in the result, and printable text is never lost', () => {
  fc.assert(
    fc.property(ansiText, (text) => {
      const { runs, pending } = parseAnsi(text);
      const shown = runs.map((run) => run.text).join('');
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      expect(shown.length + pending.length).toBeLessThanOrEqual(text.length);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const printable = text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
      expect(stripAnsi(printable)).toBe(printable);
    }),
  );
});

test('the 256 palette ends where xterm ends', () => {
  expect(paletteColor(16)).toEqual({ rgb: [0, 0, 0] });
  expect(paletteColor(231)).toEqual({ rgb: [255, 255, 255] });
  expect(paletteColor(232)).toEqual({ rgb: [8, 8, 8] });
});
