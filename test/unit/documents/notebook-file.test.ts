/** The lossless file: random notebooks in random spellings through random edits keep every untouched byte and mean what they should. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellEdit } from '../../../main/documents/edits.ts';
import { NotebookOpenError } from '../../../main/documents/errors.ts';
import { applyEdit } from '../../../main/documents/file-edits.ts';
import { fileBytes, type NotebookFile, parseNotebookAtOnce } from '../../../main/documents/notebook-file.ts';
import { toLines } from '../../../main/documents/source-lines.ts';
import { joinedSource, meaning, notebook, type RandomCell, type RandomNotebook, source, spell, spelling } from './random-notebooks.ts';

function parse(bytes: Buffer): NotebookFile {
  return parseNotebookAtOnce(bytes, bytes[0] === 0xef ? 3 : 0);
}

/** Seeds of an edit, made to fit the notebook at hand by `fitted`. */
const editSeed = fc.record({
  op: fc.constantFrom<CellEdit['op']>('source', 'insert', 'delete', 'move', 'type', 'clear'),
  at: fc.nat(),
  to: fc.nat(),
  text: source,
  type: fc.constantFrom('code' as const, 'markdown' as const, 'raw' as const),
});
type EditSeed = typeof editSeed extends fc.Arbitrary<infer Seed> ? Seed : never;

function fitted(seed: EditSeed, cells: readonly RandomCell[], ids: boolean): CellEdit | null {
  const total = cells.length;
  if (seed.op === 'insert')
    return { op: 'insert', index: seed.at % (total + 1), id: ids ? `new-${seed.at}` : null, type: seed.type, source: seed.text };
  if (total === 0) return null;
  const index = seed.at % total;
  switch (seed.op) {
    case 'source':
      return { op: 'source', index, source: seed.text };
    case 'move':
      return { op: 'move', index, to: seed.to % total };
    case 'type':
      return { op: 'type', index, type: seed.type };
    case 'clear':
      return cells[index]!.cell_type === 'code' ? { op: 'clear', index } : null;
    default:
      return { op: 'delete', index };
  }
}

/** What an edit means, on decoded cells. New keys go where nbformat sorts them when the cell's keys are sorted. */
function edited(cells: RandomCell[], edit: CellEdit): RandomCell[] {
  const next = [...cells];
  switch (edit.op) {
    case 'source':
      if (joinedSource(next[edit.index]!) !== edit.source) next[edit.index] = { ...next[edit.index]!, source: toLines(edit.source) };
      break;
    case 'insert': {
      const head = {
        cell_type: edit.type,
        ...(edit.type === 'code' ? { execution_count: null } : {}),
        ...(edit.id === null ? {} : { id: edit.id }),
        metadata: {},
      };
      next.splice(edit.index, 0, { ...head, ...(edit.type === 'code' ? { outputs: [] } : {}), source: toLines(edit.source) });
      break;
    }
    case 'delete':
      next.splice(edit.index, 1);
      break;
    case 'move':
      next.splice(edit.to, 0, ...next.splice(edit.index, 1));
      break;
    case 'type':
      next[edit.index] = retyped(next[edit.index]!, edit.type);
      break;
    case 'clear':
      next[edit.index] = { ...next[edit.index]!, outputs: [], execution_count: null };
      break;
  }
  return next;
}

/** Where the cells of the new order were in the first file; null for those that an edit wrote. */
function followed(origins: readonly (number | null)[], edit: CellEdit): (number | null)[] {
  const next = [...origins];
  if (edit.op === 'insert') next.splice(edit.index, 0, null);
  else if (edit.op === 'delete') next.splice(edit.index, 1);
  else if (edit.op === 'move') next.splice(edit.to, 0, ...next.splice(edit.index, 1));
  else next[edit.index] = null;
  return next;
}

function retyped(cell: RandomCell, type: string): RandomCell {
  if (cell.cell_type === type) return cell;
  const { outputs, execution_count, ...rest } = cell;
  if (type !== 'code') return { ...rest, cell_type: type };
  return { ...rest, cell_type: type, outputs: outputs ?? [], execution_count: execution_count ?? null };
}

const withJoinedSources = (nb: RandomNotebook): unknown => ({
  ...nb,
  cells: nb.cells.map((cell) => ({ ...cell, source: joinedSource(cell) })),
});

describe('random notebooks in random spellings', () => {
  it('come back byte for byte', () => {
    fc.assert(
      fc.property(notebook, spelling, (nb, style) => {
        const bytes = spell(nb, style);
        expect(fileBytes(parse(bytes)).equals(bytes)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('mean the right thing after random edits, and untouched cells keep their bytes', () => {
    fc.assert(
      fc.property(notebook, spelling, fc.array(editSeed, { maxLength: 6 }), (nb, style, seeds) => {
        const bytes = spell(nb, style);
        let file = parse(bytes);
        let model = meaning(bytes);
        /** The first text of each cell that no edit touched. */
        let origins: (number | null)[] = model.cells.map((_cell, index) => index);
        const originals = file.cells.map((cell) => cell.bytes.subarray(cell.start, cell.end));
        for (const seed of seeds) {
          const edit = fitted(seed, model.cells, nb.nbformat_minor >= 5);
          if (!edit) continue;
          file = applyEdit(file, edit);
          model = { ...model, cells: edited(model.cells, edit) };
          origins = followed(origins, edit);
        }
        const result = fileBytes(file);
        expect(withJoinedSources(meaning(result))).toEqual(withJoinedSources(model));
        origins.forEach((origin, index) => {
          const cell = file.cells[index]!;
          if (origin !== null) expect(cell.bytes.subarray(cell.start, cell.end).equals(originals[origin]!)).toBe(true);
        });
        // What stands around the cells is not touched by any of these edits.
        const again = parse(result);
        const first = parse(bytes);
        expect(text(again.head)).toBe(text(first.head));
        expect(text(again.tail)).toBe(text(first.tail));
        // The spans that splicing works out are those that reading finds.
        expect(again.cells.map(spans)).toEqual(file.cells.map(spans));
      }),
      { numRuns: 800 },
    );
  });

  it('equal JSON.stringify(notebook, null, 1) in the usual form', () => {
    const usual = notebook.map((nb) => JSON.parse(JSON.stringify(sortedCells(nb))) as RandomNotebook);
    fc.assert(
      fc.property(usual, fc.constantFrom('\n', ''), fc.array(editSeed, { maxLength: 5 }), (nb, end, seeds) => {
        let file = parse(Buffer.from(JSON.stringify(nb, null, 1) + end));
        let model = nb;
        for (const seed of seeds) {
          const edit = fitted(seed, model.cells, nb.nbformat_minor >= 5);
          if (!edit) continue;
          file = applyEdit(file, edit);
          model = sortedCells({ ...model, cells: edited(model.cells, edit) });
        }
        expect(fileBytes(file).toString()).toBe(JSON.stringify(model, null, 1) + end);
      }),
      { numRuns: 700 },
    );
  });

  it('have the original bytes after an edit and its reverse', () => {
    fc.assert(
      fc.property(notebook, spelling, fc.nat(), fc.nat(), source, (nb, style, at, to, text) => {
        fc.pre(nb.cells.length > 0);
        const bytes = spell(nb, style);
        const file = parse(bytes);
        const index = at % nb.cells.length;
        const target = to % nb.cells.length;
        const moved = applyEdit(applyEdit(file, { op: 'move', index, to: target }), { op: 'move', index: target, to: index });
        expect(fileBytes(moved).equals(bytes)).toBe(true);
        const inserted = applyEdit(applyEdit(file, { op: 'insert', index, id: null, type: 'code', source: text }), { op: 'delete', index });
        expect(fileBytes(inserted).equals(bytes)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function text(slice: { bytes: Buffer; start: number; end: number }): string {
  return slice.bytes.toString('utf8', slice.start, slice.end);
}

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

describe('only the changed line differs', () => {
  const lines = ['"first = 1\\n"', '"caf\\u00e9 = 2\\n"', '"third = \\/3"'];
  it.each([
    ['one space', '\n', ' '],
    ['four spaces', '\n', '    '],
    ['tabs', '\n', '\t'],
    ['CRLF', '\r\n', '  '],
  ])('in a file with %s', (_name, eol, indent) => {
    const at = (depth: number): string => eol + indent.repeat(depth);
    const cell = `{${at(3)}"source": [${lines.map((line) => at(4) + line).join(',')}${at(3)}],${at(3)}"metadata": {},${at(3)}"cell_type": "markdown"${at(2)}}`;
    const bytes = Buffer.from(
      `{${at(1)}"cells": [${at(2)}${cell}${at(1)}],${at(1)}"nbformat": 4,${at(1)}"nbformat_minor": 4,${at(1)}"metadata": {"n": 1.0}${at(0)}}`,
    );
    const result = fileBytes(applyEdit(parse(bytes), { op: 'source', index: 0, source: 'first = 10\ncafé = 2\nthird = /3' })).toString();
    expect(result).toBe(bytes.toString().replace('first = 1\\n', 'first = 10\\n'));
  });

  it('in a file with mixed line ends and arrays on one line', () => {
    const bytes = Buffer.from(
      '{\r\n "cells": [\n  {"cell_type": "raw",\r\n   "metadata": {}, "source": ["a\\n", "b\\n" ,"c"]}\n ],\r\n "metadata": {},\n "nbformat": 4, "nbformat_minor": 2\n}',
    );
    const result = fileBytes(applyEdit(parse(bytes), { op: 'source', index: 0, source: 'a\nB\nc' })).toString();
    expect(result).toBe(bytes.toString().replace('"b\\n" ,"c"', '"B\\n", "c"'));
  });
});

describe('JSON that is no notebook', () => {
  it.each([
    ['[]', 'Its top level is an array, not an object.'],
    ['"text"', 'Its top level is a string, not an object.'],
    ['null', 'Its top level is a plain value, not an object.'],
    ['{}', 'It has no "cells".'],
    ['{"cells": {}}', 'Its "cells" is an object, not an array.'],
    ['{"cells": [{}, 3]}', 'Its cells[1] is a number, not an object.'],
  ])('%s', (text, detail) => {
    expect(() => parse(Buffer.from(text))).toThrow(NotebookOpenError);
    expect(() => parse(Buffer.from(text))).toThrow(detail);
  });
});
