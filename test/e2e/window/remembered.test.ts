/** What the app remembers of a notebook over its own restarts: the chosen kernel, and the outputs that the person trusted. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { DocumentSnapshot } from '../../../preload/contract.ts';
import { testPython } from '../../support/python.ts';
import { appInPlace } from './app-in-place.ts';
import { cellKeys } from './edit-source.ts';
import { codeCell, must, until, writeNotebook } from './start-app.ts';

const run = appInPlace('file');

async function openAnew(file: string): Promise<DocumentSnapshot> {
  const { page } = await run.start();
  return must(page, 'doc.open', { path: file });
}

const script = (code: string) => ({
  output_type: 'display_data',
  metadata: {},
  data: { 'text/html': [`<script>${code}</script>`] },
});

it('trust lasts over restarts and edits of sources, and is void for outputs that somebody else changed', async () => {
  const file = await writeNotebook(path.join(run.place.folder, 'trust.ipynb'), [codeCell('show()', [script('1')])]);
  const { document } = await openAnew(file);
  expect(document.trusted).toBe(false);
  expect((await must(run.app.page, 'doc.trust', { docId: document.docId })).trusted).toBe(true);
  expect((await openAnew(file)).document.trusted).toBe(true);
  await writeNotebook(file, [codeCell('show(again)', [script('1')])]);
  expect((await openAnew(file)).document.trusted).toBe(true);
  await writeNotebook(file, [codeCell('show()', [script('2')])]);
  expect((await openAnew(file)).document.trusted).toBe(false);
});

it('outputs that were made here are trusted when the notebook is opened again', async () => {
  const source = 'from IPython.display import HTML, display\ndisplay(HTML("<script>1</script>"))';
  const file = await writeNotebook(path.join(run.place.folder, 'made.ipynb'), [codeCell(source)]);
  const snapshot = await openAnew(file);
  const { docId } = snapshot.document;
  await must(run.app.page, 'run.cells', { docId, keys: cellKeys(snapshot) });
  await must(run.app.page, 'doc.save', { docId });
  expect(await readFile(file, 'utf8')).toContain('<script>');
  const again = await openAnew(file);
  expect(again.outputCounts[cellKeys(again)[0]!]).toBe(1);
  expect(again.document.trusted).toBe(true);
});

it('the chosen kernel is the same in the next start, and one that is gone is told of', async () => {
  const spec = path.join(run.place.root, 'jupyter', 'kernels', 'other');
  await mkdir(spec, { recursive: true });
  const argv = [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  await writeFile(
    path.join(spec, 'kernel.json'),
    JSON.stringify({ argv, display_name: 'Other Python', language: 'python', env: { WHICH: 'the other' } }),
  );
  const file = await writeNotebook(path.join(run.place.folder, 'kernel.ipynb'), [codeCell('import os; print(os.environ.get("WHICH"))')]);
  const which = async (snapshot: DocumentSnapshot) => {
    const { docId } = snapshot.document;
    const [key] = cellKeys(snapshot) as [string];
    await must(run.app.page, 'run.cells', { docId, keys: [key] });
    const outputs = await until(async () => {
      const found = (await must(run.app.page, 'doc.outputs', { docId, keys: [key] }))[key];
      return found?.length ? found : null;
    });
    return outputs[0]?.type === 'stream' ? outputs[0].text.trim() : outputs;
  };
  const first = await openAnew(file);
  expect(await which(first)).toBe('None');
  await must(run.app.page, 'kernel.select', { docId: first.document.docId, name: 'other' });
  const second = await openAnew(file);
  expect(second.kernel).toMatchObject({ name: 'Other Python', state: 'none' });
  expect(await which(second)).toBe('the other');
  await rm(spec, { recursive: true });
  const third = await openAnew(file);
  expect(await which(third)).toBe('None');
  const { kernel } = await must(run.app.page, 'doc.attach', { docId: third.document.docId });
  expect(kernel.name).toBe('Test Python');
  expect(kernel.message).toMatch(/^Other Python, which was chosen for this notebook, is not there any more\. Test Python is used instead/);
});
