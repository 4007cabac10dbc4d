/** A notebook opened without its outputs: they wait until they are asked for or the cell runs, and a save keeps them. A file with mixed line ends beside it. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, readNotebook, until, writeNotebook } from '../window/start-app.ts';
import { cellAt, command, drawn, outputOf, runCell, runState, save, typeSource } from './notebook-page.ts';

const run = appInPlace('test');
let file: string;

const printed = (text: string) => ({ name: 'stdout', output_type: 'stream', text: [text] });

beforeEach(async () => {
  const cells = [
    codeCell('print("first")', [printed('stored first\n')]),
    codeCell('2', [printed('stored second\n'), printed('and more\n')]),
  ];
  file = await writeNotebook(path.join(run.place.folder, 'large.ipynb'), cells);
});

afterEach(async () => {
  await run.stop();
  expect(run.app.problems).toEqual([]);
});

/** The next file dialog answers with this file. */
async function choose(chosen: string): Promise<void> {
  await run.app.electron.evaluate(({ dialog }, filePath) => {
    dialog.showOpenDialog = (async () => ({ canceled: false, filePaths: [filePath] })) as unknown as typeof dialog.showOpenDialog;
  }, chosen);
}

it('outputs come when they are asked for or the cell runs, and stay in the file', async () => {
  const { page } = await run.start();
  await choose(file);
  await command(page, 'Open without outputs…');
  await drawn(page);
  await cellAt(page, 0).getByText('1 output not loaded').waitFor();
  await cellAt(page, 1).getByText('2 outputs not loaded').waitFor();
  expect(await page.getByText('stored first').count()).toBe(0);

  await typeSource(page, 0, 'print("run now")');
  await save(page);
  const texts = async () => (await readNotebook(file)).cells.map(({ outputs }) => outputs.map(({ text }) => [text].flat().join('')));
  expect(await texts()).toEqual([['stored first\n'], ['stored second\n', 'and more\n']]);

  await cellAt(page, 1).getByText('2 outputs not loaded').click();
  await outputOf(page, 1).getByText('and more').waitFor();
  await runCell(page, 0);
  await runState(page, 0, 'done');
  await outputOf(page, 0).getByText('run now').waitFor();
  expect(await page.getByText('stored first').count()).toBe(0);
});

it('mixed line ends are told of, and made LF by the command alone', async () => {
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, lines.map((line, index) => line + (index === lines.length - 1 ? '' : index % 2 ? '\r\n' : '\n')).join(''));
  const { page } = await run.start([file]);
  await drawn(page);
  await page.getByText('The file mixes two kinds of line ends').waitFor();
  expect(await readFile(file, 'utf8')).toContain('\r\n');
  await command(page, 'Normalise line ends');
  await until(async () => (await readFile(file, 'utf8')) === lines.join('\n'));
  await page.getByText('The file mixes two kinds of line ends').waitFor({ state: 'detached' });
});
