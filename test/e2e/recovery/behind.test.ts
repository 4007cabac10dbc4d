/**
 * Notebooks that nobody looks at when it happens: one in a tab behind another when the page is loaded anew and the app is killed, and one whose page
 * sleeps while an agent and another program go on.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testPython } from '../../support/python.ts';
import { cellAt, drawn, outputOf, runCell, typeSource, unsaved } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, endOf, must, ready, until, writeNotebook } from '../window/start-app.ts';

const at = appInPlace('test');
let file: string;

beforeEach(async () => {
  file = await writeNotebook(path.join(at.place.folder, 'behind.ipynb'), [
    codeCell('import os; print(os.environ.get("WHICH"))'),
    codeCell('b = 2'),
  ]);
});

afterEach(async () => {
  expect(at.app.problems).toEqual([]);
});

const tab = (title: string) => at.app.page.getByRole('tab', { name: title, exact: true });

it('unsaved in a tab behind, the page loaded anew, the app killed: it comes back unsaved and with its kernel', async () => {
  const spec = path.join(at.place.root, 'jupyter', 'kernels', 'other');
  await mkdir(spec, { recursive: true });
  const argv = [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  const kernel = { argv, display_name: 'Other Python', language: 'python', env: { WHICH: 'the other' } };
  await writeFile(path.join(spec, 'kernel.json'), JSON.stringify(kernel));
  const front = await writeNotebook(path.join(at.place.folder, 'front.ipynb'), [codeCell('c = 3')]);
  await at.start([file, front]);
  // One that is still being opened would come to the front after the click.
  await tab('front.ipynb').waitFor();
  await tab('behind.ipynb').click();
  await drawn(at.app.page);
  const { open } = await must(at.app.page, 'app.start', undefined);
  const states = await Promise.all(open.map((docId) => must(at.app.page, 'doc.attach', { docId })));
  const { docId } = states.find(({ document }) => document.path === file)!.document;
  await must(at.app.page, 'kernel.select', { docId, name: 'other' });
  await typeSource(at.app.page, 1, 'typed and then left behind');
  await until(() => unsaved(at.app.page, 'behind.ipynb'));
  await tab('front.ipynb').click();
  await cellAt(at.app.page, 0).getByText('c = 3').first().waitFor();
  await at.app.page.reload();
  await ready(at.app.page);
  await tab('behind.ipynb').waitFor();
  expect(await unsaved(at.app.page, 'behind.ipynb')).toBe(true);
  const before = await readFile(file, 'utf8');
  const ended = endOf(at.app.child);
  at.app.child.kill('SIGKILL');
  await ended;

  await at.start();
  const choice = at.app.page.getByRole('dialog', { name: 'Unsaved work was kept' });
  await choice.getByText('behind.ipynb').waitFor();
  await choice.getByRole('button', { name: 'Restore', exact: true }).click();
  await choice.waitFor({ state: 'detached' });
  await tab('behind.ipynb').click();
  await cellAt(at.app.page, 1).getByText('typed and then left behind').first().waitFor();
  expect(await unsaved(at.app.page, 'behind.ipynb')).toBe(true);
  expect(await readFile(file, 'utf8')).toBe(before);
  await at.app.page.getByRole('button', { name: /^Kernel Other Python,/ }).waitFor();
  await runCell(at.app.page, 0);
  await outputOf(at.app.page, 0).getByText('the other').waitFor();
});

it('whose page sleeps: it wakes to all that others did meanwhile, once, and what it sent before is there', async () => {
  await at.start([file]);
  await drawn(at.app.page);
  await typeSource(at.app.page, 1, 'b = "typed before the sleep"');
  await until(() => unsaved(at.app.page, 'behind.ipynb'));
  const pid = await at.app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getOSProcessId());
  process.kill(pid, 'SIGSTOP');
  try {
    for (let round = 1; round <= 20; round += 1) {
      const { cells } = JSON.parse(await readFile(file, 'utf8')) as { cells: Record<string, unknown>[] };
      cells.splice(1, 0, { id: `n${round}`, metadata: {}, ...codeCell(`other = ${round}`) });
      await rename(await writeNotebook(path.join(at.place.folder, '.next'), cells), file);
      // Main goes on while the page sleeps: it has taken the version in when it looks unchanged to it.
      await at.app.electron.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  // The cell that has the focus stays where it is on the page, with all the new ones above it.
  await cellAt(at.app.page, 21).getByText('typed before the sleep').first().waitFor();
  await cellAt(at.app.page, 20).getByText('other = 1', { exact: true }).first().waitFor();
  const { open } = await must(at.app.page, 'app.start', undefined);
  await must(at.app.page, 'doc.save', { docId: open[0]! });
  const { cells } = JSON.parse(await readFile(file, 'utf8')) as { cells: { source: string | string[] }[] };
  const sources = cells.map(({ source }) => [source].flat().join(''));
  const others = Array.from({ length: 20 }, (_, index) => `other = ${20 - index}`);
  expect(sources).toEqual(['import os; print(os.environ.get("WHICH"))', ...others, 'b = "typed before the sleep"']);
});
