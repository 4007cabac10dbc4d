/**
 * The app killed while a person types, and started again: the choice is shown, and each answer does what it says. Typing is on the disk within a
 * second; the tests wait for it there and not for a time.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeRecords } from '../../../main/documents/journal/records.ts';
import { readJournal, unsavedWork } from '../../../main/documents/journal/unsaved-work.ts';
import { cellAt, drawn, outputOf, runCell, runState, typeSource, unsaved } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { picture } from '../window/picture.ts';
import { codeCell, endOf, until, writeNotebook } from '../window/start-app.ts';

const run = appInPlace('test');
let file: string;

beforeEach(async () => {
  file = await writeNotebook(path.join(run.place.folder, 'analysis.ipynb'), [codeCell('a = 1'), codeCell('b = 2')]);
});

afterEach(async () => {
  await run.stop();
  expect(run.app.problems).toEqual([]);
});

/** Waits until the journals say that some cell has this source, or has put out this text. */
async function journaled(text: string): Promise<void> {
  await until(async () => {
    const folder = path.join(run.place.profile, 'journals');
    for (const name of await readdir(folder).catch(() => [])) {
      const bytes = await readFile(path.join(folder, name, 'changes.log')).catch(() => null);
      const journal = bytes && readJournal(await decodeRecords(bytes));
      const cells = journal?.base ? [...unsavedWork(journal, null).cells.values()] : [];
      if (cells.some(({ source, outputs }) => source === text || JSON.stringify(outputs ?? []).includes(JSON.stringify(text)))) return true;
    }
    return false;
  });
}

async function kill(): Promise<void> {
  const ended = endOf(run.app.child);
  run.app.child.kill('SIGKILL');
  await ended;
}

const choice = (): Locator => run.app.page.getByRole('dialog', { name: 'Unsaved work was kept' });
const answer = (name: string): Promise<void> => choice().getByRole('button', { name, exact: true }).click();

async function source(index: number): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what a person sees, as it is laid out
  return (await cellAt(run.app.page, index).locator('[class*="source"], .monaco-editor').first().innerText()).replaceAll('\u00a0', ' ');
}

async function typeAndCrash(text = 'print("typed before the crash")'): Promise<void> {
  await run.start([file]);
  await drawn(run.app.page);
  await typeSource(run.app.page, 0, text);
  await journaled(text);
  await kill();
}

it('asks after a crash, and gives back what was typed and put out, unsaved; undo takes it back', async () => {
  await run.start([file]);
  await drawn(run.app.page);
  await typeSource(run.app.page, 0, 'print("before the crash")');
  await runCell(run.app.page, 0);
  await runState(run.app.page, 0, 'done');
  await outputOf(run.app.page, 0).getByText('before the crash').waitFor();
  await journaled('before the crash\n');
  await kill();
  const before = await readFile(file, 'utf8');

  await run.start();
  await choice().getByText('analysis.ipynb').waitFor();
  // biome-ignore lint/performance/useDomNodeTextContent: what a person sees, as it is laid out
  expect(await choice().innerText()).toMatch(/1 cell · just now/);
  await picture(run.app.page, 'choice-light');
  await answer('Restore');
  await choice().waitFor({ state: 'detached' });
  await until(async () => (await source(0)).includes('before the crash'));
  await outputOf(run.app.page, 0).getByText('before the crash').waitFor();
  expect(await unsaved(run.app.page, 'analysis.ipynb')).toBe(true);
  expect(await readFile(file, 'utf8')).toBe(before);
  await picture(run.app.page, 'restored');

  await cellAt(run.app.page, 1).click();
  await run.app.page.keyboard.press('Escape');
  await run.app.page.keyboard.press('Control+Z');
  await picture(run.app.page, 'undone');
  await until(async () => (await source(0)) === 'a = 1');
});

it('gives back two notebooks at once, one of them never saved', async () => {
  await run.start([file]);
  await drawn(run.app.page);
  await typeSource(run.app.page, 1, 'kept in a file');
  await journaled('kept in a file');
  await run.app.page.keyboard.press('Control+N');
  await until(async () => (await run.app.page.getByRole('tab', { name: 'Untitled.ipynb' }).count()) === 1);
  await drawn(run.app.page);
  await typeSource(run.app.page, 0, 'never saved');
  await journaled('never saved');
  await kill();

  await run.start(['--theme=dark']);
  await choice().getByText('Untitled.ipynb').waitFor();
  await picture(run.app.page, 'choice-two-dark');
  await answer('Restore all');
  await choice().waitFor({ state: 'detached' });
  for (const [title, index, text] of [
    ['Untitled.ipynb', 0, 'never saved'],
    ['analysis.ipynb', 1, 'kept in a file'],
  ] as const) {
    await run.app.page.getByRole('tab', { name: title }).click();
    await until(async () => (await source(index).catch(() => '')) === text);
    expect(await unsaved(run.app.page, title)).toBe(true);
  }
});

it('leaves a file alone that is newer than the work, and opens the work beside it', async () => {
  await typeAndCrash();
  await writeNotebook(file, [codeCell('written by another program')]);
  const newer = await readFile(file, 'utf8');

  await run.start([file, '--theme=dark']);
  await drawn(run.app.page);
  await choice()
    .getByText(/holds a newer version/)
    .waitFor();
  await picture(run.app.page, 'choice-newer-dark');
  await answer('Restore');
  await run.app.page.getByRole('tab', { name: 'analysis (recovered).ipynb' }).waitFor();
  await until(async () => (await source(0)).includes('typed before the crash'));
  expect(await unsaved(run.app.page, 'analysis (recovered).ipynb')).toBe(true);
  await picture(run.app.page, 'beside-dark');
  await run.app.page.getByRole('tab', { name: 'analysis.ipynb', exact: true }).click();
  await until(async () => (await source(0)) === 'written by another program');
  expect(await readFile(file, 'utf8')).toBe(newer);
});

it('also when the notebook itself is opened, and keeps the file where that is wanted; it asks once', async () => {
  await typeAndCrash();
  await run.start([file]);
  await drawn(run.app.page);
  await choice().waitFor();
  expect(await source(0)).toBe('a = 1');
  await answer('Keep the file as it is');
  await choice().waitFor({ state: 'detached' });
  expect(await source(0)).toBe('a = 1');
  expect(await unsaved(run.app.page, 'analysis.ipynb')).toBe(false);
  expect(await readdir(path.join(run.place.profile, 'journals', 'kept'))).toHaveLength(1);
  await run.start([file]);
  await drawn(run.app.page);
  expect(await choice().count()).toBe(0);
});

it('restores into a notebook that is open already, and asks again when the answer was put off', async () => {
  await typeAndCrash();
  await run.start([file]);
  await choice().waitFor();
  await run.app.page.keyboard.press('Escape');
  await choice().waitFor({ state: 'detached' });
  await run.start([file]);
  await drawn(run.app.page);
  await choice().waitFor();
  await answer('Restore');
  await until(async () => (await source(0)).includes('typed before the crash'));
  expect(await run.app.page.getByRole('tab').count()).toBe(1);
  await run.app.page.keyboard.press('Control+S');
  await until(async () => (await readFile(file, 'utf8')).includes('typed before the crash'));
  await until(async () => (await readdir(path.join(run.place.profile, 'journals'))).filter((name) => name !== 'kept').length === 0);
});

it('a signal that ends the app asks nobody and loses nothing', async () => {
  await run.start([file]);
  await drawn(run.app.page);
  await typeSource(run.app.page, 0, 'typed before the signal');
  await until(() => unsaved(run.app.page, 'analysis.ipynb'));
  await run.start();
  await choice().waitFor();
  await answer('Restore');
  await until(async () => (await source(0)) === 'typed before the signal');
});

it('a journal that can’t be read stops no start', async () => {
  const folder = path.join(run.place.profile, 'journals', 'aaaa');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'changes.log'), 'no journal at all\n');
  await run.start([file]);
  await drawn(run.app.page);
  expect(await choice().count()).toBe(0);
});
