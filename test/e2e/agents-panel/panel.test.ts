/** The panel of agents as a person uses it, in the app's own browser, with agents that do what the test says. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsPage, openAgentsPage } from '../../support/agents-harness/open.ts';

let harness: AgentsPage;
let page: Page;
beforeAll(async () => {
  harness = await openAgentsPage();
  page = harness.page;
});
afterAll(() => harness?.close());

const panel = () => page.getByRole('complementary', { name: 'Agents' });
const feed = (name = 'refactor') => page.getByRole('feed', { name: `Calls of ${name}` });
const card = (id: number) => page.locator(`article[data-call="${id}"]`);
const acts = () => page.evaluate(() => window.scripted.acts);
const top = (of: Locator) => of.evaluate((element) => element.getBoundingClientRect().top);
const scrollTo = (place: number) => feed().evaluate((element, to) => element.scrollTo(0, to), place);
const frames = () =>
  page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
/** Waits until a card is drawn at the same place for some frames. */
async function still(of: Locator): Promise<number> {
  for (;;) {
    const before = await top(of);
    await frames();
    await frames();
    if ((await top(of)) === before) return before;
  }
}

describe('the panel', () => {
  test('opens by itself when the first agent comes, once', async () => {
    await harness.show('scene=empty');
    expect(await panel().count()).toBe(0);
    await page.evaluate(() => void window.scripted.come({ id: 'a', name: 'refactor' }));
    await panel().waitFor();
    expect(await page.getByRole('button', { name: /^refactor/, expanded: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Hide the agents' }).click();
    await panel().waitFor({ state: 'detached' });
    await page.evaluate(() => void window.scripted.come({ id: 'b', name: 'plots' }));
    await frames();
    expect(await panel().count()).toBe(0);
    await page.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
    await page.getByRole('button', { name: /^plots/ }).waitFor();
  });

  test('shows the sessions of earlier days only when asked', async () => {
    await harness.show('scene=empty');
    await page.evaluate(() => {
      window.scripted.come({ id: 'old', name: 'old one', connected: false });
      window.scripted.put({ agentId: 'old', card: { kind: 'plain', title: 'outline', summary: 'what it did', detail: null } });
    });
    await page.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
    await page.getByRole('button', { name: '1 earlier session' }).click();
    await page.getByRole('button', { name: /^old one/ }).click();
    await page.getByText('what it did').waitFor();
  });

  test('shows what an agent prints and is called letter for letter', async () => {
    await harness.show('scene=empty');
    await page.evaluate(() => {
      const markup = '<img src=x onerror="window.pwned=1"> <b>bold</b>';
      window.scripted.come({ id: 'a', name: markup });
      window.scripted.put({
        agentId: 'a',
        card: {
          kind: 'cells',
          path: null,
          cwd: '/tmp',
          summary: markup,
          cells: [
            {
              title: markup,
              code: markup,
              status: 'complete',
              text: `\u001b[31m${markup}\u001b[0m`,
              truncation: null,
              durationMs: 1,
              executionCount: 1,
              images: [],
              json: [markup],
              statusEvents: [{ op: markup }],
            },
          ],
        },
      });
    });
    await card(1).waitFor();
    expect(await panel().locator('img, b').count()).toBe(0);
    expect(await card(1).textContent()).toContain('<b>bold</b>');
    expect(await card(1).textContent()).not.toContain('[31m');
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  });
});

describe('a thousand cards', () => {
  test('are a few on the page, and the newest are in view', async () => {
    await harness.show('scene=many&cards=1000');
    await card(1000).waitFor();
    expect(await feed().locator('article').count()).toBeLessThan(25);
  });

  test('go back to the first', async () => {
    const atTop = async () => {
      await scrollTo(0);
      await frames();
      return card(1).count();
    };
    await expect.poll(atTop, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(await feed().locator('article').count()).toBeLessThan(25);
  });
});

describe('an image of a card', () => {
  const viewer = () => page.getByRole('dialog', { name: 'Image 1 of Plot it' });
  // By their elements: what is behind a dialog has no roles.
  const image = () => page.locator('article[data-call] button', { has: page.locator('img[alt="Image 1 of Plot it"]') });
  const scroll = (by: number) => page.locator('[role="feed"][aria-label="Calls of refactor"]').evaluate((at, y) => at.scrollBy(0, y), by);

  test('opens larger, and stays open while the agent goes on and the card leaves the page', async () => {
    await harness.show('scene=populated');
    await page.getByRole('group', { name: /asks to edit/ }).waitFor();
    await expect
      .poll(async () => {
        if ((await image().count()) === 0) await scroll(-200);
        return image().count();
      })
      .toBe(1);
    await image().click();
    await viewer().waitFor();
    await page.evaluate(() => {
      const card = { kind: 'plain' as const, title: 'new', summary: 'new', detail: null };
      for (let index = 0; index < 60; index += 1) window.scripted.put({ agentId: 'refactor', card });
    });
    await expect
      .poll(async () => {
        await scroll(1_000);
        return image().count();
      })
      .toBe(0);
    const shown = viewer().getByRole('img');
    await expect.poll(() => shown.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(480);
    expect(await shown.evaluate((element) => element.getBoundingClientRect().width)).toBeGreaterThan(480);
    await page.keyboard.press('Escape');
    await viewer().waitFor({ state: 'detached' });
  });

  test('opens larger at an earlier moment of the timeline too, by keyboard', async () => {
    await harness.show('scene=populated');
    await page.getByRole('slider', { name: 'Timeline of refactor' }).focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < 10 && (await image().count()) === 0; step += 1) {
      await page.keyboard.press('ArrowRight');
      await frames();
      await frames();
    }
    await image().focus();
    await page.keyboard.press('Enter');
    await viewer().waitFor();
    await page.keyboard.press('Escape');
    await viewer().waitFor({ state: 'detached' });
    await expect.poll(() => image().evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

test('the whole log of a card stays open while the agent goes on and the card leaves the page', async () => {
  await harness.show('scene=empty');
  await page.evaluate(() => {
    window.scripted.come({ id: 'refactor' });
    const truncation = { totalLines: 9, totalBytes: 90, artifactUrl: 'artifact://session/3' };
    const cell = { title: 'Print', code: '1', status: 'complete' as const, text: 'end', truncation, durationMs: 1, executionCount: 1 };
    const cells = [{ ...cell, images: [], json: [], statusEvents: [] }];
    window.scripted.put({ agentId: 'refactor', card: { kind: 'cells', path: null, cwd: '/tmp', summary: '', cells } });
  });
  const open = card(1).getByRole('button', { name: 'artifact://3' });
  const log = page.getByRole('dialog', { name: 'Whole log' });
  await open.focus();
  await page.keyboard.press('Enter');
  await log.waitFor();
  await page.keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
  await expect.poll(() => open.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await log.waitFor();
  await page.evaluate(() => {
    const plain = { kind: 'plain' as const, title: 'new', summary: 'new', detail: null };
    for (let index = 0; index < 80; index += 1) window.scripted.put({ agentId: 'refactor', card: plain });
  });
  await card(1).waitFor({ state: 'detached' });
  expect(await log.count()).toBe(1);
  await page.keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
});

describe('by keyboard', () => {
  test('the feed is gone through card by card, also past its drawn part', async () => {
    await harness.show('scene=many&cards=60');
    await card(60).waitFor();
    await card(60).focus();
    const focused = () => page.evaluate(() => Number(document.activeElement?.closest<HTMLElement>('article[data-call]')?.dataset.call));
    for (let id = 59; id >= 40; id -= 1) {
      await page.keyboard.press('PageUp');
      await expect.poll(focused, { timeout: 30_000 }).toBe(id);
    }
    await page.keyboard.press('PageDown');
    await expect.poll(focused, { timeout: 30_000 }).toBe(41);
    const [top, bottom] = await feed().evaluate((element) => [element.getBoundingClientRect().top, element.getBoundingClientRect().bottom]);
    const box = await card(41).boundingBox();
    expect(box && box.y + box.height).toBeGreaterThan(top!);
    expect(box?.y).toBeLessThan(bottom!);
  });

  test('every control of the panel has a name', async () => {
    await harness.show('scene=populated');
    await page.getByRole('group', { name: /asks to edit/ }).waitFor();
    const unnamed = await panel().evaluate((element) =>
      [...element.querySelectorAll<HTMLElement>('button, input, select, textarea, [tabindex="0"]')]
        .filter((control) => {
          const labels = control instanceof HTMLInputElement ? [...(control.labels ?? [])].map(({ textContent }) => textContent) : [];
          const images = [...control.querySelectorAll('img')].map(({ alt }) => alt);
          return [control.getAttribute('aria-label'), control.textContent, ...labels, ...images].every((name) => !name?.trim());
        })
        .map(({ outerHTML }) => outerHTML),
    );
    expect(unnamed).toEqual([]);
  });
});

describe('what is read', () => {
  const long = (lines: number) => Array.from({ length: lines }, (_, index) => `line ${index}`).join('\n');

  test('stays where it is when cards above it grow and new ones come', async () => {
    await harness.show('scene=many&cards=60');
    await card(60).waitFor();
    await scrollTo(await feed().evaluate((element) => element.scrollHeight / 2));
    await frames();
    const read = await feed().evaluate((element) => {
      const middle = element.getBoundingClientRect().top + 40;
      const found = [...element.querySelectorAll('article')].find((each) => each.getBoundingClientRect().bottom > middle);
      return Number(found?.dataset.call);
    });
    // No pointer over the list: the card at its upper edge is what is read.
    await page.mouse.move(300, 300);
    const before = await still(card(read));
    await page.evaluate(
      ([id, text]) => {
        const above = window.scripted.call(id! as number);
        window.scripted.put({ ...above, card: { kind: 'plain', title: 'grown', summary: text as string, detail: null } });
        window.scripted.put({ agentId: 'refactor', card: { kind: 'plain', title: 'new', summary: 'new', detail: null } });
      },
      [read - 1, long(30)],
    );
    await card(read - 1)
      .getByText('line 29')
      .waitFor({ state: 'attached' });
    expect(Math.abs((await still(card(read))) - before)).toBeLessThanOrEqual(1);
  });

  test('is the newest when the list is at its end, also while it grows', async () => {
    await page.getByRole('button', { name: 'Newest' }).click();
    await card(61).waitFor();
    await page.evaluate((text) => {
      const last = window.scripted.call(61);
      window.scripted.put({ ...last, card: { kind: 'plain', title: 'new', summary: text, detail: null } });
    }, long(40));
    await card(61).getByText('line 39').waitFor();
    await still(card(61));
    const [end, view] = [
      await card(61).evaluate((element) => element.getBoundingClientRect().bottom),
      await feed().evaluate((element) => element.getBoundingClientRect().bottom),
    ];
    expect(view - end).toBeGreaterThanOrEqual(0);
    expect(view - end).toBeLessThan(40);
  });
});

test('a way up counts at once, also when a card comes before the next frame', async () => {
  await harness.show('scene=many&cards=60');
  await card(60).waitFor();
  await feed().evaluate((element) => {
    element.scrollTo(0, element.scrollHeight / 2);
    window.scripted.put({ agentId: 'refactor', card: { kind: 'plain', title: 'new', summary: 'new', detail: null } });
  });
  await page.getByRole('button', { name: 'Newest' }).waitFor();
  await frames();
  // Cards that were not drawn yet have other heights than was thought, so the place itself moves.
  expect(await feed().evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop)).toBeGreaterThan(500);
});

test('an image that comes late leaves the list at its end', async () => {
  await harness.show('scene=many&cards=60');
  await card(60).waitFor();
  await still(card(60));
  const left = () => feed().evaluate((element) => Math.round(element.scrollHeight - element.clientHeight - element.scrollTop));
  await expect.poll(left).toBe(0);
  // The list hears of its last move after the card has grown, as it is when an image is read in between.
  await feed().evaluate((element) => {
    const last = [...element.querySelectorAll('article')].at(-1);
    if (last) last.style.paddingBottom = '300px';
    element.dispatchEvent(new Event('scroll'));
  });
  await expect.poll(left).toBe(0);
  expect(await page.getByRole('button', { name: 'Newest' }).count()).toBe(0);
  await page.mouse.move(1, 1);
  await scrollTo(0);
  await page.getByRole('button', { name: 'Newest' }).waitFor();
});

describe('a question', () => {
  test('is approved, with its diff in view', async () => {
    await harness.show('scene=populated');
    const question = page.getByRole('group', { name: 'refactor asks to edit cell 3 of analysis.ipynb.' });
    const asking = page.locator('article', { has: question });
    await question.waitFor();
    expect(await asking.locator('[data-kind="removed"]').allInnerTexts()).toEqual([
      expect.stringContaining('floor: float = 0.5'),
      expect.stringContaining('sales = clean(df)'),
    ]);
    await question.getByRole('checkbox').check();
    await question.getByRole('button', { name: 'Approve' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await acts()).toEqual([['decide', expect.any(Number), { approve: true, reason: '', always: true }]]);
  });

  test('is refused with a reason', async () => {
    const question = page.getByRole('group', { name: 'refactor asks to delete cell 7 of analysis.ipynb.' });
    await question.getByRole('button', { name: 'Refuse…' }).click();
    await question.getByRole('textbox').fill('I still need it');
    await page.keyboard.press('Control+Enter');
    await question.waitFor({ state: 'detached' });
    expect((await acts()).at(-1)).toEqual(['decide', expect.any(Number), { approve: false, reason: 'I still need it', always: false }]);
    // The keyboard stays at the card: keys that follow are none of the notebook's.
    const at = () => page.evaluate(() => document.activeElement?.matches('article[data-call]') ?? false);
    await expect.poll(at).toBe(true);
    expect(await page.getByRole('navigation').getByRole('button', { name: 'Agents', exact: true }).count()).toBe(1);
  });

  test('out of view can be gone to', async () => {
    await harness.show('scene=populated');
    await page.getByRole('group', { name: /asks to edit/ }).waitFor();
    await scrollTo(0);
    await page.getByRole('button', { name: 'Show the first question' }).click();
    await page.getByRole('group', { name: /asks to delete/ }).waitFor();
  });

  test('is told to a screen reader, and calls are not', async () => {
    await harness.show('scene=many&cards=3');
    await card(3).waitFor();
    const told = () => page.locator('[role="status"]').allInnerTexts();
    await page.evaluate(() => {
      const card = { kind: 'plain' as const, title: 'restart', summary: '', detail: null };
      for (let index = 0; index < 20; index += 1) window.scripted.put({ agentId: 'refactor', card });
      window.scripted.put({ agentId: 'refactor', state: 'approval', waitingFor: 'May it restart the kernel?', card });
    });
    await page.getByRole('status').getByText('refactor asks you: May it restart the kernel?').waitFor({ state: 'attached' });
    expect((await told()).filter((words) => words.includes('restart'))).toEqual(['refactor asks you: May it restart the kernel?']);
  });

  test('about a source whose lines end as on another system shows what changes and nothing else', async () => {
    await harness.show('scene=empty');
    await page.evaluate(() => {
      window.scripted.come({ id: 'refactor' });
      const card = { kind: 'notebook' as const, action: 'edit', path: '/a.ipynb', cellIndex: 0, cellType: 'code' as const, summary: '' };
      const put = (before: string, source: string) =>
        window.scripted.put({ agentId: 'refactor', state: 'approval', waitingFor: 'Edit?', card: { ...card, before, source } });
      put('one\r\ntwo\r\nthree\r\n', 'one\r\n2\r\nthree\r\n');
      put('one\r\ntwo\r\nthree', 'one\n2\nthree');
      put('one\r\ntwo', 'one\ntwo');
    });
    await card(3).getByText('Only how lines end changes.').waitFor();
    for (const id of [1, 2]) {
      expect(await card(id).locator('[data-kind]').allTextContents()).toEqual([' one', '−removed: two', '+added: 2', ' three']);
    }
    expect(await card(3).locator('[data-kind]').count()).toBe(0);
  });
});

describe('an agent', () => {
  test('is paused, taken over from, stopped, given back and let go on, by keyboard', async () => {
    await harness.show('scene=populated');
    const press = async (name: string) => {
      await page.getByRole('toolbar').getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    await press('Stop what it runs');
    await page.locator('article[data-state="running"]').waitFor({ state: 'detached' });
    await press('Pause');
    await panel().getByText('Paused: its next call waits until you resume.').waitFor();
    await press('Take over');
    await panel()
      .getByText(/^You have taken over/)
      .waitFor();
    await press('Give back');
    await press('Resume');
    await page.getByRole('toolbar').getByRole('button', { name: 'Pause', exact: true }).waitFor();
    expect((await acts()).map(([name]) => name)).toEqual(['stop', 'pause', 'takeOver', 'giveBack', 'resume']);
  });

  test('is given a policy that it can’t change itself', async () => {
    await page.getByRole('button', { name: 'More for refactor' }).click();
    await page.getByRole('menuitem', { name: 'What it may do…' }).click();
    const run = page.getByRole('group', { name: /^Run/ });
    await run.getByRole('radio', { name: 'Refuse' }).check({ force: true });
    await page.waitForFunction(() => window.scripted.acts.some(([name]) => name === 'setPolicy'));
    expect((await acts()).at(-1)).toMatchObject(['setPolicy', 'refactor', { run: 'deny', read: 'allow', delete: 'ask' }]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'More for refactor');
  });

  test('has a turn taken back, and what is left of it is said', async () => {
    await page.evaluate(() => {
      window.scripted.left = 'Cell 3 was edited by you since; it was left as it is.';
    });
    await page.getByRole('button', { name: 'More for refactor' }).click();
    await page.getByRole('menuitem', { name: 'Undo turn 1' }).click();
    await page.getByText('Cell 3 was edited by you since').waitFor();
    expect((await acts()).at(-1)).toEqual(['undoTurn', 'refactor', 1]);
  });
});

describe('the timeline', () => {
  test('is searched and filtered', async () => {
    await harness.show('scene=populated');
    await page.getByRole('button', { name: 'Search the timeline' }).click();
    await page.keyboard.type('out of range');
    await page.waitForFunction(() => document.querySelectorAll('[role="feed"][aria-label^="Calls"] article').length === 1);
    expect(await feed().locator('article').getAttribute('data-state')).toBe('failed');
    await page.getByRole('combobox', { name: 'State' }).selectOption('refused');
    await panel().getByText('No call matches.').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.locator('article[data-state="refused"]').waitFor();
    expect(await feed().locator('article').count()).toBe(1);
  });

  test('goes back to any moment, and to now', async () => {
    await harness.show('scene=many&cards=300');
    await card(300).waitFor();
    const scrubber = page.getByRole('slider', { name: 'Timeline of refactor' });
    await scrubber.focus();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[type=range]')?.max === '299');
    await page.keyboard.press('Home');
    await card(1).waitFor();
    expect(await feed().locator('article').count()).toBe(1);
    for (let step = 0; step < 2; step += 1) await page.keyboard.press('ArrowRight');
    await card(3).waitFor();
    expect(await scrubber.getAttribute('aria-valuetext')).toMatch(/^Call 3 of 300, \d\d:\d\d:\d\d, python 1 cell, done/);
    await page.evaluate(
      () => void window.scripted.put({ agentId: 'refactor', card: { kind: 'plain', title: 'new', summary: 'news', detail: null } }),
    );
    await frames();
    expect(await card(301).count()).toBe(0);
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await card(301).waitFor();
  });
});

describe('on the notebook', () => {
  const cell = (key: string) => page.locator(`[data-cell-key="${key}"]`);

  test('the cell where an agent works has its name, and says when it runs it', async () => {
    await harness.show('scene=populated');
    await cell('clean').getByText('plots', { exact: true }).waitFor();
    await page.evaluate(() => void window.fakeMain.bridge.call('run.cells', { docId: 'doc-1', keys: ['fit'] }));
    await cell('fit').getByText('run by refactor').waitFor();
    await page.evaluate(() => window.scripted.change('plots', { cursor: { docId: 'doc-1', key: 'load' } }));
    await cell('load').getByText('plots', { exact: true }).waitFor();
    await cell('clean').getByText('plots', { exact: true }).waitFor({ state: 'detached' });
  });

  test('a followed agent is gone after without the keyboard, until the person does something there', async () => {
    await harness.show('scene=populated');
    await cell('intro').waitFor();
    const follow = page.getByRole('button', { name: 'Follow it in the notebook' });
    await follow.focus();
    await page.keyboard.press('Enter');
    await page.evaluate(() => window.scripted.change('refactor', { cursor: { docId: 'doc-1', key: 'last' } }));
    await page.waitForFunction(() => {
      const box = document.querySelector('[data-cell-key="last"]')?.getBoundingClientRect();
      return box !== undefined && box.top < innerHeight;
    });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Stop following');
    await page.mouse.move(500, 400);
    await page.mouse.wheel(0, -4_000);
    await follow.waitFor();
    const scrolled = () => page.locator('[data-notebook] [role="feed"]').evaluate((element) => element.parentElement?.scrollTop);
    await page.waitForFunction(() => document.querySelector('[data-notebook] [role="feed"]')?.parentElement?.scrollTop === 0);
    await page.evaluate(() => window.scripted.change('refactor', { cursor: { docId: 'doc-1', key: 'raw' } }));
    await frames();
    await frames();
    expect(await scrolled()).toBe(0);
  });

  test('a card leads to its cell', async () => {
    await harness.show('scene=populated');
    await page.getByRole('group', { name: /asks to delete/ }).waitFor();
    await page
      .locator('article', { has: page.getByRole('group', { name: /asks to delete/ }) })
      .getByRole('button', { name: /analysis\.ipynb/ })
      .click();
    await page.waitForFunction(() => document.querySelector('[data-cell-key="bad"]')?.getAttribute('data-mark') === 'command');
  });
});
