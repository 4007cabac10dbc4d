/**
 * Notebooks that nobody looks at when it happens: one in a tab behind another when the page is loaded anew and the app is killed, and one whose page
 * sleeps while an agent and another program go on.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testPython } from '../../support/python.ts';
import { cellAt, drawn, outputOf, runCell, typeSource, unsaved } from '../notebook/notebook-page.ts';
import {
  codeCell,
  endOf,
  makePlace,
  must,
  type RunningApp,
  ready,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';

let place: TestPlace;
let app: RunningApp;
let file: string;

beforeEach(async () => {
  place = await makePlace();
  file = await writeNotebook(path.join(place.folder, 'behind.ipynb'), [
    codeCell('import os; print(os.environ.get("WHICH"))'),
    codeCell('b = 2'),
  ]);
});

afterEach(async () => {
  await stopApp(app);
  expect(app.problems).toEqual([]);
  await removePlace(place);
});

const tab = (title: string) => app.page.getByRole('tab', { name: title, exact: true });

it('unsaved in a tab behind, the page loaded anew, the app killed: it comes back unsaved and with its kernel', async () => {
  const spec = path.join(place.root, 'jupyter', 'kernels', 'other');
  await mkdir(spec, { recursive: true });
  const argv = [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  const kernel = { argv, display_name: 'Other Python', language: 'python', env: { WHICH: 'the other' } };
  await writeFile(path.join(spec, 'kernel.json'), JSON.stringify(kernel));
  const front = await writeNotebook(path.join(place.folder, 'front.ipynb'), [codeCell('c = 3')]);
  app = await startApp(place, [file, front]);
  await tab('behind.ipynb').click();
  await drawn(app.page);
  const { open } = await must(app.page, 'app.start', undefined);
  const states = await Promise.all(open.map((docId) => must(app.page, 'doc.attach', { docId })));
  const { docId } = states.find(({ document }) => document.path === file)!.document;
  await must(app.page, 'kernel.select', { docId, name: 'other' });
  await typeSource(app.page, 1, 'typed and then left behind');
  await until(() => unsaved(app.page, 'behind.ipynb'));
  await tab('front.ipynb').click();
  await cellAt(app.page, 0).getByText('c = 3').first().waitFor();
  await app.page.reload();
  await ready(app.page);
  await tab('behind.ipynb').waitFor();
  expect(await unsaved(app.page, 'behind.ipynb')).toBe(true);
  const before = await readFile(file, 'utf8');
  const ended = endOf(app.child);
  app.child.kill('SIGKILL');
  await ended;

  app = await startApp(place);
  const choice = app.page.getByRole('dialog', { name: 'Unsaved work was kept' });
  await choice.getByText('behind.ipynb').waitFor();
  await choice.getByRole('button', { name: 'Restore', exact: true }).click();
  await choice.waitFor({ state: 'detached' });
  await tab('behind.ipynb').click();
  await cellAt(app.page, 1).getByText('typed and then left behind').first().waitFor();
  expect(await unsaved(app.page, 'behind.ipynb')).toBe(true);
  expect(await readFile(file, 'utf8')).toBe(before);
  await app.page.getByRole('button', { name: /^Kernel Other Python,/ }).waitFor();
  await runCell(app.page, 0);
  await outputOf(app.page, 0).getByText('the other').waitFor();
});

it('whose page sleeps: it wakes to all that others did meanwhile, once, and what it sent before is there', async () => {
  app = await startApp(place, [file]);
  await drawn(app.page);
  await typeSource(app.page, 1, 'b = "typed before the sleep"');
  await until(() => unsaved(app.page, 'behind.ipynb'));
  const pid = await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getOSProcessId());
  process.kill(pid, 'SIGSTOP');
  try {
    for (let round = 1; round <= 20; round += 1) {
      const { cells } = JSON.parse(await readFile(file, 'utf8')) as { cells: Record<string, unknown>[] };
      cells.splice(1, 0, { id: `n${round}`, metadata: {}, ...codeCell(`other = ${round}`) });
      await rename(await writeNotebook(path.join(place.folder, '.next'), cells), file);
      // Main goes on while the page sleeps: it has taken the version in when it looks unchanged to it.
      await app.electron.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  // The cell that has the focus stays where it is on the page, with all the new ones above it.
  await cellAt(app.page, 21).getByText('typed before the sleep').first().waitFor();
  await cellAt(app.page, 20).getByText('other = 1', { exact: true }).first().waitFor();
  const { open } = await must(app.page, 'app.start', undefined);
  await must(app.page, 'doc.save', { docId: open[0]! });
  const { cells } = JSON.parse(await readFile(file, 'utf8')) as { cells: { source: string | string[] }[] };
  const sources = cells.map(({ source }) => [source].flat().join(''));
  const others = Array.from({ length: 20 }, (_, index) => `other = ${20 - index}`);
  expect(sources).toEqual(['import os; print(os.environ.get("WHICH"))', ...others, 'b = "typed before the sleep"']);
});
