/** Thousands of cells changed on disk at once: main answers in between, and nothing of it is another than with few cells. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { deleteCells, setSource } from '../../../../preload/notebook-model.ts';
import { type CellJson, code, notebook, saveCode, stream, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();
const CELLS = 1_000;

/** Every third cell has outputs. */
function cellsOf(source: (place: number) => string): CellJson[] {
  return Array.from({ length: CELLS }, (_value, place) => {
    const outputs = place % 3 === 0 ? [{ name: 'stdout', output_type: 'stream', text: [`out ${place}\n`] }] : [];
    return code([source(place)], { id: `cell-${place}`, outputs, execution_count: place % 3 === 0 ? place : null });
  });
}

const here = (place: number): string => `value ${place}`;
const there = (place: number): string => `value ${place}, theirs`;
const text = (source: (place: number) => string): string => usual(notebook(cellsOf(source), { nbformat_minor: 5 }));
const sources = (document: NotebookDocument): string[] => document.keys().map((key) => document.cell(key)!.source);
const expected = (source: (place: number) => string): string[] => Array.from({ length: CELLS }, (_value, place) => source(place));

it('are all taken in, told in one notice, taken back in one step, and leave nothing unsaved', async () => {
  const document = await folder.open(text(here));
  const told: string[] = [];
  document.on('outside', ({ message }) => told.push(message));
  writeFileSync(folder.path('a.ipynb'), text(there));
  await document.checkDisk();
  expect(sources(document)).toEqual(expected(there));
  expect([document.dirty, told.length]).toEqual([false, 1]);
  expect(told[0]).toContain('1000 cells changed');
  expect(document.outputs(document.keys()[3]!)).toMatchObject([{ text: 'out 3\n' }]);
  expect(document.outside.undo()).toBe(true);
  expect(sources(document)).toEqual(expected(here));
  expect(await saveCode(document)).toBe('saved');
  expect(folder.read('a.ipynb')).toBe(text(here));
});

it('leave the cells alone that were changed here, before or meanwhile, and keep both versions of the same cell', async () => {
  const document = await folder.open(text(here));
  const keys = document.keys();
  setSource(document.ydoc, keys[1]!, 'mine');
  deleteCells(document.ydoc, [keys[2]!]);
  writeFileSync(
    folder.path('a.ipynb'),
    text((place) => (place === 5 ? here(place) : there(place))),
  );
  // Typed as soon as the first of them have come in, into one that has and one that has not yet.
  let typed = 0;
  const end = document.on('update', () => {
    if (typed > 0 || document.cell(keys[4]!)?.source !== there(4)) return;
    typed = 1;
    setImmediate(() => {
      setSource(document.ydoc, keys[4]!, `${there(4)} and mine`);
      setSource(document.ydoc, keys[5]!, 'mine alone');
      setSource(document.ydoc, keys[CELLS - 1]!, 'mine, late');
      typed = 2;
    });
  });
  await document.checkDisk();
  end();
  expect(typed).toBe(2);
  expect(document.outside.conflicts().map(({ key, kind }) => [keys.indexOf(key), kind])).toEqual([
    [1, 'both'],
    [2, 'deleted-here'],
    [CELLS - 1, 'both'],
  ]);
  expect([4, 5, 6, CELLS - 1].map((place) => document.cell(keys[place]!)!.source)).toEqual([
    `${there(4)} and mine`,
    'mine alone',
    there(6),
    'mine, late',
  ]);
  for (const place of [1, 2, CELLS - 1]) document.outside.settle(keys[place]!, { before: null, copy: null });
  expect(await saveCode(document)).toBe('saved');
  const saved = folder.json().cells.map(({ source }) => [source].flat().join(''));
  expect(saved).toEqual(sources(document));
});

it.each([
  ['few cells', (place: number): string => (place % 100 === 1 ? there(place) : here(place))],
  ['all cells', there],
])('of %s lose nothing that is typed and run in every turn while they come in', async (_what, theirs) => {
  const document = await folder.open(text(here));
  const keys = document.keys();
  writeFileSync(folder.path('a.ipynb'), text(theirs));
  const typed = new Map<string, string>();
  const ran = new Map<string, string>();
  let working = true;
  const work = (turn: number): void => {
    if (!working) return;
    const [type, run] = [keys[(turn * 7) % CELLS]!, keys[(turn * 11) % CELLS]!];
    const source = `${document.cell(type)!.source} # mine ${turn}`;
    setSource(document.ydoc, type, source);
    typed.set(type, `# mine ${turn}`);
    document.beginRun(run, document.cell(run)!.source);
    document.applyOutputs(run, [stream(`ran ${turn}\n`)]);
    document.endRun(run);
    ran.set(run, `ran ${turn}\n`);
    setImmediate(work, turn + 1);
  };
  setImmediate(work, 0);
  await document.checkDisk();
  working = false;
  expect(typed.size).toBeGreaterThan(2);
  for (const [key, words] of typed) expect(document.cell(key)!.source).toContain(words);
  for (const [key, output] of ran) expect(document.outputs(key)).toMatchObject([{ text: output }]);
  for (const { key } of document.outside.conflicts()) document.outside.settle(key, { before: null, copy: null });
  expect(await saveCode(document)).toBe('saved');
  const saved = folder.json().cells;
  expect(saved.map(({ source }) => [source].flat().join(''))).toEqual(sources(document));
  const outputs = saved.map((cell) => (cell.outputs ?? []).flatMap((output) => [output.text].flat()).join(''));
  expect(outputs).toEqual(
    keys.map((key) =>
      document
        .outputs(key)
        .map((output) => ('text' in output ? output.text : ''))
        .join(''),
    ),
  );
  expect(document.dirty).toBe(false);
});

it('of the order alone keep every cell with its outputs', async () => {
  const document = await folder.open(text(here));
  const keys = document.keys();
  const moved = [...cellsOf(here).slice(400), ...cellsOf(here).slice(0, 400)];
  writeFileSync(folder.path('a.ipynb'), usual(notebook(moved, { nbformat_minor: 5 })));
  await document.checkDisk();
  expect(document.keys()).toEqual([...keys.slice(400), ...keys.slice(0, 400)]);
  expect(document.outputs(keys[3]!)).toMatchObject([{ text: 'out 3\n' }]);
  expect(document.dirty).toBe(false);
  setSource(document.ydoc, keys[3]!, 'mine');
  expect(await saveCode(document)).toBe('saved');
  const expectedCells = moved.map((cell) => (cell.id === 'cell-3' ? { ...cell, source: ['mine'] } : cell));
  expect(folder.read('a.ipynb')).toBe(usual(notebook(expectedCells, { nbformat_minor: 5 })));
});
