/** Streams, tracebacks and long logs as a person meets them, in the app's own browser. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenHarness } from '../../support/outputs-harness/open.ts';
import { openHarness } from '../../support/outputs-harness/open.ts';
import tracebacks from '../../unit/outputs/fixtures/tracebacks.json';
import { calls, settled, show, stream, textIn, within } from './support.ts';

let harness: OpenHarness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const ESC = '\x1b';
const python = tracebacks['IPython 9.18'];
const failure = (name: keyof typeof python) => ({
  type: 'error' as const,
  ename: python[name].ename,
  evalue: python[name].evalue,
  traceback: python[name].traceback,
});

describe('streams', () => {
  test('markup is shown letter for letter', async () => {
    const { page } = harness;
    const name = await show(page, [stream(`${ESC}[31m<i>x</i>${ESC}[0m &amp; <script>window.pwned = 'stream'</script>\n`)]);
    expect(await textIn(page.locator(within(name)))).toContain("<i>x</i> &amp; <script>window.pwned = 'stream'</script>");
    expect(await page.locator(`${within(name)} i, ${within(name)} script`).count()).toBe(0);
    expect(await page.evaluate(() => window.pwned)).toBeUndefined();
  });

  test('a megabyte that grows changes its last block only', async () => {
    const { page } = harness;
    const text = Array.from({ length: 24_000 }, (_, line) => `line ${line} ${ESC}[32mok${ESC}[0m of the long log\n`).join('');
    expect(text.length).toBeGreaterThan(900_000);
    const name = await show(page, [stream(text)]);
    const changed = await page.evaluate(
      async ([start, area]) => {
        const root = document.querySelector(`[data-area="${area}"] section section`)!;
        const blocks = [...root.querySelectorAll('div')].filter((element) => element.style.containIntrinsicBlockSize !== '');
        const touched = new Set<Node>();
        let removed = 0;
        const observer = new MutationObserver((records) => {
          for (const record of records) {
            removed += [...record.removedNodes].filter((node) => blocks.includes(node as HTMLDivElement)).length;
            const block = blocks.find((each) => each.contains(record.target) || each === record.target);
            if (block) touched.add(block);
          }
        });
        // What is far above the end stays out of sight, so that no block is drawn because it came into view.
        await new Promise((resolve) => requestAnimationFrame(resolve));
        observer.observe(root, { childList: true, characterData: true, subtree: true });
        let grown = start!;
        for (let step = 0; step < 60; step += 1) {
          grown += `step ${step}\n`;
          window.harness.update([{ type: 'stream', name: 'stdout', text: grown }]);
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        observer.disconnect();
        const inView = blocks.filter((each) => each.querySelector('span')).length;
        return { blocks: blocks.length, touched: touched.size, removed, inView };
      },
      [text, name] as const,
    );
    expect(changed.blocks).toBeGreaterThan(100);
    expect(changed.removed).toBe(0);
    // The last block, and those whose colours appear as the view follows the end.
    expect(changed.touched).toBeLessThan(12);
    expect(changed.inView).toBeLessThan(12);
    expect(await textIn(page.locator(within(name)))).toContain('step 59');
  });

  test('twenty thousand one-line outputs are one text', async () => {
    const { page } = harness;
    const outputs = Array.from({ length: 20_000 }, (_, line) => stream(`line ${line}\n`));
    const name = await show(page, outputs);
    expect(await page.locator(`${within(name)} [data-stream]`).count()).toBe(1);
    expect(await page.locator(`${within(name)} *`).count()).toBeLessThan(500);
    await page.getByRole('button', { name: 'Show all 20,000 lines' }).waitFor();
  });

  test('boxes that come one after the other in a frame cost no layout each, and each knows whether it shows everything', async () => {
    const { page } = harness;
    const boxes = 60;
    const areas = Array.from({ length: boxes }, (_, at) => ({
      name: `box-${at}`,
      outputs: [stream(`${at}\n`.repeat(at % 2 === 0 ? 2 : 60))],
    }));
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const layouts = async () => (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'LayoutCount')!.value;
    const before = await layouts();
    await page.evaluate(async (all) => {
      for (let count = 1; count <= all.length; count += 1) {
        window.harness.set(all.slice(0, count));
        // React draws before what waits here goes on, the browser only at the end of all.
        await Promise.resolve().then(() => undefined);
      }
    }, areas);
    expect(await page.locator('[data-area]').count()).toBe(boxes);
    expect((await layouts()) - before).toBeLessThan(boxes / 2);
    await expect.poll(() => page.getByRole('button', { name: 'Show all 60 lines' }).count()).toBe(boxes / 2);
    await devtools.detach();
  });

  test('the view follows the end, unless the person scrolled up', async () => {
    const { page } = harness;
    const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}\n`).join('');
    const name = await show(page, [stream(lines(100))]);
    const box = page.locator(`${within(name)} section`).first();
    const place = () =>
      box.evaluate((element) => ({ top: element.scrollTop, left: element.scrollHeight - element.clientHeight - element.scrollTop }));
    expect((await place()).top).toBe(0);
    const grow = async (count: number) => {
      await page.evaluate(([text]) => window.harness.update([{ type: 'stream', name: 'stdout', text: text! }]), [lines(count)]);
      await settled(page);
    };
    await grow(140);
    expect((await place()).left).toBeLessThan(2);
    await box.evaluate((element) => element.scrollTo({ top: 300 }));
    await settled(page);
    await grow(200);
    expect((await place()).top).toBe(300);
    await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await settled(page);
    await grow(260);
    expect((await place()).left).toBeLessThan(2);
  });

  test('one line of 200 kB wraps, and copying gives all of it', async () => {
    const { page } = harness;
    const line = `${ESC}[36m${'x'.repeat(200_000)}${ESC}[0m`;
    const name = await show(page, [stream(line)]);
    const box = page.locator(`${within(name)} section`).first();
    expect(await box.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    expect(await box.evaluate((element) => element.textContent?.length)).toBe(200_000);
    await page.locator(within(name)).hover();
    await page.getByRole('button', { name: 'Output menu' }).click();
    await page.getByRole('menuitem', { name: 'Copy as text' }).click();
    expect(await calls(page)).toEqual([{ name: 'app.copyText', args: { text: 'x'.repeat(200_000) } }]);
  });

  test('a link opens outside and never in the window', async () => {
    const { page } = harness;
    const name = await show(page, [
      stream(
        `${ESC}]8;;https://example.org/a${ESC}\\text${ESC}]8;;${ESC}\\ ${ESC}]8;;javascript:pwned=1${ESC}\\bad${ESC}]8;;${ESC}\\ http://b.org\n`,
      ),
    ]);
    const links = page.locator(`${within(name)} a`);
    expect(await links.allInnerTexts()).toEqual(['text', 'http://b.org']);
    await links.first().click();
    await links.first().click({ button: 'middle' });
    expect(await calls(page)).toEqual(Array(2).fill({ name: 'app.openExternal', args: { url: 'https://example.org/a' } }));
    expect(page.url()).toContain('127.0.0.1');
  });

  test('what was left out opens as a log, to its very end', async () => {
    const { page } = harness;
    const name = await show(page, [
      { type: 'stream', name: 'stdout', text: 'head\ntail\n', omitted: { lines: 12_410, bytes: 9e6, at: 5, artifactId: '3' } },
    ]);
    expect((await textIn(page.locator(within(name)))).split('\n').filter(Boolean)).toEqual([
      'head',
      '12,410 lines left out',
      '·',
      'open log',
      'tail',
    ]);
    await page.getByRole('button', { name: 'open log' }).click();
    const dialog = page.getByRole('dialog', { name: 'Whole log' });
    await dialog.getByText('0000000', { exact: true }).waitFor();
    // Only what is near the view was read.
    expect(await dialog.locator('[data-index]').count()).toBeLessThan(6);
    await dialog.getByRole('button', { name: 'Last part' }).click();
    const log = dialog.getByRole('region', { name: 'Log' });
    await expect
      .poll(async () => {
        await log.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
        return await dialog.getByText('0399999', { exact: true }).isVisible();
      })
      .toBe(true);
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
  });

  test('a log that could not be kept is said', async () => {
    const { page } = harness;
    const name = await show(page, [
      { type: 'stream', name: 'stdout', text: 'a\n', omitted: { lines: 1, bytes: 9, at: 2, artifactId: null } },
    ]);
    expect(await textIn(page.locator(within(name)))).toContain('the whole text could not be kept');
    expect(await page.getByRole('button', { name: 'open log' }).count()).toBe(0);
  });
});

describe('errors', () => {
  test('name, message and the person’s own frame first; the rest on demand', async () => {
    const { page } = harness;
    const name = await show(page, [failure('library')]);
    const error = page.getByRole('region', { name: 'Error: JSONDecodeError' });
    const text = await textIn(error);
    expect(text).toMatch(/^JSONDecodeError: Expecting value: line 1 column 7 \(char 6\)/);
    expect(text).toContain('return json.loads(text)');
    expect(text).not.toContain('decoder.py');
    await page.getByRole('button', { name: '4 more frames' }).click();
    expect(await textIn(error)).toContain('json/decoder.py:355');
    // Kept when the cell leaves the page and comes back.
    await page.evaluate(() => window.harness.set([]));
    await show(page, [failure('library')], { name });
    expect(await textIn(error)).toContain('json/decoder.py:355');
  });

  test('copying gives the whole traceback without colours', async () => {
    const { page } = harness;
    await show(page, [failure('chained')]);
    await page.getByRole('region', { name: 'Error: ValueError' }).hover();
    await page.getByRole('button', { name: 'Copy the traceback' }).click();
    const [call] = await calls(page);
    const { text } = call!.args as { text: string };
    expect(text).toContain('The above exception was the direct cause');
    expect(text).toContain('bad key <b>');
    expect(text).not.toContain(ESC);
    await page.getByRole('button', { name: 'Copied' }).waitFor();
  });

  test('a message with markup is text', async () => {
    const { page } = harness;
    const name = await show(page, [
      failure('multiline_value'),
      { type: 'error', ename: 'ValueError', evalue: "<class 'type'> <img src=x onerror=pwned=1>", traceback: [] },
    ]);
    expect(await textIn(page.locator(within(name)))).toContain("<class 'type'> <img src=x onerror=pwned=1>");
    expect(await page.locator(`${within(name)} img`).count()).toBe(0);
  });

  test('an interruption is no failure', async () => {
    const { page } = harness;
    const name = await show(page, [failure('interrupt')]);
    expect(await textIn(page.locator(within(name)))).toMatch(/^Interrupted/);
  });
});

describe('the output area', () => {
  test('is worked by keyboard: menu, hide, show', async () => {
    const { page } = harness;
    const name = await show(page, [stream('some text\n')]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Output menu');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Hide output' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('1 output hidden').waitFor();
    expect(await textIn(page.locator(within(name)))).not.toContain('some text');
    await page.getByRole('button', { name: 'Show', exact: true }).press('Enter');
    await page.getByText('some text').waitFor();
  });

  test('stale output says why', async () => {
    const { page } = harness;
    const name = await show(page, [stream('old\n')], { stale: 'edited' });
    expect(await textIn(page.locator(within(name)))).toContain('The code was edited after this output was made');
  });

  test('one output that can’t be drawn leaves the others alone', async () => {
    const { page } = harness;
    const broken = {
      type: 'display_data' as const,
      data: { 'text/plain': null as never, 'text/html': { kind: 'url', url: null as never, bytes: 5 } as const },
      metadata: {},
      executionCount: null,
    };
    const name = await show(page, [stream('before\n'), broken, stream('after\n')]);
    // Drawn by React in a second pass, which a busy machine does a moment later.
    await page.locator(within(name)).getByText('This output could not be shown').waitFor();
    const text = await textIn(page.locator(within(name)));
    expect(text).toContain('before');
    expect(text).toContain('after');
  });

  test('clearing asks main', async () => {
    const { page } = harness;
    const name = await show(page, [stream('x\n')]);
    await page.getByRole('button', { name: 'Output menu' }).click();
    await page.getByRole('menuitem', { name: 'Clear output' }).click();
    expect(await calls(page)).toEqual([{ name: 'doc.clearOutputs', args: { docId: 'doc', keys: [name] } }]);
  });

  test('a cell with thousands of outputs starts with some of them', async () => {
    const { page } = harness;
    const outputs = Array.from({ length: 900 }, (_, index) => ({
      type: 'display_data' as const,
      data: { 'text/plain': { kind: 'inline' as const, value: `output ${index}` } },
      metadata: {},
      executionCount: null,
    }));
    const name = await show(page, outputs);
    expect(await textIn(page.locator(within(name)))).toContain('700 more outputs');
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByText('output 899', { exact: true }).waitFor();
  });
});
