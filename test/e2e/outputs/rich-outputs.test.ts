/** HTML in its frame, images, JSON and formulas, in the app's own browser; above all, what scripts of outputs can't do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenHarness } from '../../support/outputs-harness/open.ts';
import { openHarness } from '../../support/outputs-harness/open.ts';
import { calls, data, inline, outputFrame, served, settled, show, stream, textIn, within } from './support.ts';

let harness: OpenHarness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

describe('HTML', () => {
  test('of an untrusted notebook runs no script, and says so with a way to trust', async () => {
    const { page } = harness;
    await show(page, [data({ 'text/html': served('/frame/script') })]);
    const frame = await outputFrame(page, '/frame/script');
    expect(await textIn(frame.locator('#said'))).toBe('nothing ran');
    const before = await page.evaluate(() => window.harness.trusts);
    await page.getByRole('button', { name: 'Trust this notebook' }).click();
    expect(await page.evaluate(() => window.harness.trusts)).toBe(before + 1);
  });

  test('without scripts needs no trust and shows no bar', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'text/html': served('/frame/table') })]);
    const frame = await outputFrame(page, '/frame/table');
    expect(await textIn(frame.locator('tbody tr').first())).toContain('Aachen');
    await settled(page);
    expect(await page.locator(within(name)).getByRole('status').count()).toBe(0);
  });

  test('of a trusted notebook runs, in an origin of its own', async () => {
    const { page } = harness;
    await show(page, [data({ 'text/html': served('/frame/script?trusted') })], { trusted: true });
    const frame = await outputFrame(page, '/frame/script');
    await frame.getByText('script ran').waitFor();
    expect(await frame.evaluate(() => origin)).toBe('null');
    const reached = await frame.evaluate(() => {
      try {
        return String((parent as unknown as { harness: unknown }).harness);
      } catch {
        return 'out of reach';
      }
    });
    expect(reached).toBe('out of reach');
    expect(await page.getByRole('button', { name: 'Trust this notebook' }).count()).toBe(0);
  });

  test('JavaScript is drawn only when trusted', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'application/javascript': served('/frame/javascript') })]);
    expect(await page.locator(`${within(name)} iframe`).count()).toBe(0);
    await page.getByRole('button', { name: 'Trust this notebook' }).waitFor();
    await show(page, [data({ 'application/javascript': served('/frame/javascript?trusted') })], { trusted: true });
    await (await outputFrame(page, '/frame/javascript')).getByText('drawn by a script').waitFor();
  });

  test('is as tall as its content, follows it, and keeps its height for the next time', async () => {
    const { page } = harness;
    const output = data({ 'text/html': served('/frame/grows?trusted') });
    const name = await show(page, [output], { trusted: true });
    const frame = page.locator(`${within(name)} iframe`);
    const height = async () => (await frame.boundingBox())?.height;
    await expect.poll(height).toBe(300);
    await page.evaluate(() => window.harness.set([]));
    await show(page, [output], { trusted: true, name });
    expect(await height()).toBe(300);
  });

  test('that is very tall scrolls inside until all of it is asked for', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'text/html': served('/frame/tall') })]);
    const frame = page.locator(`${within(name)} iframe`);
    const height = async () => (await frame.boundingBox())?.height ?? 0;
    await expect.poll(height).toBe(640);
    await page.getByRole('button', { name: 'Show all', exact: true }).press('Enter');
    await expect.poll(height).toBeGreaterThan(4000);
  });

  test('can’t speak for another frame, nor can the page itself', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'text/html': served('/frame/script?trusted') }), data({ 'text/html': served('/frame/table') })], {
      trusted: true,
    });
    const script = await outputFrame(page, '/frame/script');
    await outputFrame(page, '/frame/table');
    const heights = () => page.locator(`${within(name)} iframe`).evaluateAll((frames) => frames.map((frame) => frame.clientHeight));
    await expect.poll(async () => (await heights())[1]).toBeGreaterThan(100);
    const before = await heights();
    await page.evaluate(() => window.postMessage({ cellwright: 'size', height: 500 }, '*'));
    await script.evaluate(() => {
      parent.postMessage({ cellwright: 'size', height: -5 }, '*');
      parent.postMessage({ cellwright: 'size', height: 1e9 }, '*');
      parent.postMessage({ cellwright: 'size', height: 77 }, '*');
    });
    await expect.poll(async () => (await heights())[0]).toBe(77);
    expect((await heights())[1]).toBe(before[1]);
  });

  test('opens a link when it is pressed, and never by itself', async () => {
    const { page } = harness;
    await show(page, [data({ 'text/html': served('/frame/links') })]);
    const frame = await outputFrame(page, '/frame/links');
    await frame.locator('#bad').click();
    await frame.locator('#web').click();
    await expect.poll(() => calls(page)).toEqual([{ name: 'app.openExternal', args: { url: 'https://example.org/page' } }]);
    // Whatever a test asks of the page counts as a press for some seconds, so the script waits longer and the test asks nothing until then.
    const name = await show(page, [data({ 'text/html': served('/frame/pushy?trusted') })], { trusted: true });
    await new Promise((resolve) => setTimeout(resolve, 9000));
    await expect
      .poll(() => page.locator(`${within(name)} iframe`).evaluate((element) => element.clientHeight), { timeout: 20_000 })
      .toBe(123);
    expect(await calls(page)).toEqual([]);
  });

  test('of many megabytes is held back until it is asked for', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'text/html': served('/frame/table', 14_200_000) })]);
    expect(await textIn(page.locator(within(name)))).toContain('HTML of 14 MB is held back');
    expect(await page.locator(`${within(name)} iframe`).count()).toBe(0);
    await page.getByRole('button', { name: 'Show anyway' }).click();
    await outputFrame(page, '/frame/table');
  });

  test('follows the theme without being loaded again', async () => {
    const { page } = harness;
    await show(page, [data({ 'text/html': served('/frame/table') })]);
    const frame = await outputFrame(page, '/frame/table');
    await frame.evaluate(() => document.body.setAttribute('data-mine', 'kept'));
    const setTheme = (theme: string) => page.evaluate(([each]) => document.documentElement.setAttribute('data-theme', each!), [theme]);
    await setTheme('dark');
    await frame.waitForSelector('html[data-theme="dark"] body[data-mine="kept"]', { state: 'attached' });
    await setTheme('light');
    await frame.waitForSelector('html[data-theme="light"]', { state: 'attached' });
  });

  test('is loaded only near the view', async () => {
    const { page } = harness;
    const lines = Array.from({ length: 25 }, (_, line) => `${line}\n`).join('');
    const far = Array.from({ length: 8 }, (_, index) => [
      stream(lines),
      stream(lines, 'stderr'),
      data({ 'text/html': served(`/frame/table?${index}`) }),
    ]).flat();
    const name = await show(page, far);
    await outputFrame(page, '/frame/table?0');
    expect(await page.locator(`${within(name)} iframe`).count()).toBeLessThan(4);
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await outputFrame(page, '/frame/table?7');
    await page.evaluate(() => window.scrollTo({ top: 0 }));
  });
});

describe('images', () => {
  test('keep their room for the next time', async () => {
    const { page } = harness;
    const output = data({ 'image/png': served('/sample/plot.png'), 'text/plain': inline('<Figure size 600x320 with 1 Axes>') });
    const name = await show(page, [output]);
    const image = page.getByRole('img', { name: '<Figure size 600x320 with 1 Axes>' });
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(100);
    await page.evaluate(() => window.harness.set([]));
    await show(page, [output], { name });
    const sizes = await image.evaluate((element: HTMLImageElement) => [Number(element.getAttribute('width')), element.naturalWidth]);
    expect(sizes[0]).toBeGreaterThan(100);
  });

  test('honour the size in the metadata and never leave the page', async () => {
    const { page } = harness;
    await show(page, [
      data({ 'image/png': served('/sample/plot.png') }, { 'image/png': { width: 200 } }),
      data({ 'image/png': served('/sample/plot.png?2') }, { 'image/png': { width: 4000 } }),
    ]);
    const images = page.locator('main img');
    await expect.poll(() => images.evaluateAll((all) => all.every((image) => (image as HTMLImageElement).complete))).toBe(true);
    const [small, large] = await images.evaluateAll((all) =>
      all.map((image) => image.getBoundingClientRect()).map(({ width, height }) => ({ width, ratio: width / height })),
    );
    expect(small!.width).toBe(200);
    expect(large!.width).toBeLessThan(1000);
    expect(large!.ratio).toBeCloseTo(small!.ratio, 1);
  });

  test('a broken one is named', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'image/png': served('/nothing-there.png', 12_000) })]);
    await page.getByText("This image can't be shown (PNG image, 12 kB).").waitFor();
    expect(await page.locator(`${within(name)} img`).count()).toBe(0);
  });

  test('SVG never becomes part of the page, so ids and styles of two can’t clash', async () => {
    const { page } = harness;
    const name = await show(page, [
      data({ 'image/svg+xml': served('/sample/plot.svg?1') }),
      data({ 'image/svg+xml': served('/sample/plot.svg?2') }),
    ]);
    const images = page.locator(`${within(name)} img`);
    await expect
      .poll(() => images.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth > 0)))
      .toEqual([true, true]);
    expect(await page.locator(`${within(name)} svg:not(.lucide)`).count()).toBe(0);
  });

  test('have a menu of their own, and are saved from memory', async () => {
    const { page } = harness;
    await show(page, [data({ 'image/png': served('/sample/plot.png') })]);
    const image = page.locator('main img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.complete)).toBe(true);
    await page.evaluate(() => {
      HTMLAnchorElement.prototype.click = function () {
        window.harness.calls.push({ name: 'download', args: [this.download, this.href.slice(0, 5)] });
      };
    });
    await image.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy image' }).waitFor();
    await page.getByRole('menuitem', { name: 'Save image…' }).click();
    await expect.poll(() => calls(page)).toEqual([{ name: 'download', args: ['output.png', 'blob:'] }]);
  });

  test('open larger by keyboard, fitted or pixel by pixel, and the keyboard is then where it was', async () => {
    const { page } = harness;
    await show(page, [
      data({ 'image/png': served('/sample/plot.png?large'), 'text/plain': inline('<Figure>') }, { 'image/png': { width: 90 } }),
    ]);
    const image = page.locator('main').getByRole('button', { name: '<Figure>' });
    await image.focus();
    await page.keyboard.press('Enter');
    const viewer = page.getByRole('dialog', { name: '<Figure>' });
    const large = viewer.getByRole('img');
    const widths = () => large.evaluate((element: HTMLImageElement) => [element.getBoundingClientRect().width, element.naturalWidth]);
    await expect.poll(async () => (await widths())[1]).toBeGreaterThan(100);
    // It is enlarged once the page has heard of its size.
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('[role="dialog"] img');
      return image && image.getBoundingClientRect().width > image.naturalWidth;
    });
    const [fitted, natural] = await widths();
    const [stage] = await viewer.getByRole('region', { name: 'Image' }).evaluate((element) => [element.clientWidth]);
    expect(fitted).toBeLessThanOrEqual(stage!);
    expect(fitted).toBeGreaterThan(natural!);
    await page.keyboard.press('1');
    await expect.poll(async () => (await widths())[0]).toBe(natural);
    expect(await viewer.getByRole('button', { name: '100 %', pressed: true }).count()).toBe(1);
    await viewer.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(async () => (await widths())[0]).toBe(fitted);
    const back = async () => {
      await page.keyboard.press('Escape');
      await viewer.waitFor({ state: 'detached' });
      await expect.poll(() => image.evaluate((element) => element === document.activeElement)).toBe(true);
    };
    await back();
    await image.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open larger' }).click();
    await viewer.waitFor();
    await back();
  });

  test('much larger than the window fit into it, and are scrolled pixel by pixel', async () => {
    const { page } = harness;
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="6000" height="9000"><rect width="6000" height="9000" fill="teal"/></svg>';
    await show(page, [data({ 'image/svg+xml': inline(svg) })]);
    await page.locator('main').getByRole('button', { name: 'Image output' }).click();
    const stage = page.getByRole('dialog').getByRole('region', { name: 'Image' });
    const overflow = () =>
      stage.evaluate((element) => [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight]);
    await expect.poll(overflow).toEqual([0, 0]);
    await expect.poll(() => stage.getByRole('img').evaluate((element) => element.getBoundingClientRect().height)).toBeGreaterThan(100);
    await page.keyboard.press('1');
    await expect.poll(async () => (await overflow()).every((more) => more > 4_000)).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('JSON', () => {
  test('a million entries open a page at a time', async () => {
    const { page } = harness;
    const name = await page.evaluate(() => {
      const value = Array.from({ length: 1_000_000 }, (_, at) => at * 2);
      window.harness.set([
        {
          name: 'million',
          outputs: [{ type: 'display_data', data: { 'application/json': { kind: 'inline', value } }, metadata: {}, executionCount: null }],
        },
      ]);
      return 'million';
    });
    const tree = page.locator(`${within(name)} [aria-label="JSON"]`);
    expect(await textIn(tree)).toContain('1,000,000 items');
    await tree.getByRole('button').first().press('ArrowRight');
    await tree.getByText('990,000 … 999,999').click();
    await tree.getByText('999,900 … 999,999').click();
    await tree.getByText('1999998').waitFor();
    expect(await page.locator(`${within(name)} li`).count()).toBeLessThan(320);
    await tree.getByRole('button').first().press('ArrowLeft');
    expect(await page.locator(`${within(name)} li`).count()).toBe(1);
  });

  test('is opened as its metadata says, and long strings on demand', async () => {
    const { page } = harness;
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key${at}`, at]));
    const name = await show(page, [
      data({ 'application/json': inline({ ...many, text: 'z'.repeat(3000) }) }, { 'application/json': { expanded: true, root: 'answer' } }),
    ]);
    const tree = page.locator(within(name));
    expect(await textIn(tree)).toContain('answer: 41 keys');
    await tree.getByRole('button', { name: '2,600 more characters' }).click();
    expect(await textIn(tree)).toContain('z'.repeat(3000));
  });
});

describe('other types', () => {
  test('formulas are drawn; what is no TeX stays readable', async () => {
    const { page } = harness;
    const name = await show(page, [
      data({ 'text/latex': inline('$\\displaystyle \\frac{1}{2}$') }),
      data({ 'text/latex': inline('$\\nosuchthing{x}$') }),
    ]);
    await page
      .locator(`${within(name)} .katex`)
      .first()
      .waitFor();
    expect(await page.locator(`${within(name)} .katex`).count()).toBe(1);
    expect(await page.locator(`${within(name)} code`).textContent()).toBe('\\nosuchthing{x}');
  });

  test('a widget falls back to what came with it, with a word about it', async () => {
    const { page } = harness;
    const widget = data({
      'application/vnd.jupyter.widget-view+json': inline({ model_id: 'a' }),
      'text/plain': inline('IntSlider(value=4)'),
    });
    const untrusted = page.locator(within(await show(page, [widget])));
    await untrusted.getByText('Widgets run code').waitFor();
    await untrusted.getByText('IntSlider(value=4)').waitFor();
    expect(await untrusted.locator('iframe').count()).toBe(0);
    // The harness has no kernel, and so no model.
    const trusted = page.locator(within(await show(page, [widget], { trusted: true })));
    await trusted.getByText('This widget is not in the kernel').waitFor();
    await trusted.getByText('IntSlider(value=4)').waitFor();
  });

  test('another representation can be picked, and stays picked', async () => {
    const { page } = harness;
    const output = data({ 'text/html': served('/frame/table'), 'text/plain': inline('plain table') });
    const name = await show(page, [output]);
    await page.getByRole('button', { name: 'Output menu' }).click();
    await page.getByRole('menuitemradio', { name: 'Plain text' }).click();
    await page.getByText('plain table').waitFor();
    expect(await page.locator(`${within(name)} iframe`).count()).toBe(0);
    await page.evaluate(() => window.harness.set([]));
    await show(page, [output], { name });
    await page.getByText('plain table').waitFor();
  });

  test('large text comes from its address', async () => {
    const { page } = harness;
    await show(page, [data({ 'text/plain': served('/artifact/3', 20_000_000) })]);
    await page.getByRole('button', { name: /Show all 400,000 lines/ }).waitFor();
  });

  test('what nobody can show is named', async () => {
    const { page } = harness;
    const name = await show(page, [data({ 'application/pdf': served('/x.pdf', 5_000_000) })]);
    expect(await textIn(page.locator(within(name)))).toContain("application/pdf can't be shown here (5.0 MB).");
  });
});
