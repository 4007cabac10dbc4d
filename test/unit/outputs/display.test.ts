import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WindowOutput } from '../../../preload/contract.ts';
import type { StreamName } from '../../../preload/output-change.ts';
import { byteWords, countWords } from '../../../renderer/outputs/amounts.ts';
import { PLAIN } from '../../../renderer/outputs/ansi.ts';
import { ansiPaint, contrast, readable } from '../../../renderer/outputs/ansi-color.ts';
import { splitLinks } from '../../../renderer/outputs/bare-links.ts';
import { displayItems, streamSections } from '../../../renderer/outputs/display-items.ts';
import { readFrameMessage } from '../../../renderer/outputs/frame-messages.ts';
import { highlight, highlightLines } from '../../../renderer/outputs/highlight.ts';
import { imageFacts } from '../../../renderer/outputs/image-facts.ts';
import { jsonChildren, jsonPreview, PAGE, quote } from '../../../renderer/outputs/json-entries.ts';
import { createLineCounter } from '../../../renderer/outputs/line-count.ts';
import { PAGE_BYTES, pageCount, pageRange, pageText, totalBytes, viewCount, viewPages } from '../../../renderer/outputs/log-pages.ts';
import { mimeWords, representations } from '../../../renderer/outputs/mime-choice.ts';
import { outputText } from '../../../renderer/outputs/output-text.ts';
import { safeStyle } from '../../../renderer/outputs/safe-style.ts';

const stream = (text: string, name: StreamName = 'stdout'): WindowOutput => ({ type: 'stream', name, text });

describe('outputs as they are drawn', () => {
  test('twenty thousand one-line streams are one text', () => {
    const outputs = Array.from({ length: 20_000 }, (_, line) => stream(`line ${line}\n`));
    const items = displayItems(outputs);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      kind: 'stream',
      index: 0,
      text: outputs.map((output) => (output.type === 'stream' ? output.text : '')).join(''),
    });
  });

  test('questions and answers go with what is printed', () => {
    const items = displayItems([
      stream('a\n'),
      stream('n? 1\n', 'stdin'),
      stream('b\n'),
      stream('c\n', 'stderr'),
      stream('m? 2\n', 'stdin'),
    ]);
    expect(items).toMatchObject([
      { name: 'stdout', text: 'a\nn? 1\nb\n' },
      { name: 'stderr', text: 'c\n' },
      { name: 'stdout', text: 'm? 2\n' },
    ]);
  });

  test('names and other outputs part streams', () => {
    const error: WindowOutput = { type: 'error', ename: 'E', evalue: '', traceback: [] };
    const items = displayItems([stream('a'), stream('b'), stream('c', 'stderr'), error, stream('d'), stream('e')]);
    expect(items.map((item) => (item.kind === 'stream' ? `${item.name} ${item.text}` : item.output.type))).toEqual([
      'stdout ab',
      'stderr c',
      'error',
      'stdout de',
    ]);
    expect(items.map((item) => item.index)).toEqual([0, 2, 3, 4]);
  });

  test('what was left out keeps its place in the joined text', () => {
    const [item] = displayItems([
      stream('head\n'),
      { type: 'stream', name: 'stdout', text: 'ab\ncd\n', omitted: { lines: 3, bytes: 9, at: 3, artifactId: '7' } },
      { type: 'stream', name: 'stdout', text: 'xy\n', omitted: { lines: 1, bytes: 2, at: 0, artifactId: null } },
    ]);
    if (item?.kind !== 'stream') throw new Error('no stream');
    expect(item.gaps.map((gap) => [gap.at, gap.artifactId])).toEqual([
      [8, '7'],
      [11, null],
    ]);
    expect(streamSections(item)).toEqual(['head\nab\n', 'cd\n', 'xy\n']);
  });

  test('as text for the clipboard', () => {
    expect(
      outputText([
        stream('\x1b[31mred\x1b[0m\n10%\r99%\n'),
        { type: 'stream', name: 'stderr', text: 'a\nb\n', omitted: { lines: 2, bytes: 9, at: 2, artifactId: '1' } },
        { type: 'error', ename: 'E', evalue: 'v', traceback: ['\x1b[31mE\x1b[0m: v'] },
        { type: 'display_data', data: { 'image/png': { kind: 'url', url: 'u', bytes: 1 } }, metadata: {}, executionCount: null },
        {
          type: 'execute_result',
          data: { 'text/plain': { kind: 'inline', value: ['4', '2'] }, 'text/html': { kind: 'url', url: 'u', bytes: 1 } },
          metadata: {},
          executionCount: 1,
        },
        { type: 'display_data', data: { 'application/json': { kind: 'inline', value: { a: 1 } } }, metadata: {}, executionCount: null },
      ]),
    ).toBe('red\n99%\na\n[2 lines left out]\nb\nE: v\n[PNG image]\n42\n{\n  "a": 1\n}');
  });
});

describe('which representation is shown', () => {
  test.each<[string[], string]>([
    [['text/plain', 'text/html'], 'text/html'],
    [['text/plain', 'image/png'], 'image/png'],
    [['text/plain', 'image/png', 'image/svg+xml'], 'image/svg+xml'],
    [['text/plain', 'image/png', 'text/latex'], 'text/latex'],
    [['text/plain', 'text/markdown'], 'text/markdown'],
    [['text/plain', 'application/json'], 'application/json'],
    [['text/plain', 'application/geo+json'], 'application/geo+json'],
    [['text/plain', 'application/vnd.plotly.v1+json', 'text/html'], 'application/vnd.plotly.v1+json'],
    [['text/plain', 'application/javascript'], 'application/javascript'],
    [['text/html', 'application/vnd.jupyter.widget-view+json'], 'application/vnd.jupyter.widget-view+json'],
    [['application/x-unknown', 'text/plain'], 'text/plain'],
    [['application/x-unknown'], 'application/x-unknown'],
    [['text/x-custom; charset=utf-8', 'application/pdf'], 'text/x-custom; charset=utf-8'],
  ])('%j', (mimes, best) => {
    expect(representations(mimes)[0]?.mime).toBe(best);
    expect(representations([...mimes].reverse())[0]?.mime).toBe(best);
  });

  test('status events are never shown', () => {
    expect(representations(['application/x-xcsh-status'])).toEqual([]);
  });

  test('in words', () => {
    expect(['image/png', 'text/html', 'application/json', 'text/plain', 'application/x-y'].map(mimeWords)).toEqual([
      'PNG image',
      'HTML',
      'JSON',
      'Plain text',
      'application/x-y',
    ]);
  });
});

describe('image metadata', () => {
  test.each<[Record<string, unknown>, object]>([
    [{ 'image/png': { width: 640, height: 480 } }, { width: 640, height: 480 }],
    [{ width: '320px' }, { width: 320, height: null }],
    [{ 'image/png': { width: -5, height: Number.NaN } }, { width: null, height: null }],
    [{ 'image/png': { width: 1e9 } }, { width: null }],
    [{ 'image/png': { unconfined: true } }, { unconfined: true }],
    [{ needs_background: 'dark' }, { background: 'dark' }],
    [{ needs_background: 'url(x)' }, { background: null }],
    [{ 'image/png': 'nonsense' }, { width: null, height: null, unconfined: false, background: null }],
  ])('%j', (metadata, expected) => {
    expect(imageFacts(metadata, 'image/png')).toMatchObject(expected);
  });
});

describe('JSON', () => {
  test('a list of a million opens to a hundred rows at a time, and every entry can be reached', () => {
    const list = Array.from({ length: 1_000_003 }, (_, at) => at);
    const seen: unknown[] = [];
    const walk = (range: { from: number; to: number } | null): void => {
      const children = jsonChildren(list, range);
      expect(children.length).toBeLessThanOrEqual(PAGE + 1);
      for (const child of children) {
        if (child.range) walk(child.range);
        else seen.push(child.value);
      }
    };
    walk(null);
    expect(seen.length).toBe(list.length);
    expect(seen.every((value, at) => value === at)).toBe(true);
  });

  test('keys of an object, in their order', () => {
    expect(jsonChildren({ b: 1, a: [2] })).toEqual([
      { label: 'b', value: 1, range: null },
      { label: 'a', value: [2], range: null },
    ]);
  });

  test.each<[unknown, string]>([
    [[], '[]'],
    [{}, '{}'],
    [[1, 'two', null, true], '[1, "two", null, true]'],
    [{ a: { b: 1 }, c: [1, 2] }, '{a: {…}, c: [2]}'],
    [['x'.repeat(50)], `["${'x'.repeat(24)}…"]`],
    [Array.from({ length: 99 }, () => 123456), '[123456, 123456, 123456, 123456, 123456, 123456, 123456, 123456, …]'],
  ])('preview of %j', (value, preview) => {
    expect(jsonPreview(value)).toBe(preview);
  });

  test('strings as JSON writes them', () => {
    expect(quote('a"\n', 10)).toBe('"a\\"\\n"');
    expect(quote('abcdef', 3)).toBe('"abc…"');
  });
});

describe('pages of a log', () => {
  const read = (data: Uint8Array, page: number): string => {
    const { start, end } = pageRange(data.length, page);
    return pageText(data.length, page, data.subarray(start, end));
  };
  const all = (data: Uint8Array): string => Array.from({ length: pageCount(data.length) }, (_, page) => read(data, page)).join('');

  test('joined, the pages are the text, each of whole lines', () => {
    const text = Array.from({ length: 9000 }, (_, line) => `größer ${line} ${'ä'.repeat(line % 200)}\n`).join('');
    const data = new TextEncoder().encode(text);
    expect(pageCount(data.length)).toBeGreaterThan(10);
    expect(all(data)).toBe(text);
    for (let page = 0; page < pageCount(data.length); page += 1) expect(read(data, page)).toMatch(/\n$/);
  });

  test('one endless line is cut between characters', () => {
    const text = '𝒳'.repeat(100_000);
    expect(all(new TextEncoder().encode(text))).toBe(text);
  });

  test('any text', () => {
    const line = fc
      .tuple(fc.constantFrom('a', 'ö', '𝒳'), fc.integer({ min: 0, max: 40_000 }))
      .map(([letter, count]) => letter.repeat(count));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = lines.join('\n');
        expect(all(new TextEncoder().encode(text)) === text).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('views of a file of gigabytes cover all of its pages once', () => {
    const bytes = 3_000_000_000;
    let next = 0;
    for (let view = 0; view < viewCount(bytes); view += 1) {
      const { start, end } = viewPages(bytes, view);
      expect(start).toBe(next);
      expect(end).toBeGreaterThan(start);
      next = end;
    }
    expect(next).toBe(Math.ceil(bytes / PAGE_BYTES));
    expect(viewCount(0)).toBe(1);
  });

  test('size of the whole', () => {
    expect(totalBytes('bytes 0-0/1234')).toBe(1234);
    expect(totalBytes('bytes */0')).toBe(0);
    expect(totalBytes(null)).toBeNull();
  });
});

describe('web addresses in text', () => {
  test.each<[string, string[]]>([
    ['see https://example.org.', ['https://example.org']],
    ['(https://en.wikipedia.org/wiki/A_(b))', ['https://en.wikipedia.org/wiki/A_(b)']],
    ['http://a.org, http://b.org; end', ['http://a.org', 'http://b.org']],
    ['"https://a.org/x?y=1&z=2#k"', ['https://a.org/x?y=1&z=2#k']],
    ['<https://a.org>', ['https://a.org']],
    ['ftp://a.org javascript://a file:///x xhttps://a.org', []],
    ['http://', []],
    ['**https://a.org**', ['https://a.org']],
  ])('%s', (text, links) => {
    const parts = splitLinks(text);
    expect(parts.filter((part) => part.href).map((part) => part.href)).toEqual(links);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  });

  test('the parts always join to the text', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('https://', 'http://a.b', ')', '(', '.', ' '));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        expect(
          splitLinks(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('colours', () => {
  const channel = fc.integer({ min: 0, max: 255 });
  test('any fixed colour becomes readable on any background', () => {
    fc.assert(
      fc.property(fc.tuple(channel, channel, channel), fc.tuple(channel, channel, channel), (color, background) => {
        expect(contrast(readable(color, background), background)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[Partial<typeof PLAIN>, object]>([
    [{}, {}],
    [{ fg: { named: 1 } }, { color: 'var(--ansi-red)' }],
    [{ fg: { named: 12 } }, { color: 'var(--ansi-bright-blue)' }],
    [{ bg: { named: 3 } }, { color: 'var(--color-text)' }],
    [{ fg: { named: 1 }, bg: { named: 3 } }, { color: 'var(--ansi-red)' }],
    [
      { fg: { named: 15 }, bg: { named: 1 } },
      { color: 'var(--color-bg)', background: 'var(--ansi-red)' },
    ],
    [{ inverse: true }, { color: 'var(--color-bg)', background: 'var(--color-text)' }],
    [
      { inverse: true, fg: { named: 2 } },
      { color: 'var(--color-bg)', background: 'var(--ansi-green)' },
    ],
    [{ bg: { rgb: [255, 255, 0] } }, { color: '#1c1b1a', background: '#ffff00' }],
    [{ bg: { rgb: [0, 0, 90] } }, { color: '#ffffff', background: '#00005a' }],
  ])('%j', (style, paint) => {
    expect(ansiPaint({ ...PLAIN, ...style })).toMatchObject(paint);
  });

  test('a fixed colour that one theme can’t show is moved there only', () => {
    expect(ansiPaint({ ...PLAIN, fg: { rgb: [255, 255, 0] } }).color).toMatch(/^light-dark\(#\w{6}, #ffff00\)$/);
    expect(ansiPaint({ ...PLAIN, fg: { rgb: [0, 0, 120] } }).color).toMatch(/^light-dark\(#000078, #\w{6}\)$/);
  });
});

describe('messages of frames', () => {
  test.each<[unknown, unknown]>([
    [
      { cellwright: 'size', height: 120 },
      { kind: 'size', height: 120 },
    ],
    [
      { cellwright: 'open', url: 'https://a.org' },
      { kind: 'open', url: 'https://a.org' },
    ],
    [{ cellwright: 'held' }, { kind: 'held' }],
    [{ cellwright: 'size', height: -1 }, null],
    [{ cellwright: 'size', height: 1e12 }, null],
    [{ cellwright: 'size', height: Number.NaN }, null],
    [{ cellwright: 'size', height: '120' }, null],
    [{ cellwright: 'open', url: 5 }, null],
    [{ cellwright: 'run' }, null],
    ['size', null],
    [null, null],
  ])('%j', (data, message) => {
    expect(readFrameMessage(data)).toEqual(message);
  });
});

describe('styles in markdown', () => {
  test.each([
    ['color: red; text-align: center', 'color: red; text-align: center'],
    ['POSITION: fixed; top: 0; color: red', 'color: red'],
    ['background: url(https://a.org/x)', ''],
    ['background-image: none', ''],
    ['width: expression(alert(1))', ''],
    ['color: re\\64', ''],
    ['color: var(--color-bg)', ''],
    ['margin-left: -500px; margin-top: 4px', 'margin-top: 4px'],
    ['display: none', 'display: none'],
    ['display: fixed', ''],
    ['z-index: 99; transform: scale(9)', ''],
    ['color: red /* ; */', ''],
    ['', ''],
  ])('%s', (style, safe) => {
    expect(safeStyle(style)).toBe(safe);
  });
});

describe('colouring code', () => {
  test('the tokens always join to the code', () => {
    const languages = fc.constantFrom('python', 'javascript', 'sql', 'bash', 'r', 'json', 'unknown');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abf"\'`#/*-\\\n 1.@%$', '{', '}', '('), maxLength: 60 }),
        languages,
        (code, language) => {
          expect(
            highlight(code, language)
              .map((token) => token.text)
              .join(''),
          ).toBe(code);
          expect(
            highlightLines(code.split('\n'), language)
              .map((line) => line.map((token) => token.text).join(''))
              .join('\n'),
          ).toBe(code);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each<[string, string, string[]]>([
    ['python', 'for x in range(3):  # go', ['keyword for', 'keyword in', 'function range', 'number 3', 'comment # go']],
    ['python', 'f"a {b}" + r\'c\'', ['string f"a {b}"', "string r'c'"]],
    ['python', '@cache\ndef f(self): return a @ b % c', ['decorator @cache', 'keyword def', 'function f', 'type self', 'keyword return']],
    ['python', '%time x', ['decorator %time']],
    ['python', '"""a\nb""" x1', ['string """a\nb"""']],
    ['sql', 'SELECT a FROM t -- all', ['keyword SELECT', 'keyword FROM', 'comment -- all']],
    ['javascript', 'const x = `a` // y', ['keyword const', 'string `a`', 'comment // y']],
  ])('%s: %s', (language, code, tokens) => {
    const coloured = highlight(code, language).filter((token) => token.kind !== 'plain');
    expect(coloured.map((token) => `${token.kind} ${token.text}`)).toEqual(tokens);
  });
});

test('lines of a text that grows, shrinks and changes', () => {
  const count = createLineCounter();
  expect(['', 'a', 'a\n', 'a\nb', 'a\nb\nc\n', 'x\ny', ''].map(count)).toEqual([0, 1, 1, 2, 3, 2, 0]);
});

test('amounts in words', () => {
  expect([1, 1234].map((count) => countWords(count, 'line'))).toEqual(['1 line', '1,234 lines']);
  expect([0, 1, 999, 1000, 14_200_000, 999_600, 2.5e12].map(byteWords)).toEqual([
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1.0 kB',
    '14 MB',
    '1.0 MB',
    '2.5 TB',
  ]);
});
