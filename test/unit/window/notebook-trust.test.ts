/** Trust belongs to outputs: remembered by what they are, void for what somebody else put in their place. Real files, real documents. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { outputsDigest } from '../../../main/documents/output-digest.ts';
import { silentLog } from '../../../main/log/log.ts';
import { NotebookMemory } from '../../../main/settings/notebook-memory.ts';
import { NotebookTrust } from '../../../main/window/notebook-trust.ts';
import { cellFields, orderedKeys, setSource } from '../../../preload/notebook-model.ts';

let folder: string;
let file: string;
let store: DocumentStore;
const made: NotebookDocument[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-trust-'));
  file = path.join(folder, 'a.ipynb');
  store = new DocumentStore();
});

afterEach(async () => {
  for (const document of made.splice(0)) store.close(document.id);
  await rm(folder, { recursive: true, force: true });
});

interface Cell {
  source: string;
  html: string | null;
}

const TWO: readonly Cell[] = [
  { source: 'a', html: '<script>a</script>' },
  { source: 'b', html: '<script>b</script>' },
];

async function write(cells: readonly Cell[]): Promise<void> {
  const full = cells.map(({ source, html }, index) => ({
    cell_type: 'code',
    execution_count: null,
    id: `c${index}`,
    metadata: {},
    outputs: html === null ? [] : [{ data: { 'text/html': [html] }, metadata: {}, output_type: 'display_data' }],
    source: [source],
  }));
  await writeFile(file, `${JSON.stringify({ cells: full, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`);
}

async function open(): Promise<{ document: NotebookDocument; trust: NotebookTrust; memory: NotebookMemory }> {
  const memory = await NotebookMemory.open(path.join(folder, 'memory.json'));
  const document = await store.open(file);
  made.push(document);
  const trust = new NotebookTrust(document, memory, silentLog);
  await trust.recall();
  return { document, trust, memory };
}

/** As in a later start of the app. */
async function openAgain(): ReturnType<typeof open> {
  for (const document of made.splice(0)) store.close(document.id);
  return open();
}

it.each([
  ['nothing', TWO, true],
  ['a source', [{ source: 'changed', html: TWO[0]!.html }, TWO[1]!], true],
  ['the order', [TWO[1]!, TWO[0]!], true],
  ['an output', [{ source: 'a', html: '<script>evil</script>' }, TWO[1]!], false],
  ['an output more', [...TWO, { source: 'c', html: '<script>c</script>' }], false],
  ['all outputs away', TWO.map(({ source }) => ({ source, html: null })), true],
])('lasts when somebody else changes %s, or not', async (_what, cells, expected) => {
  await write(TWO);
  const { document, trust, memory } = await open();
  expect(document.trusted).toBe(false);
  await trust.grant();
  await memory.settled();
  await write(cells);
  expect((await openAgain()).document.trusted).toBe(expected);
});

it('is void when somebody changed the widgets that the outputs show', async () => {
  await write(TWO);
  const withWidgets = async (code: string): Promise<void> => {
    const notebook = JSON.parse(await readFile(file, 'utf8'));
    notebook.metadata.widgets = { 'application/vnd.jupyter.widget-state+json': { state: { m: { state: { _esm: code } } } } };
    await writeFile(file, JSON.stringify(notebook));
  };
  await withWidgets('good');
  const { trust, memory } = await open();
  await trust.grant();
  await memory.settled();
  expect((await openAgain()).document.trusted).toBe(true);
  await withWidgets('evil');
  const changed = await openAgain();
  expect(changed.document.trusted).toBe(false);
});

it('covers the widgets that were there when it was given, not what somebody wrote meanwhile', async () => {
  await write(TWO);
  const { document, trust, memory } = await open();
  const notebook = JSON.parse(await readFile(file, 'utf8'));
  notebook.metadata.widgets = { 'application/vnd.jupyter.widget-state+json': { state: { m: { state: { _esm: 'evil' } } } } };
  await writeFile(file, JSON.stringify(notebook));
  await document.checkDisk();
  expect(document.storedWidgets()).toBeUndefined();
  await trust.grant();
  await memory.settled();
  expect((await openAgain()).document.trusted).toBe(false);
});

it('is void as soon as other outputs come from the disk, and stays for other sources', async () => {
  await write(TWO);
  const { document, trust, memory } = await open();
  await trust.grant();
  await write([
    { ...TWO[0]!, source: 'a' },
    { ...TWO[1]!, source: 'b' },
    { source: 'new', html: null },
  ]);
  await document.outside.look();
  expect(orderedKeys(document.ydoc)).toHaveLength(3);
  expect(document.trusted).toBe(true);
  await write([{ source: 'a', html: '<script>evil</script>' }, TWO[1]!]);
  await document.outside.look();
  expect(document.trusted).toBe(false);
  await trust.keep();
  await memory.settled();
  // And not in the next start either, though the digest of before is still known.
  expect((await openAgain()).document.trusted).toBe(false);
});

it('is void for outputs that come in together with a change of what is unsaved', async () => {
  await write(TWO);
  const { document, trust, memory } = await open();
  await trust.grant();
  const [key] = orderedKeys(document.ydoc) as [string];
  setSource(document.ydoc, key, 'both');
  expect(document.dirty).toBe(true);
  // The same edit on the disk leaves nothing unsaved, in the very moment in which the other output comes in.
  await write([
    { source: 'both', html: TWO[0]!.html },
    { source: 'b', html: '<script>evil</script>' },
  ]);
  await document.outside.look();
  expect([document.dirty, document.trusted]).toEqual([false, false]);
  await trust.keep();
  await memory.settled();
  expect((await openAgain()).document.trusted).toBe(false);
});

it('is not given to a file because its outputs were only cleared on the screen', async () => {
  await write(TWO);
  const { document, memory } = await open();
  document.clearOutputs(document.keys());
  expect(document.trusted).toBe(true);
  await memory.settled();
  expect((await openAgain()).document.trusted).toBe(false);
});

it('goes with what is saved', async () => {
  await write(TWO);
  const { document, trust, memory } = await open();
  await trust.grant();
  const [key] = orderedKeys(document.ydoc) as [string];
  setSource(document.ydoc, key, 'edited');
  await document.save();
  expect(cellFields(document.ydoc, key).source).toBe('edited');
  document.clearOutputs([key]);
  await document.save();
  await trust.keep();
  await memory.settled();
  expect((await openAgain()).document.trusted).toBe(true);
});

it('is remembered a moment after a row of saves, and not after each', async () => {
  await write(TWO);
  const { document, trust, memory } = await open();
  await trust.grant();
  const before = memory.of(document.realPath!).trustedOutputs;
  const remember = vi.spyOn(memory, 'remember');
  const [key] = orderedKeys(document.ydoc) as [string];
  document.clearOutputs([key]);
  for (let count = 0; count < 30; count += 1) {
    setSource(document.ydoc, key, `edited ${count}`);
    await document.save();
  }
  await vi.waitFor(() => expect(memory.of(document.realPath!).trustedOutputs).not.toBe(before), { timeout: 15_000 });
  expect(remember.mock.calls.length).toBeLessThan(30);
});

it('tells large outputs apart by every byte', async () => {
  const large = (end: string) => [{ source: 'a', html: `<b>${'x'.repeat(300_000)}${end}</b>` }];
  await write(large('1'));
  const { document } = await open();
  const first = await outputsDigest(document.file);
  await write(large('2'));
  expect(await outputsDigest((await openAgain()).document.file)).not.toBe(first);
  await write([{ source: 'a', html: null }]);
  expect(await outputsDigest((await openAgain()).document.file)).toBeNull();
});
