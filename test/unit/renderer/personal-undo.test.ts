/** What one press of undo takes away: the last burst of typing or the last cell operation of this person, and nothing that others did. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import type { CellFields } from '../../../preload/notebook-model.ts';
import { clearOutputs, loadCells, orderedKeys, requireCell, setCellType, sourceText } from '../../../preload/notebook-model.ts';
import { emptyCell, insertCopies, mergeCells, removeCells, splitCell } from '../../../renderer/notebook/cell-operations.ts';
import { PersonalUndo } from '../../../renderer/notebook/personal-undo.ts';

const ME = { name: 'person' };
const cell = (key: string, source = ''): CellFields => ({ key, id: key, type: 'code', source, metadata: {} });

let doc: Y.Doc;
/** An agent, or another person's window. */
let other: Y.Doc;
let undo: PersonalUndo;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  doc = new Y.Doc();
  other = new Y.Doc();
  loadCells(doc, [cell('a', 'x = 1'), cell('b')]);
  exchange();
  undo = new PersonalUndo(doc, ME);
});

afterEach(() => {
  vi.useRealTimers();
  undo.dispose();
});

function exchange(): void {
  Y.applyUpdate(other, Y.encodeStateAsUpdate(doc), 'elsewhere');
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(other), 'elsewhere');
}

/** Types at the end of a cell, key by key, with so many milliseconds after each. */
function type(key: string, text: string, pause = 100): void {
  const source = sourceText(requireCell(doc, key));
  for (const letter of text) {
    doc.transact(() => source.insert(source.length, letter), ME);
    vi.advanceTimersByTime(pause);
  }
}

const read = (key: string, from = doc): string => sourceText(requireCell(from, key)).toString();

/** What is left of a cell after each undo, until nothing is left to undo. */
function undoAll(key: string): string[] {
  const seen: string[] = [];
  while (undo.undo() !== undefined) seen.push(read(key));
  return seen;
}

describe('a burst of typing', () => {
  it('is one step', () => {
    type('b', 'value = 2');
    expect(undoAll('b')).toEqual(['']);
  });

  it('ends at a pause', () => {
    type('b', 'one');
    vi.advanceTimersByTime(1_000);
    type('b', ' two');
    expect(undoAll('b')).toEqual(['one', '']);
  });

  it('ends with its line', () => {
    type('b', 'one\ntwo\n');
    expect(undoAll('b')).toEqual(['one\n', '']);
  });

  it('ends where typing goes on in another cell', () => {
    type('a', '0');
    type('b', 'y');
    type('a', '0');
    expect(undoAll('a')).toEqual(['x = 10', 'x = 10', 'x = 1']);
  });

  it('does not grow for ever without a pause', () => {
    type('b', 'x'.repeat(200));
    const steps = undoAll('b').length;
    expect(steps).toBeGreaterThan(1);
    expect(steps).toBeLessThan(10);
  });

  it('comes back with redo in the same steps', () => {
    type('b', 'one\ntwo');
    undoAll('b');
    undo.redo();
    expect(read('b')).toBe('one\n');
    undo.redo();
    expect(read('b')).toBe('one\ntwo');
    expect(undo.canRedo).toBe(false);
  });
});

describe('what others did', () => {
  it('in the same line stays', () => {
    type('a', ' + 2');
    exchange();
    sourceText(requireCell(other, 'a')).insert(0, 'y = ');
    exchange();
    undo.undo();
    expect(read('a')).toBe('y = x = 1');
  });

  it('in a cell that this person made keeps the cell, and undo goes on with the step before', () => {
    type('a', '0');
    const [key] = undo.step(() => insertCopies(doc, 2, [emptyCell('code')], ME)) as [string];
    type(key, 'mine');
    exchange();
    sourceText(requireCell(other, key)).insert(4, ' and theirs');
    exchange();
    undo.undo();
    expect(read(key)).toBe(' and theirs');
    undo.undo();
    expect(read(key)).toBe(' and theirs');
    expect(read('a')).toBe('x = 1');
    expect(undo.canUndo).toBe(false);
  });

  it('in a cell that came back by undo keeps it when the deletion is redone', () => {
    undo.step(() => removeCells(doc, ['a'], ME));
    undo.undo();
    exchange();
    sourceText(requireCell(other, 'a')).insert(0, '# seen\n');
    exchange();
    undo.redo();
    expect(read('a')).toBe('# seen\nx = 1');
  });

  it('to type and outputs of a cell stays', () => {
    undo.step(() => setCellType(doc, 'a', 'markdown', ME));
    exchange();
    setCellType(other, 'a', 'raw');
    clearOutputs(other, ['b']);
    exchange();
    undo.undo();
    expect(requireCell(doc, 'a').get('type')).toBe('raw');
    expect(requireCell(doc, 'b').get('cleared')).toBe(requireCell(other, 'b').get('cleared'));
    expect(requireCell(doc, 'b').get('cleared')).toBeDefined();
  });
});

describe('cell operations', () => {
  it('are steps of their own, also right after typing and each other', () => {
    type('a', '0');
    undo.step(() => splitCell(doc, 'a', [1], ME));
    undo.step(() => mergeCells(doc, orderedKeys(doc).slice(0, 2), ME));
    undo.step(() => clearOutputs(doc, ['a'], ME));
    type('b', 'z');
    const shapes: string[] = [];
    while (undo.undo() !== undefined)
      shapes.push(
        orderedKeys(doc)
          .map((key) => read(key))
          .join('|'),
      );
    expect(shapes).toEqual(['x\n = 10|', 'x\n = 10|', 'x| = 10|', 'x = 10|', 'x = 1|']);
  });

  it('undone one by one leave both copies equal', () => {
    undo.step(() => insertCopies(doc, 0, [emptyCell('markdown')], ME));
    undo.step(() => removeCells(doc, ['a', 'b'], ME));
    while (undo.undo() !== undefined) exchange();
    expect(orderedKeys(other)).toEqual(['a', 'b']);
    expect(read('a', other)).toBe('x = 1');
  });
});
