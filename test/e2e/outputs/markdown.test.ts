/** Markdown as it stands in the page: what it shows, and that nothing in it can run, load, or reach out of its cell. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenHarness } from '../../support/outputs-harness/open.ts';
import { openHarness } from '../../support/outputs-harness/open.ts';
import { calls, settled, showText, textIn } from './support.ts';

let harness: OpenHarness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const prose = '[data-text] > div';

describe('nothing runs', () => {
  test.each([
    ['details with a handler', '<details open ontoggle="pwned=\'details\'"><summary>x</summary></details>'],
    ['svg with a handler', '<svg onload="pwned=\'svg\'"><circle r="4"/></svg>'],
    ['image with a handler', '<img src=x onerror="pwned=\'img\'">'],
    ['script', "<script>pwned='script'</script>"],
    ['script in SVG', "<svg><script>pwned='svgscript'</script></svg>"],
    ['frame', '<iframe srcdoc="<script>parent.pwned=\'frame\'</script>"></iframe>'],
    ['object and embed', '<object data="data:text/html,<script>1</script>"></object><embed src="data:text/html,x">'],
    ['animated link', '<svg><a><animate attributeName=href values="javascript:pwned=1"/><text y=20>x</text></a></svg>'],
    ['style element', '<style>body { display: none }</style>'],
    ['form', '<form action="https://example.org"><input name=a autofocus onfocus="pwned=\'form\'"><button>go</button></form>'],
    ['base and meta', '<base href="https://example.org/"><meta http-equiv=refresh content="0;url=https://example.org">'],
    ['template and noscript', '<noscript><p title="</noscript><img src=x onerror=pwned=\'noscript\'>"></noscript>'],
    ['MathML mutation', '<math><mtext><table><mglyph><style><img src=x onerror="pwned=\'math\'">'],
    ['formula with HTML', '$\\href{javascript:pwned=1}{x}$ $\\htmlData{x=1}{y}$ $\\text{<img src=x onerror=pwned=2>}$'],
    ['forged formula element', '<span data-tex="\\href{javascript:pwned=1}{x}" onclick="pwned=3">x</span>'],
  ])('%s', async (_name, source) => {
    const { page } = harness;
    await showText(page, `before\n\n${source}\n\nafter`);
    await settled(page);
    await settled(page);
    expect(await page.evaluate(() => window.pwned)).toBeUndefined();
    expect(
      await page.locator(`${prose} :is(script, iframe, object, embed, style, form, input, button, base, meta, animate, template)`).count(),
    ).toBe(0);
    const handlers = await page
      .locator(`${prose} *`)
      .evaluateAll((all) => all.flatMap((each) => each.getAttributeNames().filter((name) => name.startsWith('on'))));
    expect(handlers).toEqual([]);
    const targets = await page
      .locator(`${prose} a`)
      .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? each.getAttribute('xlink:href') ?? ''));
    expect(targets.filter((target) => /^\s*javascript:/i.test(target))).toEqual([]);
    expect(await textIn(page.locator(prose))).toContain('before');
    expect(await page.evaluate(() => document.baseURI.startsWith(location.origin))).toBe(true);
  });

  test('a link that would run script does nothing when pressed', async () => {
    const { page } = harness;
    await showText(
      page,
      '<a id="one" href="javascript:pwned=1">one</a> <a href=" java&#10;script:pwned=2">two</a> [three](javascript:pwned=3)',
    );
    for (const link of await page.locator(`${prose} a`).all()) await link.click();
    expect(await page.evaluate(() => window.pwned)).toBeUndefined();
    expect(await calls(page)).toEqual([]);
  });

  test('nothing lies over the window, and no name of the page is taken', async () => {
    const { page } = harness;
    await showText(
      page,
      '<div style="position:fixed;inset:0;z-index:9999;background:red">over</div><p id="harness" name="x">p</p><img name="cellwright" alt="i"><a class="corner alert-info" href="#x">c</a>',
    );
    const box = await page.getByText('over').evaluate((element) => getComputedStyle(element).position);
    expect(box).toBe('static');
    expect(await page.locator(`${prose} [id], ${prose} [name]`).count()).toBe(0);
    expect(await page.locator(`${prose} a`).getAttribute('class')).toBe('alert-info');
  });

  test('nothing is fetched: images of the web and of the disk wait as words', async () => {
    const { page } = harness;
    const asked: string[] = [];
    const note = (request: { url(): string }) => asked.push(request.url());
    page.on('request', note);
    await showText(
      page,
      '![a](https://example.org/a.png) <img src="https://example.org/b.png" srcset="https://example.org/c.png 2x" alt="b"> ![c](figures/c.png) <img src="file:///etc/d.png" alt="d"> <p style="background:url(https://example.org/e.png)">e</p>',
    );
    await settled(page);
    page.off('request', note);
    expect(asked).toEqual([]);
    const text = await textIn(page.locator(prose));
    for (const part of ['a — on example.org', 'b — on example.org', 'c — figures/c.png']) expect(text).toContain(part);
    await page.locator(`${prose} a`).first().click();
    expect(await calls(page)).toEqual([{ name: 'link', args: 'https://example.org/a.png' }]);
  });
});

describe('what is shown', () => {
  test('formulas, once KaTeX is there, with definitions that hold from cell to cell', async () => {
    const { page } = harness;
    await showText(page, '$\\newcommand{\\vect}[1]{\\mathbf{#1}}\\vect{v}$ and\n\n$$\\int_0^1 x\\,dx$$');
    await page.locator(`${prose} .katex-display`).waitFor();
    expect(await page.locator(`${prose} .katex`).count()).toBe(2);
    await showText(page, 'again $\\vect{w}$');
    expect(await page.locator(`${prose} .katex`).count()).toBe(1);
    await showText(page, '$\\newcommand{\\vect}[1]{\\mathbf{#1}}\\vect{v}$');
    expect(await page.locator(`${prose} [data-math-error]`).count()).toBe(0);
  });

  test('a formula that looks like an address', async () => {
    const { page } = harness;
    await showText(page, '$f:A \\to B$ and $javascript:x$');
    await page.locator(`${prose} .katex`).first().waitFor();
    expect(await page.locator(`${prose} .katex`).count()).toBe(2);
  });

  test('a formula in the middle of a sentence does not end its paragraph', async () => {
    const { page } = harness;
    await showText(page, 'so $$a^2$$ holds');
    await page.locator(`${prose} .katex-display`).waitFor();
    expect(await page.locator(`${prose} > p`).count()).toBe(1);
  });

  test('images that are served, data URLs, and words for what is missing', async () => {
    const { page } = harness;
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==';
    await showText(
      page,
      `![one](attachment:my%20dot.png) ![two](data:image/png;base64,${dot}) ![three](attachment:missing.png) ![four](gone.png)`,
      {
        'attachment:my%20dot.png': `data:image/png;base64,${dot}`,
        // What is served but can't be shown.
        'gone.png': `data:image/png;base64,${dot.slice(0, 20)}`,
      },
    );
    const images = page.locator(`${prose} img`);
    await expect.poll(() => images.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth))).toEqual([1, 1]);
    expect(await textIn(page.locator(prose))).toContain('three — attachment:missing.png');
    await page.getByText('four — gone.png').waitFor();
  });

  test('a picture of eight megabytes inside the text', async () => {
    const { page } = harness;
    const length = await page.evaluate(async () => {
      const canvas = document.createElement('canvas');
      canvas.width = 1700;
      canvas.height = 1250;
      const context = canvas.getContext('2d')!;
      const noise = context.createImageData(canvas.width, canvas.height);
      for (let at = 0; at < noise.data.length; at += 4) {
        noise.data[at] = Math.random() * 256;
        noise.data[at + 1] = Math.random() * 256;
        noise.data[at + 2] = Math.random() * 256;
        noise.data[at + 3] = 255;
      }
      context.putImageData(noise, 0, 0);
      const url = canvas.toDataURL('image/png');
      window.harness.set([], [{ name: 'big', source: `# Big\n\n![noise](${url})\n\nand <img src="${url}" alt="again">\n\n\`${url}\`` }]);
      return url.length;
    });
    expect(length).toBeGreaterThan(8_000_000);
    const images = page.locator(`${prose} img`);
    await expect
      .poll(() => images.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth)), { timeout: 20_000 })
      .toEqual([1700, 1700]);
    expect((await page.locator(`${prose} code`).textContent())!.length).toBeLessThan(200);
  });

  test('links within the notebook go to their heading, others to the notebook', async () => {
    const { page } = harness;
    const filler = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n\n');
    await showText(
      page,
      `[down](#The-end-of-it) [away](#Elsewhere) [file](data/notes.ipynb) <a name="spot"></a>\n\n${filler}\n\n## The end of it\n\n[up](#spot)`,
    );
    await page.getByText('down').click();
    await page.getByRole('heading', { name: 'The end of it' }).waitFor();
    expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
    await page.getByText('up', { exact: true }).click();
    expect(await page.evaluate(() => window.scrollY)).toBeLessThan(100);
    await page.getByText('away').click();
    await page.getByText('file', { exact: true }).press('Enter');
    expect(await calls(page)).toEqual([
      { name: 'link', args: '#Elsewhere' },
      { name: 'link', args: 'data/notes.ipynb' },
    ]);
  });

  test('headings have the anchors that Jupyter gives them', async () => {
    const { page } = harness;
    await showText(page, '# A  *first* `heading`\n\n## Same\n\n## Same');
    expect(await page.locator(`${prose} :is(h1, h2)`).evaluateAll((all) => all.map((each) => each.getAttribute('data-anchor')))).toEqual([
      'A-first-heading',
      'Same',
      'Same-1',
    ]);
  });

  test('tables scroll by themselves, tasks are named for screen readers', async () => {
    const { page } = harness;
    const columns = Array.from({ length: 40 }, (_, at) => `column ${at}`).join(' | ');
    const rule = Array.from({ length: 40 }, () => '---').join('|');
    await showText(page, `| ${columns} |\n|${rule}|\n| ${columns} |\n\n- [x] one\n- [ ] two`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
    expect(await page.locator(`${prose} [role="img"]`).evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual([
      'done',
      'to do',
    ]);
  });
});
