/** What agents read: no colours, no control characters, and progress bars as one line, wherever chunks are cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../../../main/execution/clean-text.ts';
import { PlainStream } from '../../../main/execution/plain-stream.ts';
import { applySgr, PLAIN, transition, withLink } from '../../../main/execution/sgr.ts';

function plain(...chunks: string[]): string {
  const stream = new PlainStream();
  return chunks.map((chunk) => stream.write(chunk)).join('') + stream.rest();
}

const ESC = '\x1b';
const part = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    `${ESC}[31m`,
    `${ESC}[0m`,
    `${ESC}[2K`,
    '\r',
    '\n',
    '\b',
    `${ESC}]8;;https://a.b${ESC}\\`,
    `${ESC}]0;t\x07`,
    '\ud800',
    '\x00',
    `${ESC}[A`,
  ),
);
const stream = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));

describe('a stream for an agent', () => {
  it('has neither colours nor links nor movement', () => {
    expect(plain(`${ESC}[1;31mred${ESC}[0m ${ESC}]8;;https://a.b${ESC}\\link${ESC}]8;;${ESC}\\\n`)).toBe('red link\n');
    expect(plain('10%\r', '20%\r', '30%\n', 'done\n')).toBe('30%\ndone\n');
  });

  it('lets no control character or half a pair pass, and does not depend on the cuts', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
        const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...cuts].map((from, index) => text.slice(from, cuts[index] ?? text.length));
        const whole = plain(text);
        expect(plain(...chunks)).toBe(whole);
        expect(whole).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a single text', () => {
  it.each([
    ['plain', 'plain'],
    [`${ESC}[31mred${ESC}[0m`, `${ESC}[31mred${ESC}[0m`],
    ['a\x00b\x07\x7fc\r\n', 'abc\n'],
    [`a${ESC}[2Jb${ESC}[`, 'ab'],
    [`${ESC}]8;;javascript:1\x07x`, `${ESC}]8;;${ESC}\\x`],
    ['\ud800x', '\ufffdx'],
    ['one\rtwo\bthree', 'onetwothree'],
  ])('%j becomes %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('is the same when it is cleaned twice', () => {
    fc.assert(
      fc.property(stream, (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
      }),
    );
  });
});

describe('colours', () => {
  const params = fc.array(
    fc.constantFrom(
      '0',
      '1',
      '2',
      '3',
      '4',
      '4:3',
      '7',
      '22',
      '24',
      '27',
      '31',
      '39',
      '42',
      '49',
      '91',
      '38;5;200',
      '48;2;1;2;3',
      '38:2::1:2:3',
      '58;5;1',
      '59',
      '',
      '999',
    ),
    { maxLength: 5 },
  );

  it('are reached from any others by the transition alone', () => {
    fc.assert(
      fc.property(params, params, fc.constantFrom('', 'https://a.b'), (before, after, link) => {
        const from = applySgr(PLAIN, before.join(';'));
        const to = withLink(applySgr(PLAIN, after.join(';')), link);
        const sequence = transition(from, to);
        let reached = from;
        for (const [, sgr, target] of sequence.matchAll(/\x1b(?:\[([0-9;:]*)m|\]8;;([^\x1b]*)\x1b\\)/g))
          reached = sgr === undefined ? withLink(reached, target!) : applySgr(reached, sgr);
        expect({ sgr: reached.sgr, link: reached.link }).toEqual({ sgr: to.sgr, link: to.link });
      }),
    );
  });

  it('are forgotten by a reset, and unfinished ones change nothing', () => {
    expect(applySgr(applySgr(PLAIN, '1;31'), '')).toBe(PLAIN);
    expect(applySgr(PLAIN, '38;5').sgr).toBe('');
    expect(applySgr(PLAIN, '38;2;1;2').sgr).toBe('');
    expect(applySgr(PLAIN, '1;38;5;9;4').sgr).toBe('1;4;38;5;9');
  });
});
