/** A notebook in the real window whose file other programs change, delete or damage: what is taken in, what is asked, what is written. */
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { cellAt, drawn, editCell, unsaved } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, readNotebook, ready, until, writeNotebook } from '../window/start-app.ts';

const run = appInPlace('test');
let file: string;

beforeEach(async () => {
  file = await writeNotebook(
    path.join(run.place.folder, 'a.ipynb'),
    ['one', 'two', 'three'].map((source) => codeCell(source)),
  );
});

/** A busy machine takes its time over what is waited for; a hang still ends before the test's own limit. */
const PATIENCE_MS = 90_000;

async function start(): Promise<Page> {
  await run.start([file]);
  run.app.page.setDefaultTimeout(PATIENCE_MS);
  return run.app.page;
}

async function open(): Promise<Page> {
  const page = await start();
  await drawn(page);
  return page;
}

/** As most programs save: another file takes the place. A cell is known by its first word. */
async function replaceFile(sources: readonly string[]): Promise<void> {
  const ids = new Map([
    ['one', 'c0'],
    ['two', 'c1'],
    ['three', 'c2'],
  ]);
  const cells = sources.map((source) => ({ id: ids.get(source.split(' ')[0]!) ?? 'new', ...codeCell(source) }));
  const next = await writeNotebook(path.join(run.place.folder, '.a.new'), cells);
  await rename(next, file);
}

async function sources(): Promise<string[]> {
  return (await readNotebook(file)).cells.map(({ source }) => [source].flat().join(''));
}

async function shows(page: Page, index: number, text: string): Promise<void> {
  await cellAt(page, index).getByText(text, { exact: true }).first().waitFor();
}

/** Types into a cell, has the file changed in the same one, and opens the view. */
async function openConflict(page: Page, theirs = 'theirs'): Promise<ReturnType<Page['getByRole']>> {
  await editCell(page, 0);
  await page.keyboard.press('End');
  await page.keyboard.type(' mine');
  await replaceFile([`one ${theirs}`, 'two', 'three']);
  await page.getByRole('button', { name: 'Compare and choose…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Two versions of the same cells' });
  await dialog.locator('.monaco-diff-editor').waitFor();
  return dialog;
}

describe('while somebody types', () => {
  it('a change of another cell comes in under the caret’s feet, is told and can be taken back', async () => {
    const page = await open();
    await editCell(page, 0);
    await page.keyboard.press('End');
    await page.keyboard.type(' typed');
    await replaceFile(['one', 'two theirs', 'new', 'three']);
    await shows(page, 1, 'two theirs');
    await shows(page, 2, 'new');
    await page.keyboard.type(' on');
    await shows(page, 0, 'one typed on');
    await page.getByRole('status').getByText('Taken in: 1 cell changed, 1 cell added.').waitFor();
    const keptFocus = await cellAt(page, 0).evaluate((article) => article.contains(document.activeElement));
    expect(keptFocus).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await shows(page, 1, 'two');
    await shows(page, 2, 'three');
    await shows(page, 0, 'one typed on');
    expect(run.app.problems).toEqual([]);
  });

  it('a change of the same cell keeps both versions, side by side, and the choice is saved', async () => {
    const page = await open();
    const dialog = await openConflict(page);
    await dialog.getByText('1 of 1 cell left').waitFor();
    await dialog.getByRole('button', { name: 'Take the file’s version' }).click();
    await dialog.getByText('All settled.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await shows(page, 0, 'one theirs');
    await page.keyboard.press('Control+S');
    await until(async () => !(await unsaved(page, 'a.ipynb')));
    expect(await sources()).toEqual(['one theirs', 'two', 'three']);
    expect(run.app.problems).toEqual([]);
  });

  it('a choice before the two are compared is taken, and the comparison ends without a fault', async () => {
    const page = await open();
    // The worker hears nothing until it is let.
    await page.addInitScript(() => {
      const post = Worker.prototype.postMessage as (...args: unknown[]) => void;
      let held: (() => void)[] | null = [];
      Worker.prototype.postMessage = function (this: Worker, ...args: unknown[]) {
        if (held) held.push(() => post.apply(this, args));
        else post.apply(this, args);
      };
      const compare = () => {
        for (const send of held ?? []) send();
        held = null;
      };
      Object.assign(window, { compare });
    });
    await page.reload();
    await ready(page);
    await drawn(page);
    const dialog = await openConflict(page);
    await dialog.getByRole('button', { name: 'Take the file’s version' }).click();
    await dialog.getByText('All settled.').waitFor();
    await page.evaluate(() => (window as unknown as { compare: () => void }).compare());
    await dialog.getByRole('button', { name: 'Done' }).click();
    await shows(page, 0, 'one theirs');
    // The next comparison waits for the same worker, so the first one is over then.
    await (await openConflict(page, 'others')).locator('.line-insert').first().waitFor();
    expect(run.app.problems).toEqual([]);
  });

  it('a save with a conflict writes the rest, leaves the file’s version in the file, and says so', async () => {
    const page = await open();
    const dialog = await openConflict(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await editCell(page, 2);
    await page.keyboard.press('End');
    await page.keyboard.type(' also');
    await page.keyboard.press('Control+S');
    await page.getByText('Everything is saved but 1 cell, which was also changed in the file.').waitFor();
    expect(await sources()).toEqual(['one theirs', 'two', 'three also']);
    await shows(page, 0, 'one mine');
    await until(() => unsaved(page, 'a.ipynb'));
  });

  it('an edited text can be used instead of both, by the keyboard alone', async () => {
    const page = await open();
    const dialog = await openConflict(page);
    await dialog.locator('.modified-in-monaco-diff-editor .view-lines').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' and theirs');
    const use = dialog.getByRole('button', { name: 'Use the edited text' });
    await until(() => use.isEnabled());
    await use.focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('All settled.').waitFor();
    await page.keyboard.press('Escape');
    await shows(page, 0, 'one mine and theirs');
  });
});

describe('a file that is gone', () => {
  it('leaves the notebook there, unsaved, and can be saved again', async () => {
    const page = await open();
    await unlink(file);
    await page.getByText('a.ipynb was deleted or moved on the disk. It is kept here, unsaved.').waitFor();
    expect(await unsaved(page, 'a.ipynb')).toBe(true);
    await page.getByRole('button', { name: 'Save it again' }).click();
    await page.getByText('a.ipynb was deleted').waitFor({ state: 'detached' });
    expect(await sources()).toEqual(['one', 'two', 'three']);
  });

  it('was renamed: the tab follows', async () => {
    const page = await open();
    await rename(file, path.join(run.place.folder, 'b.ipynb'));
    await page.getByRole('tab', { name: 'b.ipynb' }).waitFor();
    expect(await unsaved(page, 'b.ipynb')).toBe(false);
  });
});

describe('a file that is no notebook', () => {
  it('with git’s markers is shown with their place, settled cell by cell, and written into a new file', async () => {
    const whole = await readFile(file, 'utf8');
    const text = whole.replace('"source": "two"', '"source":\n<<<<<<< HEAD\n "two mine"\n=======\n "two theirs"\n>>>>>>> feature\n');
    await writeFile(file, text);
    const page = await start();
    const dialog = page.getByRole('dialog', { name: 'a.ipynb' });
    const line = text.split('\n').indexOf('<<<<<<< HEAD') + 1;
    await dialog.getByRole('heading', { name: `The file as it is – line ${line}` }).waitFor();
    await dialog.getByText('3 cells found, 1 of them in two versions.').waitFor();
    const save = dialog.getByRole('button', { name: 'Save as a (repaired).ipynb' });
    expect(await save.isEnabled()).toBe(false);
    await dialog.getByRole('button', { name: 'Take this – feature' }).click();
    await save.click();
    await page.getByRole('tab', { name: 'a (repaired).ipynb' }).waitFor();
    await shows(page, 1, 'two theirs');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(run.app.problems).toEqual([]);
  });

  it('cut off: what is left is shown before anything is written, and replaces the file only when that is said twice', async () => {
    const text = (await readFile(file, 'utf8')).slice(0, -150);
    await writeFile(file, text);
    const page = await start();
    const dialog = page.getByRole('dialog', { name: 'a.ipynb' });
    await dialog.getByText('3 cells found').waitFor();
    expect(await readFile(file, 'utf8')).toBe(text);
    await dialog.getByRole('button', { name: 'Replace the file…' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await readFile(file, 'utf8')).toBe(text);
    await dialog.getByRole('button', { name: 'Replace the file…' }).click();
    await question.getByRole('button', { name: 'Replace the file' }).click();
    await page.getByRole('tab', { name: 'a.ipynb' }).waitFor();
    await drawn(page);
    expect((await sources()).slice(0, 2)).toEqual(['one', 'two']);
  });
});
