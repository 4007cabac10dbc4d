/** What an agent gets of MIME bundles, and HTML as text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayContent } from '../../../main/execution/agents/display-content.ts';
import { htmlToText } from '../../../main/execution/agents/html-text.ts';

describe('the text of a bundle', () => {
  it.each<[string, Record<string, unknown>, string | null]>([
    ['is its Markdown first', { 'text/plain': 'plain', 'text/markdown': '**bold**', 'text/html': '<b>bold</b>' }, '**bold**'],
    ['then its plain text', { 'text/html': '<b>bold</b>', 'text/plain': 'plain' }, 'plain'],
    ['then its HTML as text', { 'text/html': '<p>one</p><p>two</p>', 'image/png': 'AAAA' }, 'one\ntwo'],
    ['is none without these', { 'image/png': 'AAAA', 'application/json': {} }, null],
    ['is not empty when a lesser one has something', { 'text/markdown': '', 'text/plain': 'plain' }, 'plain'],
    ['may come in lines', { 'text/plain': ['one\n', 'two'] }, 'one\ntwo'],
    ['is none when it is of another type', { 'text/plain': 5 }, null],
    ['has no colours and no control characters', { 'text/plain': '\x1b[31mred\x1b[0m\x07 \ud800' }, 'red \ufffd'],
  ])('%s', (_name, data, text) => {
    expect(displayContent(data).text).toBe(text);
  });
});

it('images and JSON are beside the text', () => {
  const data = {
    'text/plain': '<Figure>',
    'image/png': 'AAAA',
    'image/svg+xml': '<svg/>',
    'application/json': { a: [1] },
    'text/latex': 'x',
  };
  expect(displayContent(data)).toEqual({
    text: '<Figure>',
    json: [{ a: [1] }],
    images: [
      { mime: 'image/png', payload: 'AAAA' },
      { mime: 'image/svg+xml', payload: '<svg/>' },
    ],
    status: null,
  });
});

it('JSON may be null', () => {
  expect(displayContent({ 'application/json': null }).json).toEqual([null]);
});

it.each([
  [
    { op: 'read', path: 'a.txt' },
    { op: 'read', path: 'a.txt' },
  ],
  [{ path: 'a.txt' }, { op: 'unknown', path: 'a.txt' }],
  ['words', { op: 'unknown' }],
])('a status event %j has no text at all', (event, status) => {
  const content = displayContent({ 'application/x-xcsh-status': event, 'text/plain': 'read a.txt', 'image/png': 'AAAA' });
  expect(content).toEqual({ text: null, json: [], images: [], status });
});

describe('HTML as text', () => {
  it.each([
    ['words with the white space of a page', '<p>one\n   <b>two</b>three </p>', 'one twothree'],
    ['blocks on lines', '<h1>Title</h1><div>a<div>b</div>c</div>', 'Title\na\nb\nc'],
    ['breaks', 'a<br>b<br/><br>c', 'a\nb\n\nc'],
    ['lists', '<ul><li>one<li>two</ul>', '- one\n- two'],
    ['tables in columns', '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td></td><td>3</td></tr></table>', 'a\tb\n1\t\t3'],
    ['preformatted text as it is', '<pre>a  b\n  c</pre>d', 'a  b\n  c\nd'],
    ['characters by name and number', '&lt;b&gt; &amp;amp; &eacute; &#233; &#xe9; &#0; &#xd800;', '<b> &amp; &eacute; é é \ufffd \ufffd'],
    ['no scripts and styles', '<style>p { color: red }</style>a<script>if (1 < 2) alert("<p>")</script>b', 'ab'],
    ['no comments, also unfinished', 'a<!-- <p>x</p> -->b<!-- c', 'ab'],
    ['the words of an image', '<img src=x alt="a chart">', 'a chart'],
    ['attributes with brackets', '<p title="a > b">c</p>', 'c'],
    ['a lone < as it is', 'if a < b and 3<4', 'if a < b and 3<4'],
    ['an unfinished tag as it is', 'a <b', 'a <b'],
    ['nothing', '', ''],
  ])('has %s', (_name, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it('never fails', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '!',
      '--',
      'p',
      'script',
      'pre',
      'td',
      ' ',
      '"',
      "'",
      '&',
      '#',
      ';',
      'x',
      '\n',
      '<p>',
      '</p>',
      '<li>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(typeof htmlToText(pieces.join(''))).toBe('string');
      }),
    );
  });

  it.each(['<', '<!', '<!--', '<p ', '<p a="', '<td>', '<pre>\n', '&', '<script>', '<a \'"'])(
    'takes time in proportion to its length when it is only %s',
    (piece) => {
      // The best of three: what else the machine does only makes it slower.
      const time = (length: number): number => {
        const html = piece.repeat(length / piece.length);
        const times = [1, 2, 3].map(() => {
          const start = performance.now();
          htmlToText(html);
          return performance.now() - start;
        });
        return Math.min(...times);
      };
      const [small, large] = [Math.max(time(50_000), 1), time(800_000)];
      // Sixteen times as much; quadratic would be two hundred and fifty-six.
      expect(large / small).toBeLessThan(128);
    },
  );
});
