/** A notebook whose file another program wrote anew from its sources alone: what the file has lost stays here until somebody decides. */
import { renameSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Autosave } from '../../../../main/documents/autosave.ts';
import { DocumentStore } from '../../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { silentLog } from '../../../../main/log/log.ts';
import { keepLabel, keptWords } from '../../../../renderer/conflicts/kept-words.ts';
import { joinedSource, type RandomCell, notebook as randomNotebook, spell, spelling } from '../random-notebooks.ts';
import {
  type CellJson,
  code,
  markdown,
  type NotebookJson,
  notebook,
  saveCode,
  stream,
  temporaryFolder,
  usual,
} from '../temporary-folder.ts';

const folder = temporaryFolder();

const metadata = { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' }, blogtool: { slug: 'x' } };
const image = { 'plot.png': { 'image/png': 'iVBORw0K' } };

function output(text: string): Record<string, unknown> {
  return { name: 'stdout', output_type: 'stream', text: [text] };
}

const full = notebook(
  [
    code(['import pandas as pd\n', 'df = pd.read_csv("a.csv")'], { id: 'load', metadata: { tags: ['setup'] }, execution_count: 1 }),
    markdown(['# Result\n', '![](attachment:plot.png)'], {
      id: 'text',
      attachments: image,
      metadata: { slideshow: { slide_type: 'slide' } },
    }),
    code(['df.describe()'], { id: 'describe', outputs: [output('count 3\n')], execution_count: 2 }),
    code(['df.plot()'], { id: 'plot', outputs: [output('<Axes>\n')], execution_count: 3, metadata: { collapsed: true } }),
  ],
  { nbformat_minor: 5, metadata },
);

/** As an agent writes it that knows the sources alone. */
function fromMemory(sources: readonly (readonly [type: string, source: string])[], more: Partial<NotebookJson> = {}): string {
  return usual(
    notebook(
      sources.map(([type, source]) => (type === 'code' ? code(source.split(/(?<=\n)/)) : markdown(source.split(/(?<=\n)/)))),
      { nbformat_minor: 5, ...more },
    ),
  );
}

const rewritten = (): string =>
  fromMemory([
    ['code', 'import pandas as pd\ndf = pd.read_csv("b.csv")'],
    ['markdown', '# Result\n![](attachment:plot.png)'],
    ['code', 'df.describe()'],
    ['code', 'df.head()'],
    ['code', 'df.plot()'],
  ]);

function replaceFile(content: string | Buffer): void {
  folder.write('a.ipynb.new', content);
  renameSync(folder.path('a.ipynb.new'), folder.path('a.ipynb'));
}

/** A notebook that a window shows. */
async function openShown(content: unknown = full): Promise<NotebookDocument> {
  const document = await folder.open(content);
  document.outside.canAsk = () => true;
  return document;
}

async function stripped(content = rewritten()): Promise<NotebookDocument> {
  const document = await openShown();
  replaceFile(content);
  await document.checkDisk();
  return document;
}

const texts = (document: NotebookDocument): number[] => document.keys().map((key) => document.outputCount(key));

/** The cells of the full notebook with the new sources, and the new cell. */
function together(): CellJson[] {
  const [load, text, describe_, plot] = full.cells as [CellJson, CellJson, CellJson, CellJson];
  return [
    { ...load, source: ['import pandas as pd\n', 'df = pd.read_csv("b.csv")'] },
    text,
    describe_,
    { ...code(['df.head()']), id: expect.any(String) as unknown as string },
    plot,
  ];
}

describe('the sources come in at once, and what the file has lost', () => {
  it('is shown as before, unsaved, while the file stays as it is', async () => {
    const document = await stripped();
    expect(document.keys().map((key) => document.cell(key)!.source.split('\n').at(-1))).toEqual([
      'df = pd.read_csv("b.csv")',
      '![](attachment:plot.png)',
      'df.describe()',
      'df.head()',
      'df.plot()',
    ]);
    expect(texts(document)).toEqual([0, 0, 1, 0, 1]);
    expect(document.cell(document.keys()[4]!)!.metadata).toEqual({ collapsed: true });
    expect(document.metadata()).toEqual(metadata);
    expect(document.outside.kept).toEqual({ outputs: 2, settings: 3, attachments: 1, notebook: true });
    expect([document.dirty, document.trusted, folder.read('a.ipynb')]).toEqual([true, false, rewritten()]);
  });

  it('waits for the decision: no save of its own accord', async () => {
    const document = await stripped();
    const autosave = new Autosave({ mode: () => 'onFocusChange', delaySeconds: () => 0, log: silentLog });
    autosave.watch(document);
    autosave.focusLost();
    await document.checkDisk();
    expect(folder.read('a.ipynb')).toBe(rewritten());
    document.outside.settleKept('keep');
    expect([document.outside.kept, document.dirty]).toEqual([null, true]);
    const saved = new Promise<void>((resolve) => void document.on('state', () => !document.dirty && resolve()));
    autosave.focusLost();
    await saved;
    autosave.closed(document);
    expect(folder.json()).toEqual({ ...full, cells: together() });
  });

  it('is in the file again after a save, which settles it', async () => {
    const document = await stripped();
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json()).toEqual({ ...full, cells: together() });
    expect([document.outside.kept, document.dirty]).toEqual([null, false]);
  });

  it('gets its bytes of before, however its numbers are spelled', async () => {
    const text = usual(full).replace('"collapsed": true', '"collapsed": true,\n    "own": [1.0, 9007199254740993, 1e-07]');
    const document = await openShown(text);
    replaceFile(fromMemory(full.cells.map((cell) => [cell.cell_type, joinedSource(cell as unknown as RandomCell)])));
    expect(await saveCode(document)).toBe('saved');
    const cellsOf = (whole: string): string => whole.slice(0, whole.indexOf('"nbformat"')).split(/\n {1}\],/)[0]!;
    expect(cellsOf(folder.read('a.ipynb'))).toBe(cellsOf(text));
  });

  it('goes when the file is said to be right; one undo brings all of it back', async () => {
    const document = await stripped();
    const told: [string, boolean][] = [];
    document.on('outside', ({ message, canUndo }) => told.push([message, canUndo]));
    document.outside.settleKept('file');
    expect([texts(document), document.metadata(), document.dirty, document.outside.kept]).toEqual([[0, 0, 0, 0, 0], {}, false, null]);
    expect(document.keys().map((key) => document.cell(key)!.metadata)).toEqual([{}, {}, {}, {}, {}]);
    expect(told).toEqual([['a.ipynb is as the other program wrote it.', true]]);
    expect(folder.read('a.ipynb')).toBe(rewritten());
    expect(document.outside.undo()).toBe(true);
    expect([texts(document), document.metadata(), document.dirty]).toEqual([[0, 0, 1, 0, 1], metadata, true]);
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json()).toEqual({ ...full, cells: together() });
  });

  it('stays through the next version of the same kind, and what that one has is taken', async () => {
    const document = await stripped();
    replaceFile(rewritten().replace('df.head()', 'df.tail()'));
    await document.checkDisk();
    expect(document.outside.kept).toEqual({ outputs: 2, settings: 3, attachments: 1, notebook: true });
    const again = JSON.parse(rewritten()) as NotebookJson;
    again.cells[2]!.outputs = [output('new\n')];
    replaceFile(usual(again));
    await document.checkDisk();
    expect(document.outputs(document.keys()[2]!)).toMatchObject([{ text: 'new\n' }]);
    expect(document.outside.kept).toMatchObject({ outputs: 1 });
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells.map(({ outputs = [] }) => outputs)).toEqual([[], [], [output('new\n')], [], [output('<Axes>\n')]]);
    expect(folder.json().cells[1]!.attachments).toEqual(image);
  });

  it('is no question any more for a cell that was run or changed since', async () => {
    const document = await stripped();
    const [, , key] = document.keys() as [string, string, string];
    document.beginRun(key, 'df.describe()');
    document.applyOutputs(key, [stream('mine\n')]);
    expect(document.outside.kept).toMatchObject({ outputs: 1 });
    document.outside.settleKept('file');
    expect(texts(document)).toEqual([0, 0, 1, 0, 0]);
    expect(document.outputs(key)).toMatchObject([{ text: 'mine\n' }]);
  });

  it('is found by likeness also where every cell has a new id', async () => {
    const fresh = JSON.parse(rewritten()) as NotebookJson;
    for (const [index, cell] of fresh.cells.entries()) cell.id = `fresh-${index}`;
    const document = await stripped(usual(fresh));
    expect([texts(document), document.outside.kept?.outputs]).toEqual([[0, 0, 1, 0, 1], 2]);
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells.map(({ id }) => id)).toEqual(['fresh-0', 'fresh-1', 'fresh-2', 'fresh-3', 'fresh-4']);
  });
});

describe('nobody is asked', () => {
  it('where no window shows the notebook: the file is right', async () => {
    const document = await folder.open(full);
    replaceFile(rewritten());
    await document.checkDisk();
    expect([document.outside.kept, texts(document), document.dirty]).toEqual([null, [0, 0, 0, 0, 0], false]);
  });

  it('when one cell of several lost its outputs: that is told and can be taken back', async () => {
    const document = await openShown();
    const told: [string, boolean][] = [];
    document.on('outside', ({ message, canUndo }) => told.push([message, canUndo]));
    replaceFile(usual({ ...full, cells: full.cells.with(2, { ...full.cells[2]!, outputs: [], execution_count: null }) }));
    await document.checkDisk();
    expect([document.outside.kept, texts(document), document.dirty]).toEqual([null, [0, 0, 0, 1], false]);
    expect(told).toEqual([['a.ipynb was changed by another program. Taken in: 1 cell without outputs now.', true]]);
    document.outside.undo();
    expect([texts(document), document.dirty]).toEqual([[0, 0, 1, 1], true]);
  });

  it('when one cell lost its attachments: that too', async () => {
    const document = await openShown();
    const told: [string, boolean][] = [];
    document.on('outside', ({ message, canUndo }) => told.push([message, canUndo]));
    const { attachments: _attachments, ...without } = full.cells[1]!;
    replaceFile(usual({ ...full, cells: full.cells.with(1, without) }));
    await document.checkDisk();
    expect([document.attachments(document.keys()[1]!), document.dirty]).toEqual([null, false]);
    expect(told).toEqual([['a.ipynb was changed by another program. Taken in: 1 cell without attachments now.', true]]);
    document.outside.undo();
    expect([document.attachments(document.keys()[1]!), document.dirty]).toEqual([image, true]);
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells[1]).toEqual(full.cells[1]);
  });

  it('when cells were deleted, or became text', async () => {
    const document = await openShown();
    const [load, text, describe_] = full.cells as [CellJson, CellJson, CellJson, CellJson];
    replaceFile(usual({ ...full, cells: [load, text, markdown(['df.describe()'], { id: describe_.id! })] }));
    await document.checkDisk();
    expect([document.outside.kept, document.keys().length, document.dirty]).toEqual([null, 3, false]);
  });
});

it.each([
  [
    { outputs: 12, settings: 1, attachments: 0, notebook: true },
    'the outputs of 12 cells, the metadata of 1 cell and its own metadata',
    'Keep outputs and metadata',
  ],
  [{ outputs: 2, settings: 0, attachments: 0, notebook: false }, 'the outputs of 2 cells', 'Keep outputs'],
  [{ outputs: 0, settings: 2, attachments: 1, notebook: false }, 'the metadata of 2 cells and the attachments of 1 cell', 'Keep metadata'],
  [{ outputs: 0, settings: 0, attachments: 2, notebook: false }, 'the attachments of 2 cells', 'Keep attachments'],
])('says what is kept: %o', (kept, words, label) => {
  expect(keptWords('a.ipynb', kept)).toBe(`Another program wrote a.ipynb without ${words}. It is kept here, unsaved.`);
  expect(keepLabel(kept)).toBe(label);
});

/** What a person sees of a notebook; counts of cells without outputs say nothing that anybody would miss. */
function seen(document: NotebookDocument) {
  const cells = document.keys().map((key) => {
    const outputs = document.outputs(key);
    const { source, type, metadata: settings } = document.cell(key)!;
    return { source, type, settings, outputs, count: outputs.length > 0 ? document.executionCount(key) : null };
  });
  // As JSON, in which numbers of the notebook's own metadata have no other spelling.
  return JSON.parse(JSON.stringify({ cells, metadata: document.metadata() })) as unknown;
}

it('any notebook, written from its sources alone, is whole again once it is kept and saved', async () => {
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(randomNotebook, spelling, async (nb, style) => {
      const document = await openShown(spell(nb, style));
      const before = seen(document);
      const cells = nb.cells.map((cell) => ({ ...(cell.cell_type === 'code' ? code([]) : markdown([])), ...pick(cell) }));
      replaceFile(usual(notebook(cells, { nbformat_minor: nb.nbformat_minor })));
      await document.checkDisk();
      if (!document.outside.kept) return;
      asked += 1;
      expect(seen(document)).toEqual(before);
      document.outside.settleKept('keep');
      expect(await saveCode(document)).toBe('saved');
      expect(seen(await new DocumentStore().open(folder.path('a.ipynb')))).toEqual(before);
    }),
    { numRuns: 100 },
  );
  expect(asked).toBeGreaterThan(10);
}, 120_000);

function pick(cell: RandomCell): Pick<CellJson, 'cell_type' | 'source'> {
  return { cell_type: cell.cell_type, source: joinedSource(cell) };
}
