/**
 * What the `notebook` tool's edits write: random notebooks in random spellings through random edits and saves keep every untouched byte, mean what
 * they should, and are what the plans said.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditAction, EditPlan, EditRequest } from '../../../main/documents/edits.ts';
import { withLineFeeds } from '../../../main/documents/source-lines.ts';
import type { CellType } from '../../../preload/notebook-model.ts';
import { edited, isAsOpened, type ModelCell, modelOf, saved, written } from './edited-model.ts';
import { type EditedNotebook, inMemory, onDisk, parse } from './edited-notebook.ts';
import { joinedSource, meaning, notebook, type RandomCell, type RandomNotebook, source, spell, spelling } from './random-notebooks.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** As many as let cells go and come back with saves in between. */
const MOST_EDITS = 8;

/** Every save on a disk is made durable, which takes long on a busy one. */
const PATIENCE_MS = 120_000;

const WHERE = [
  { where: 'in memory', share: 1, open: (bytes: Buffer) => Promise.resolve(inMemory(bytes)) },
  { where: 'on a disk', share: 0.05, open: (bytes: Buffer) => onDisk(folder.path('a.ipynb'), bytes) },
];

/** Seeds of an edit, made to fit the notebook at hand by `fitted`. */
const editSeed = fc.record({
  action: fc.constantFrom<EditAction | 'part' | 'back'>('edit', 'part', 'back', 'insert', 'delete', 'move', 'set_type', 'clear_outputs'),
  at: fc.nat(),
  to: fc.nat(),
  text: source,
  type: fc.constantFrom('code' as const, 'markdown' as const, 'raw' as const),
  save: fc.boolean(),
});
type EditSeed = typeof editSeed extends fc.Arbitrary<infer Seed> ? Seed : never;

function fitted({ action, at, to, text, type }: EditSeed, cells: readonly ModelCell[]): EditRequest | null {
  const total = cells.length;
  if (action === 'insert') return { action, cell_index: at % (total + 1), cell_type: type, content: text };
  if (total === 0) return null;
  const cell_index = at % total;
  const cell = cells[cell_index]!;
  switch (action) {
    case 'edit':
      return { action, cell_index, content: text, expected_source: cell.source };
    case 'part': {
      const old = Array.from(withLineFeeds(cell.source))[to % Math.max(1, cell.source.length)];
      return old === undefined ? null : { action: 'edit', cell_index, old_string: old, new_string: text, replace_all: true };
    }
    case 'back':
      if (!cell.opened) return null;
      return to % 2 === 0
        ? { action: 'edit', cell_index, content: joinedSource(cell.opened) }
        : { action: 'set_type', cell_index, cell_type: cell.opened.cell_type as CellType };
    case 'move':
      return { action, cell_index, to_index: to % total };
    case 'set_type':
      return { action, cell_index, cell_type: type };
    case 'clear_outputs':
      return cell.type === 'code' ? { action, cell_index } : null;
    default:
      return { action: 'delete', cell_index };
  }
}

/** The edit has done what its plan says. */
function checkPlan(now: EditedNotebook, { result, edit }: EditPlan, request: EditRequest): void {
  const view = now.view();
  expect(view.total).toBe(result.totalCells);
  if (request.content !== undefined) expect([result.cellSource, edit]).toMatchObject([request.content, { source: request.content }]);
  if (result.action === 'delete') return;
  const { id, type, source, staleWith } = view.cell(result.cellIndex);
  const { cellId, cellType, cellSource, outputsStale } = result;
  expect([id, type, source]).toEqual([cellId, cellType, withLineFeeds(cellSource)]);
  expect(type === 'code' && staleWith(source)).toBe(outputsStale);
}

/** The cells as they should be after these edits, some of them saved at once, and after a save at the end. */
async function carriedOut(now: EditedNotebook, cells: ModelCell[], seeds: readonly EditSeed[]): Promise<ModelCell[]> {
  let model = cells;
  for (const seed of seeds) {
    const request = fitted(seed, model);
    if (!request) continue;
    const plan = now.edit(request);
    checkPlan(now, plan, request);
    model = edited(model, plan.edit);
    if (!seed.save) continue;
    await now.save();
    model = saved(model);
  }
  return model;
}

function text(slice: { bytes: Buffer; start: number; end: number }): string {
  return slice.bytes.toString('utf8', slice.start, slice.end);
}

describe.each(WHERE)('random notebooks in random spellings, $where', ({ share, open }) => {
  it('mean the right thing after random edits, and untouched cells keep their bytes', { timeout: PATIENCE_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(notebook, spelling, fc.array(editSeed, { maxLength: MOST_EDITS }), async (nb, style, seeds) => {
        const bytes = spell(nb, style);
        const now = await open(bytes);
        const first = parse(bytes);
        const opened = meaning(bytes);
        const model = await carriedOut(now, modelOf(opened), seeds);
        const result = await now.save();
        expect(meaning(result)).toEqual({ ...opened, cells: model.map(written) });
        const again = parse(result);
        model.forEach((cell, index) => {
          if (isAsOpened(cell)) expect(text(again.cells[index]!)).toBe(text(first.cells[cell.place!]!));
        });
        // What stands around the cells is not touched by any of these edits.
        expect(text(again.head)).toBe(text(first.head));
        expect(text(again.tail)).toBe(text(first.tail));
        // The spans that splicing works out are those that reading finds.
        expect(again.cells.map(spans)).toEqual(now.file.cells.map(spans));
      }),
      { numRuns: 800 * share },
    );
  });

  it('equal JSON.stringify(notebook, null, 1) in the usual form', { timeout: PATIENCE_MS }, async () => {
    const usual = notebook.map((nb) => JSON.parse(JSON.stringify(sortedCells(nb))) as RandomNotebook);
    await fc.assert(
      fc.asyncProperty(usual, fc.constantFrom('\n', ''), fc.array(editSeed, { maxLength: MOST_EDITS }), async (nb, end, seeds) => {
        const now = await open(Buffer.from(JSON.stringify(nb, null, 1) + end));
        const model = await carriedOut(now, modelOf(nb), seeds);
        const expected = sortedCells({ ...nb, cells: model.map(written) });
        expect((await now.save()).toString()).toBe(JSON.stringify(expected, null, 1) + end);
      }),
      { numRuns: 700 * share },
    );
  });

  it('have the original bytes after an edit and its reverse', { timeout: PATIENCE_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(notebook, spelling, fc.nat(), fc.nat(), source, async (nb, style, at, to, content) => {
        fc.pre(nb.cells.length > 0);
        const bytes = spell(nb, style);
        const now = await open(bytes);
        const cell_index = at % nb.cells.length;
        const to_index = to % nb.cells.length;
        now.edit({ action: 'move', cell_index, to_index });
        await now.save();
        now.edit({ action: 'move', cell_index: to_index, to_index: cell_index });
        expect((await now.save()).equals(bytes)).toBe(true);
        now.edit({ action: 'insert', cell_index, content });
        await now.save();
        now.edit({ action: 'delete', cell_index });
        expect((await now.save()).equals(bytes)).toBe(true);
      }),
      { numRuns: 300 * share },
    );
  });
});

function spans(cell: {
  start: number;
  members: readonly { key: string; keyStart: number; start: number; end: number; count: number }[];
}): unknown {
  return cell.members.map(({ key, keyStart, start, end, count }) => [
    key,
    keyStart - cell.start,
    start - cell.start,
    end - cell.start,
    count,
  ]);
}

/** Keys in nbformat's order, where new ones have a certain place. */
function sortedCells(nb: RandomNotebook): RandomNotebook {
  return {
    ...nb,
    cells: nb.cells.map((cell) => Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1))) as RandomCell),
  };
}

describe('between the cells', () => {
  const cell = (name: string): string => `{"cell_type":"raw", "metadata":{},"source":["${name}"]}`;
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(cell) as [string, string, string, string];
  const around = (cells: string): string => `{"cells":[ ${cells}\t ], "metadata":{}, "nbformat":4, "nbformat_minor":4}`;
  const last = { cell_index: 3 };
  it.each<[string, EditRequest, string]>([
    ['edit', { action: 'edit', ...last, content: 'D' }, around(`${a},${b} ,  ${c}\n,\n${cell('D')}`)],
    ['delete', { action: 'delete', cell_index: 0 }, around(`${b} ,  ${c}\n,\n${d}`)],
    ['move', { action: 'move', ...last, to_index: 0 }, around(`${d},${a},${b} ,  ${c}`)],
  ])('what neighbours keep between them stays: %s', async (_name, request, expected) => {
    const now = await onDisk(folder.path('a.ipynb'), Buffer.from(around(`${a},${b} ,  ${c}\n,\n${d}`)));
    now.edit(request);
    expect((await now.save()).toString()).toBe(expected);
  });
});

describe('only the changed line differs', () => {
  async function saveWith(bytes: Buffer, content: string): Promise<string> {
    const now = await onDisk(folder.path('a.ipynb'), bytes);
    now.edit({ action: 'edit', cell_index: 0, content });
    return (await now.save()).toString();
  }

  const lines = ['"first = 1\\n"', '"caf\\u00e9 = 2\\n"', '"third = \\/3"'];
  it.each([
    ['one space', '\n', ' '],
    ['four spaces', '\n', '    '],
    ['tabs', '\n', '\t'],
    ['CRLF', '\r\n', '  '],
  ])('in a file with %s', async (_name, eol, indent) => {
    const at = (depth: number): string => eol + indent.repeat(depth);
    const cell = `{${at(3)}"source": [${lines.map((line) => at(4) + line).join(',')}${at(3)}],${at(3)}"metadata": {},${at(3)}"cell_type": "markdown"${at(2)}}`;
    const bytes = Buffer.from(
      `{${at(1)}"cells": [${at(2)}${cell}${at(1)}],${at(1)}"nbformat": 4,${at(1)}"nbformat_minor": 4,${at(1)}"metadata": {"n": 1.0}${at(0)}}`,
    );
    const result = await saveWith(bytes, 'first = 10\ncafé = 2\nthird = /3');
    expect(result).toBe(bytes.toString().replace('first = 1\\n', 'first = 10\\n'));
  });

  it('in a file with mixed line ends and arrays on one line', async () => {
    const bytes = Buffer.from(
      '{\r\n "cells": [\n  {"cell_type": "raw",\r\n   "metadata": {}, "source": ["a\\n", "b\\n" ,"c"]}\n ],\r\n "metadata": {},\n "nbformat": 4, "nbformat_minor": 2\n}',
    );
    const result = await saveWith(bytes, 'a\nB\nc');
    expect(result).toBe(bytes.toString().replace('"b\\n" ,"c"', '"B\\n", "c"'));
  });
});
