/** The width of the panel of agents, as a person sets it, and in windows that have no room for it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsPage, openAgentsPage } from '../../support/agents-harness/open.ts';

let harness: AgentsPage;
beforeAll(async () => {
  harness = await openAgentsPage();
});
afterAll(() => harness?.close());

const panel = () => harness.page.getByRole('complementary', { name: 'Agents' });
const edge = () => harness.page.getByRole('separator', { name: 'Width of the panel of agents' });
const widthOf = (name: string) => harness.page.locator(name).evaluate((element) => Math.round(element.getBoundingClientRect().width));
const panelWidth = () => widthOf('aside[aria-label="Agents"]');
const pageWidth = () => widthOf('#page');
/** What a move of the pointer or of the window leads to is drawn with a later frame. */
const settles = (width: () => Promise<number>, to: number) => expect.poll(width, { timeout: 30_000 }).toBe(to);

async function inWindow(width: number, query = 'scene=populated'): Promise<void> {
  await harness.page.setViewportSize({ width, height: 800 });
  await harness.show(query);
}

describe('the width of the panel', () => {
  test('is set by dragging its edge, within bounds, and is remembered', async () => {
    const { page } = harness;
    await inWindow(1400);
    await panel().waitFor();
    await settles(panelWidth, 320);
    const box = await edge().boundingBox();
    if (!box) throw new Error('The edge is not on the page.');
    const [x, y] = [box.x + box.width / 2, box.y + 300];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 100, y, { steps: 4 });
    await settles(panelWidth, 420);
    await page.mouse.move(20, y, { steps: 4 });
    await settles(pageWidth, 420);
    await page.mouse.move(x - 60, y, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(x + 50, y);
    await settles(panelWidth, 380);
    await page.reload();
    await panel().waitFor();
    await settles(panelWidth, 380);
  });

  test('is set by keyboard, and a double click brings the usual one back', async () => {
    const { page } = harness;
    await inWindow(1400);
    await edge().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await settles(panelWidth, 352);
    expect(await edge().getAttribute('aria-valuenow')).toBe('352');
    await page.keyboard.press('ArrowRight');
    await settles(panelWidth, 336);
    await page.keyboard.press('Home');
    await settles(panelWidth, Number(await edge().getAttribute('aria-valuemin')));
    await page.keyboard.press('End');
    await settles(panelWidth, Number(await edge().getAttribute('aria-valuemax')));
    await edge().dblclick({ position: { x: 2, y: 300 } });
    await settles(panelWidth, 320);
  });

  test('gives way in a window that becomes small, and is as it was when the window is large again', async () => {
    const { page } = harness;
    await inWindow(1400);
    await edge().focus();
    for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowLeft');
    await settles(panelWidth, 400);
    await page.setViewportSize({ width: 1000, height: 800 });
    await settles(pageWidth, 420);
    await page.setViewportSize({ width: 760, height: 800 });
    // Over the notebook, which keeps all that the side bar leaves.
    await settles(pageWidth, 760 - 44 - 240);
    await page.setViewportSize({ width: 1400, height: 800 });
    await settles(panelWidth, 400);
  });

  test('leaves every button of an agent in view where it is least', async () => {
    const { page } = harness;
    await inWindow(1400);
    await edge().focus();
    await page.keyboard.press('Home');
    const right = await panel().evaluate((element) => element.getBoundingClientRect().right);
    const buttons = page.getByRole('toolbar', { name: 'Steer refactor' }).getByRole('button');
    for (const button of await buttons.all()) {
      const box = await button.boundingBox();
      expect(box && box.x + box.width).toBeLessThanOrEqual(right);
    }
    expect(await buttons.count()).toBe(6);
  });
});

test('a long file name leaves everything else of a card in view', async () => {
  const { page } = harness;
  await inWindow(1400, 'scene=empty');
  await page.evaluate(() => {
    window.scripted.come({ id: 'refactor' });
    const path = `/home/ada/${'a rather long name of a notebook '.repeat(4)}.ipynb`;
    const edit = { kind: 'notebook' as const, action: 'edit', path, cellIndex: 31, cellType: 'markdown' as const, summary: '' };
    const card = { ...edit, before: 'one', source: 'two' };
    window.scripted.put({ agentId: 'refactor', card }, { agentId: 'refactor', card, docId: 'doc-1', cellKeys: ['load'] });
    window.scripted.put({ agentId: 'refactor', card, state: 'approval', waitingFor: `Edit a cell in ${path}?` });
    window.scripted.put({ agentId: 'refactor', card: { kind: 'plain', title: path, summary: path, detail: null } });
  });
  await page.locator('article[data-call="4"]').waitFor();
  const beyond = () =>
    page.locator('article[data-call]').evaluateAll((cards) =>
      cards.flatMap((card) => {
        const { right } = card.getBoundingClientRect();
        return [...card.querySelectorAll('*')]
          .filter((part) => part.getBoundingClientRect().right > right + 0.5)
          .map((part) => part.outerHTML);
      }),
    );
  await expect.poll(beyond, { timeout: 30_000 }).toEqual([]);
  expect(await page.locator('article[data-call]').getByText('c:31').count()).toBe(3);
});

test('where it would lie over the notebook it does not open by itself', async () => {
  const { page } = harness;
  await inWindow(760, 'scene=empty');
  await page.evaluate(() => void window.scripted.come({ id: 'a', name: 'refactor' }));
  await page.locator('nav [class*="here"]').waitFor({ state: 'attached' });
  expect(await panel().count()).toBe(0);
  await page.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
  await panel().waitFor();
});
