/** The window of a stream and the splices that are told: they must add up to the text, whatever the chunks and however often they are taken. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Splice, StreamText, spliceBetween } from '../../../main/execution/stream-text.ts';
import { WINDOW_LIMITS, type WindowLimits } from '../../../main/execution/stream-window.ts';

const SMALL: WindowLimits = { head: 4_000, tail: 12_000, step: 8_000 };
/** The terminal's own rows come on top of the window. */
const SCREEN = 64 * 1024 + 8_192;

function isWellFormed(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

function apply(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { at, remove, insert } of splices) {
    expect(at + remove).toBeLessThanOrEqual(result.length);
    result = result.slice(0, at) + insert + result.slice(at + remove);
  }
  return result;
}

const line = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 4_000 }).map((length) => 'abcdefghij'.repeat(length / 10 + 1)) },
  { weight: 4, arbitrary: fc.nat({ max: 1_000 }).map((length) => 'äöü数\u{1f600}'.repeat(length / 4 + 1)) },
  { weight: 2, arbitrary: fc.nat({ max: 200 }).map((length) => '\x1b[31mred\x1b[0m '.repeat(length)) },
  { weight: 1, arbitrary: fc.nat({ max: 40_000 }).map((length) => 'z'.repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom('\x1b[3A\rover\n\n\n', 'bar 1\rbar 2', '\b\b', '\x1b[2K') },
);
const longText = fc.array(line, { minLength: 30, maxLength: 120 }).map((lines) => lines.join('\n'));
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.constant(8_000)), { minLength: 8, maxLength: 40 });

function* chunksOf(text: string, lengths: readonly number[]): Generator<string> {
  for (let from = 0, turn = 0; from < text.length; turn += 1) {
    const length = lengths[turn % lengths.length]!;
    yield text.slice(from, from + length);
    from += length;
  }
}

describe('window', () => {
  it('keeps everything below the limit', () => {
    const stream = new StreamText();
    const text = 'line of text\n'.repeat(60_000);
    stream.write(text);
    expect(stream.leftOut).toBeNull();
    expect(stream.text()).toBe(text);
  });

  it('keeps beginning and end of a long stream, cut at line borders, and counts the rest', () => {
    const stream = new StreamText();
    const lines = Array.from({ length: 1_000_000 }, (_, index) => `${index}\n`);
    stream.write(lines.join(''));
    const text = stream.text();
    const { at, lines: left, bytes } = stream.leftOut!;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(at).toBeLessThanOrEqual(WINDOW_LIMITS.head);
    const head = text.slice(0, at).split('\n').slice(0, -1);
    const tail = text.slice(at).split('\n').slice(0, -1);
    expect(head.map(Number)).toEqual(head.map((_, index) => index));
    expect(tail.map(Number)).toEqual(tail.map((_, index) => 1_000_000 - tail.length + index));
    expect(head.length + left + tail.length).toBe(1_000_000);
    expect(Buffer.byteLength(text) + bytes).toBe(Buffer.byteLength(lines.join('')));
  });

  it('gives the same text and counts however the stream is cut', () => {
    fc.assert(
      fc.property(longText, sizes, (text, lengths) => {
        const whole = new StreamText(SMALL);
        whole.write(text);
        const cut = new StreamText(SMALL);
        for (const chunk of chunksOf(text, lengths)) cut.write(chunk);
        expect(cut.text()).toBe(whole.text());
        expect(cut.leftOut).toEqual(whole.leftOut);
      }),
      { numRuns: 200 },
    );
  });

  it('stays within its limit and well-formed, and never cuts a colour', () => {
    fc.assert(
      fc.property(longText, (text) => {
        const stream = new StreamText(SMALL);
        stream.write(text);
        const kept = stream.text();
        expect(isWellFormed(kept)).toBe(true);
        expect(kept.replace(/\x1b\[[0-9;]*m/g, '')).not.toMatch(/\x1b|\[31m|\[0m/);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(3 * SCREEN + SMALL.head + SMALL.tail + 2 * SMALL.step);
      }),
      { numRuns: 100 },
    );
  });

  it('does not cut a line that has no end inside a character or a link', () => {
    const stream = new StreamText();
    stream.write('\u{1f600}'.repeat(1_000_000));
    expect(isWellFormed(stream.text())).toBe(true);
    expect(stream.leftOut!.bytes % 4).toBe(0);
    const links = new StreamText();
    for (let index = 0; index < 40_000; index += 1) links.write(`\x1b]8;;https://example.org/${index}\x1b\\t\x1b]8;;\x1b\\`);
    expect(links.text().replace(/\x1b\]8;;[^\x1b]*\x1b\\/g, '')).toMatch(/^t+$/);
  });
});

describe('splices', () => {
  it('add up to the text, taken after any of the chunks', () => {
    fc.assert(
      fc.property(longText, sizes, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (text, lengths, takes) => {
        const stream = new StreamText(SMALL);
        let told = '';
        let turn = 0;
        for (const chunk of chunksOf(text, lengths)) {
          stream.write(chunk);
          if (takes[turn++ % takes.length]) told = apply(told, stream.take());
        }
        expect(apply(told, stream.take())).toBe(stream.text());
        expect(stream.take()).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('are small for what changes little', () => {
    const stream = new StreamText();
    stream.write('a line\n'.repeat(1_000));
    stream.take();
    stream.write('more');
    expect(stream.take()).toEqual([{ at: 7_000, remove: 0, insert: 'more' }]);
    stream.write('\r42%');
    stream.take();
    stream.write('\r43%');
    expect(stream.take()).toEqual([{ at: 7_001, remove: 1, insert: '3' }]);
  });

  it('never cut a pair', () => {
    const text = fc.array(fc.constantFrom('a', '\u{1f600}', '\u{1f601}', '\u{2f600}'), { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const splice = spliceBetween(before, after);
        expect(splice ? apply(before, [splice]) : before).toBe(after);
        expect(isWellFormed(splice?.insert ?? '')).toBe(true);
      }),
    );
  });
});

describe('cost', () => {
  it('of a message is about that of scanning it, whatever is in it', () => {
    const plain = 'plain text without anything\n'.repeat(100_000);
    const time = (text: string): number => {
      const begin = performance.now();
      new StreamText().write(text);
      return (performance.now() - begin) / text.length;
    };
    time(plain);
    const unit = Math.max(time(plain), 1e-6);
    // Each of these once cost a whole row, screen or window for every few characters.
    const hard = [
      '\x1b[A\x1b[B',
      'x\x1b[A\x1b[K\n',
      '\x1b[8000Gx\x1b[A\x1b[2Kx\n',
      `${'y'.repeat(8_000)}\rx\n`,
      '\x1b]8;;',
      '\x1b[',
      '\x1b[31m',
      '\b',
      '\r\n',
      '\x1b[J\n\n\x1b[2A',
      '\x1b[1K',
    ];
    for (const part of hard) expect(time(part.repeat(Math.ceil(400_000 / part.length))) / unit, JSON.stringify(part)).toBeLessThan(2_000);
  });
});
