import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latexParts } from '../../../renderer/outputs/latex-parts.ts';
import { imageSource } from '../../../renderer/outputs/markdown-content.ts';
import { liftDataUrls, mathInHtml, renderMarkdown, restoreDataUrl } from '../../../renderer/outputs/markdown-source.ts';
import { mathAt } from '../../../renderer/outputs/math.ts';
import { forKatex } from '../../../renderer/outputs/math-view.ts';

const html = (source: string): string => renderMarkdown(source).html.trim();
const inline = (tex: string): string => `<span data-tex="${tex}"></span>`;
const display = (tex: string): string => `<div data-tex="${tex}" data-display="true"></div>`;
const displaySpan = (tex: string): string => `<span data-tex="${tex}" data-display="true"></span>`;

describe('where a formula begins and ends', () => {
  test.each<[string, string, string | null]>([
    ['simple', '$x$', 'x'],
    ['with spaces, as many notebooks write', '$ x + y $', ' x + y '],
    ['one word', '$abc$', 'abc'],
    ['number', '$5$', '5'],
    ['command', '$\\alpha$ and', '\\alpha'],
    ['dollar in braces', '$\\text{costs $5}$', '\\text{costs $5}'],
    ['escaped dollar inside', '$a\\$b$', 'a\\$b'],
    ['two prices', '$5 and $10', null],
    ['two prices in thousands', '$20,000 to buyers and $30,000', null],
    ['prices in a list', '$1k or $2k', null],
    ['a price range', '$5-$10', null],
    ['shell variables', '$HOME and $PATH are set', null],
    ['currency and word', '$ amounts and $ signs', null],
    ['closed before a digit', '$x$5', null],
    ['empty', '$$', null],
    ['blank line', '$a\n\nb$', null],
    ['over two lines', '$a +\nb$', 'a +\nb'],
    ['never closed', '$a + b', null],
    ['display', '$$a$$', 'a'],
    ['display over lines', '$$\na\n$$', '\na\n'],
    ['display, blank line', '$$\na\n\nb$$', null],
    ['display, empty', '$$ $$', null],
    ['parentheses', '\\(a_i\\)', 'a_i'],
    ['parentheses, one letter', '\\(x\\)', 'x'],
    ['parentheses, doubled backslash', '\\\\(words here\\\\)', 'words here'],
    ['escaped parentheses around words', '\\(not math\\)', null],
    ['brackets', '\\[x^2\\]', 'x^2'],
    ['escaped brackets of a footnote', '\\[1\\]', null],
    ['environment', '\\begin{align*}a\\end{align*}', '\\begin{align*}a\\end{align*}'],
    ['nested environment', '\\begin{a}\\begin{a}\\end{a}\\end{a}', '\\begin{a}\\begin{a}\\end{a}\\end{a}'],
    ['environment never closed', '\\begin{align}a', null],
    ['another backslash', '\\alpha', null],
  ])('%s', (_name, text, tex) => {
    const span = mathAt(text, 0);
    expect(span?.tex ?? null).toBe(tex);
    if (span) expect(text.slice(0, span.end)).toContain(span.tex);
  });

  test('a found formula never reaches past the text, and the same place gives the same answer', () => {
    const text = fc.array(
      fc.constantFrom('$', '$$', '\\', '\\(', '\\)', '\\[', '\\]', '{', '}', 'a', ' ', '5', '\n', '\\begin{a}', '\\end{a}', '^'),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join('');
        for (let at = 0; at < whole.length; at += 1) {
          const span = mathAt(whole, at);
          if (!span) continue;
          expect(span.end).toBeGreaterThan(at);
          expect(span.end).toBeLessThanOrEqual(whole.length);
          expect(span.tex.trim()).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('markdown', () => {
  test.each<[string, string, string]>([
    ['formula keeps its underscores', '$a_1$ and $b_1$', `<p>${inline('a_1')} and ${inline('b_1')}</p>`],
    ['formula with what looks like emphasis', '$a*b*c$', `<p>${inline('a*b*c')}</p>`],
    ['formula in emphasis', '*$x$*', `<p><em>${inline('x')}</em></p>`],
    ['code is no formula', '`$x$`', '<p><code>$x$</code></p>'],
    ['escaped dollar', '\\$5', '<p>$5</p>'],
    ['prices', 'costs $5 or $10', '<p>costs $5 or $10</p>'],
    ['display block', '$$\na\n$$', display('\na\n')],
    ['lines in it that look like a list', '$$\na\n- b\n+ c\n$$', display('\na\n- b\n+ c\n')],
    ['lines in it that look like a heading', '$$\na\n=\nb\n$$', display('\na\n=\nb\n')],
    ['display block right behind text', 'text\n$$a$$\nmore', `<p>text</p>\n${display('a')}<p>more</p>`],
    ['display within a line', 'so $$a$$ holds', `<p>so ${displaySpan('a')} holds</p>`],
    ['environment', '\\begin{align}\na &= b \\\\\n\\end{align}', display('\\begin{align}\na &amp;= b \\\\\n\\end{align}')],
    ['in a list', '- $$\n  a\n  $$\n- b', `<ul>\n<li>\n${display('\na\n')}</li>\n<li>b</li>\n</ul>`],
    ['quotes and angle brackets', '$a<b>"c"$', `<p>${inline('a&lt;b&gt;&quot;c&quot;')}</p>`],
    ['in raw HTML', '<div class="alert">is $x^2$ &amp; `c`</div>', `<div class="alert">is ${inline('x^2')} &amp; \`c\`</div>`],
    ['full addresses become links', 'see https://example.org.', '<p>see <a href="https://example.org">https://example.org</a>.</p>'],
    ['names with dots do not', 'numpy.linalg and notes.md', '<p>numpy.linalg and notes.md</p>'],
    ['javascript links stay text', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
    ['images wait for the sanitizer', '![alt](a.png)', '<p><img src="" alt="alt" data-src="a.png"></p>'],
    ['attachments', '![a](attachment:my%20image.png)', '<p><img src="" alt="a" data-src="attachment:my%20image.png"></p>'],
    [
      'tasks',
      '- [x] done\n- [ ] open\n- [y] none',
      '<ul>\n<li class="cw-task" data-done="true">done</li>\n<li class="cw-task" data-done="false">open</li>\n<li>[y] none</li>\n</ul>',
    ],
    ['code is coloured', '```python\nx = 1\n```', '<pre><code class="language-python">x = <span class="cw-number">1</span>\n</code></pre>'],
    ['code of an unknown language', '```weird\n<b>\n```', '<pre><code class="language-weird">&lt;b&gt;\n</code></pre>'],
  ])('%s', (_name, source, expected) => {
    expect(html(source)).toBe(expected);
  });

  test('formulas in raw HTML stay out of code and attributes', () => {
    expect(mathInHtml('<a title="$x$">$y$</a><pre>$z$</pre><!-- $c$ -->$5 and $6')).toBe(
      `<a title="$x$">${inline('y')}</a><pre>$z$</pre><!-- $c$ -->$5 and $6`,
    );
    expect(mathInHtml('$a &lt; b$')).toBe(inline('a &lt; b'));
  });

  test('no formula’s text can end its element', () => {
    fc.assert(
      fc.property(fc.string(), (tex) => {
        const result = html(`$\\x{}${tex.replaceAll(/[$\\{}\s]/g, '')}$`);
        expect(result).toMatch(/^<p><span data-tex="[^"<>]*"><\/span><\/p>$/);
      }),
    );
  });
});

describe('images', () => {
  test.each<[string, string | null]>([
    ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
    ['DATA:IMAGE/gif;base64,AAAA', 'DATA:IMAGE/gif;base64,AAAA'],
    ['data:text/html,x', 'served data:text/html,x'],
    ['output://d/c/0.0/image%2Fpng', 'output://d/c/0.0/image%2Fpng'],
    ['artifact://d/3', 'artifact://d/3'],
    ['attachment:a.png', 'served attachment:a.png'],
    ['figures/a.png', 'served figures/a.png'],
    ['https://example.org/a.png', null],
  ])('%s', (address, source) => {
    expect(imageSource(address, (written) => (written.startsWith('http') ? null : `served ${written}`))).toBe(source);
  });
});

describe('long data URLs', () => {
  const long = `data:image/png;base64,${'iVBOR'.repeat(1000)}==`;

  test('are taken out before parsing and come back', () => {
    const { text, lifted } = liftDataUrls(`a ![x](${long}) b <img src="${long}"> c`);
    expect(text).toBe('a ![x](cw-data:0) b <img src="cw-data:1"> c');
    expect(lifted.map((url) => url === long)).toEqual([true, true]);
    expect(restoreDataUrl('cw-data:1', lifted)).toBe(long);
    expect(restoreDataUrl('cw-data:7', lifted)).toBe('cw-data:7');
    expect(restoreDataUrl('a.png', lifted)).toBe('a.png');
  });

  test('short ones stay', () => {
    expect(liftDataUrls('![x](data:image/gif;base64,R0lG)').lifted).toEqual([]);
  });

  test('a text that only speaks of them is left alone', () => {
    const source = `data:image/ ${'word '.repeat(5000)}, data:image/png`;
    expect(liftDataUrls(source)).toEqual({ text: source, lifted: [] });
  });

  test('eight megabytes pass without recursion', () => {
    const huge = `data:image/png;base64,${'A'.repeat(8_000_000)}`;
    const { html: result, lifted } = renderMarkdown(`# Title\n\n![big](${huge})\n`);
    expect(result.length).toBeLessThan(200);
    expect(lifted[0]).toHaveLength(huge.length);
  });
});

test('LaTeX outputs: formulas with prose between, or a bare formula', () => {
  const texts = (source: string) => latexParts(source).map((part) => part.tex ?? part.text);
  expect(texts('$\\displaystyle x$')).toEqual(['\\displaystyle x']);
  expect(texts('The root is $x$, or $$y$$')).toEqual(['The root is ', 'x', ', or ', 'y']);
  expect(texts('\\frac{1}{2}')).toEqual(['\\frac{1}{2}']);
  expect(texts('  ')).toEqual([]);
});

test('what MathJax knows and KaTeX does not is put in other words', () => {
  expect(forKatex('\\DeclareMathOperator*{\\argmin}{arg\\,min}')).toBe('\\newcommand{\\argmin}{\\operatorname*{arg\\,min}}');
  expect(forKatex('a \\label{eq:one} = b')).toBe('a  = b');
});
