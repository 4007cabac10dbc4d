/** Cell operations on the shared notebook: places, identities, and that each is one undo step. */
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { CellFields, CellType } from '../../../preload/notebook-model.ts';
import { cellFields, loadCells, orderedKeys } from '../../../preload/notebook-model.ts';
import {
  changeTypes,
  copyCells,
  emptyCell,
  insertCopies,
  mergeCells,
  outputsHidden,
  placeCells,
  removeCells,
  setOutputsHidden,
  shiftCells,
  splitCell,
  splitSource,
} from '../../../renderer/notebook/cell-operations.ts';

const PERSON = 'person';
const cell = (key: string, source = '', type: CellType = 'code', metadata: Record<string, unknown> = {}): CellFields => ({
  key,
  id: `id-${key}`,
  type,
  source,
  metadata,
});

let doc: Y.Doc;
let undo: Y.UndoManager;
const order = () => orderedKeys(doc).join('');

beforeEach(() => {
  doc = new Y.Doc();
  loadCells(doc, [cell('a', '1'), cell('b', '2'), cell('c', '3'), cell('d', '4'), cell('e', '5')], 'load');
  undo = new Y.UndoManager(doc.getMap('cells'), { trackedOrigins: new Set([PERSON]), captureTimeout: 0 });
});

/** Makes the change, and sees to it that one undo takes all of it back. */
function undone(change: () => void): void {
  const before = orderedKeys(doc).map((key) => cellFields(doc, key));
  change();
  expect(undo.undoStack).toHaveLength(1);
  undo.undo();
  expect(orderedKeys(doc).map((key) => cellFields(doc, key))).toEqual(before);
}

describe('inserting', () => {
  it('gives fresh identities and keeps what was copied', () => {
    const copies = copyCells(doc, ['b', 'd']);
    const keys = insertCopies(doc, 1, copies, PERSON);
    expect(orderedKeys(doc)).toEqual(['a', ...keys, 'b', 'c', 'd', 'e']);
    expect(keys.map((key) => cellFields(doc, key).source)).toEqual(['2', '4']);
    const ids = keys.map((key) => cellFields(doc, key).id);
    expect(new Set([...ids, 'id-b', 'id-d']).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}$/);
  });

  it('gives no id in a notebook that has none', () => {
    const old = new Y.Doc();
    loadCells(old, [{ ...cell('x'), id: null }]);
    const [key] = insertCopies(old, 0, [emptyCell('markdown')], PERSON);
    expect(cellFields(old, key!)).toMatchObject({ id: null, type: 'markdown', source: '' });
  });

  it('is one step', () => undone(() => insertCopies(doc, 5, copyCells(doc, ['a', 'b']), PERSON)));
});

describe('deleting', () => {
  it('is one step that brings everything back', () => undone(() => removeCells(doc, ['b', 'c'], PERSON)));

  it('never leaves a notebook without a cell', () => {
    undone(() => {
      removeCells(doc, ['a', 'b', 'c', 'd', 'e'], PERSON);
      expect(orderedKeys(doc)).toHaveLength(1);
      expect(cellFields(doc, orderedKeys(doc)[0]!)).toMatchObject({ type: 'code', source: '' });
    });
  });
});

describe('moving', () => {
  it.each([
    [['b'], -1, 'bacde'],
    [['b', 'c'], 1, 'adbce'],
    [['b', 'c', 'd'], -1, 'bcdae'],
    [['a'], -1, 'abcde'],
    [['d', 'e'], 1, 'abcde'],
  ] as const)('shifts %j by %d to %s', (keys, by, expected) => {
    shiftCells(doc, keys, by, PERSON);
    expect(order()).toBe(expected);
  });

  it.each([
    [['a'], 3, 'bcade'],
    [['e'], 0, 'eabcd'],
    [['b', 'd'], 0, 'bdace'],
    [['b', 'd'], 5, 'acebd'],
    [['a', 'b'], 1, 'abcde'],
    [['c'], 2, 'abcde'],
    [['c'], 3, 'abcde'],
  ])('places %j before %d: %s', (keys, index, expected) => {
    placeCells(doc, keys, index, PERSON);
    expect(order()).toBe(expected);
  });

  it('is one step', () => undone(() => placeCells(doc, ['a', 'c'], 5, PERSON)));
});

describe('splitting and merging', () => {
  it.each([
    ['a\nb', [1], ['a', 'b']],
    ['a\nb', [2], ['a', 'b']],
    ['abc', [1, 2], ['a', 'b', 'c']],
    ['abc', [0], ['', 'abc']],
    ['abc', [3], ['abc', '']],
    ['a\n\nb', [2], ['a', 'b']],
    ['abc', [9, -3], ['', 'abc', '']],
  ])('splits %j at %j', (source, offsets, pieces) => {
    expect(splitSource(source, offsets)).toEqual(pieces);
  });

  it('keeps the first piece in its cell and the type in all', () => {
    const notes = new Y.Doc();
    loadCells(notes, [cell('m', '# A\ntext\n# B', 'markdown', { tags: ['x'] }), cell('n')]);
    const keys = splitCell(notes, 'm', [9], PERSON);
    expect(orderedKeys(notes)).toEqual([keys[0], keys[1], 'n']);
    expect(cellFields(notes, 'm').source).toBe('# A\ntext');
    expect(cellFields(notes, keys[1]!)).toMatchObject({ source: '# B', type: 'markdown', metadata: { tags: ['x'] } });
  });

  it('merges into the first, in order', () => {
    expect(mergeCells(doc, ['b', 'c', 'd'], PERSON)).toBe('b');
    expect(order()).toBe('abe');
    expect(cellFields(doc, 'b').source).toBe('2\n3\n4');
    expect(mergeCells(doc, ['a'], PERSON)).toBe('a');
    expect(mergeCells(doc, [], PERSON)).toBeNull();
  });

  it('is one step each', () => {
    undone(() => splitCell(doc, 'c', [1], PERSON));
    undo.clear();
    undone(() => mergeCells(doc, ['a', 'b'], PERSON));
  });
});

describe('type and folding', () => {
  it('changes several types in one step', () => undone(() => changeTypes(doc, ['a', 'b'], 'markdown', PERSON)));

  it('folds in both spellings and leaves other metadata alone', () => {
    const folded = new Y.Doc();
    loadCells(folded, [cell('x', '', 'code', { jupyter: { source_hidden: true }, name: 'n' }), cell('m', '', 'markdown')]);
    setOutputsHidden(folded, ['x', 'm'], true, PERSON);
    const { metadata } = cellFields(folded, 'x');
    expect(metadata).toEqual({ collapsed: true, jupyter: { source_hidden: true, outputs_hidden: true }, name: 'n' });
    expect(outputsHidden(metadata)).toBe(true);
    expect(cellFields(folded, 'm').metadata).toEqual({});
    setOutputsHidden(folded, ['x'], false, PERSON);
    expect(cellFields(folded, 'x').metadata).toEqual({ jupyter: { source_hidden: true }, name: 'n' });
    expect(outputsHidden({ jupyter: 'strange' })).toBe(false);
  });
});
