/** Turns of agents taken back as one step, on a real document that a person in a window edits as well. */
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { applyToDocument, documentView } from '../../../main/documents/document-edits.ts';
import type { EditRequest } from '../../../main/documents/edits.ts';
import { planEdit } from '../../../main/documents/edits.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import {
  cellMetadata,
  clearOutputs,
  deleteCells,
  moveCell,
  requireCell,
  setCellType,
  setSource,
  sourceText,
} from '../../../preload/notebook-model.ts';
import { code, markdown, notebook, stream, temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const OUTPUT = { name: 'stdout', output_type: 'stream', text: ['made before\n'] };
const FIRST = { agentId: 'ada', turn: '1' };
const SECOND = { agentId: 'ada', turn: '2' };
const OTHER = { agentId: 'ben', turn: '1' };

let document: NotebookDocument;
/** A person's window. */
let window: Y.Doc;
let bytes: string;

beforeEach(async () => {
  document = await folder.open(
    notebook([code(['a = 1\n', 'b = 2'], { outputs: [OUTPUT], execution_count: 7 }), markdown(['words']), code(['last'])]),
  );
  bytes = folder.read('a.ipynb');
  window = new Y.Doc();
  Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc));
  window.on('update', (update: Uint8Array, origin: unknown) => origin !== 'main' && document.applyUpdate(update, 'window'));
  document.on('update', (update, origin) => origin !== 'window' && Y.applyUpdate(window, update, 'main'));
});

function edit(turn: { agentId: string; turn: string }, request: EditRequest): string {
  const plan = planEdit(documentView(document), request);
  applyToDocument(document, plan.edit, document.turns.origin(turn));
  return document.keys()[plan.result.cellIndex] ?? '';
}

const sources = () => document.keys().map((key) => document.cell(key)!.source);

/** Nothing is left to save and the file is what it was. */
async function expectFirstBytes(): Promise<void> {
  expect(document.dirty).toBe(false);
  await document.save();
  expect(folder.read('a.ipynb')).toBe(bytes);
}

describe('a turn', () => {
  it('of every kind of edit is taken back as one step, with outputs, count and the file’s bytes', async () => {
    const [first] = document.keys();
    edit(FIRST, { action: 'edit', cell_index: 1, content: 'other words' });
    edit(FIRST, { action: 'insert', cell_index: 0, content: 'import x' });
    edit(FIRST, { action: 'clear_outputs', cell_index: 1 });
    edit(FIRST, { action: 'set_type', cell_index: 2, cell_type: 'raw' });
    edit(FIRST, { action: 'move', cell_index: 3, to_index: 0 });
    edit(FIRST, { action: 'delete', cell_index: 2 });
    await document.save();
    expect(document.turns.list()).toEqual([FIRST]);
    const { changed, kept } = document.turns.takeBack(FIRST)!;
    expect(kept).toEqual([]);
    expect(changed).toEqual(expect.arrayContaining(document.keys()));
    expect(document.outputs(first!)).toHaveLength(1);
    expect(document.executionCount(first!)).toBe(7);
    await document.save();
    expect(folder.read('a.ipynb')).toBe(bytes);
    expect(document.turns.list()).toEqual([]);
    expect(document.turns.takeBack(FIRST)).toBeNull();
  });

  it('can be put back after that', async () => {
    edit(FIRST, { action: 'delete', cell_index: 0 });
    edit(FIRST, { action: 'edit', cell_index: 0, content: 'other words' });
    document.turns.takeBack(FIRST);
    await expectFirstBytes();
    document.turns.putBack(FIRST);
    expect(sources()).toEqual(['other words', 'last']);
    document.turns.takeBack(FIRST);
    await expectFirstBytes();
  });

  it('is taken back alone: other turns, agents and persons keep what they did', () => {
    edit(FIRST, { action: 'edit', cell_index: 0, old_string: 'a = 1', new_string: 'a = 100' });
    edit(SECOND, { action: 'edit', cell_index: 2, content: 'last of two' });
    edit(OTHER, { action: 'edit', cell_index: 1, content: 'words of Ben' });
    setSource(window, document.keys()[0]!, 'a = 100\nb = 2\nmine = 3');
    expect(document.turns.list()).toEqual([FIRST, SECOND, OTHER]);
    expect(document.turns.takeBack(FIRST)).toEqual({
      changed: [document.keys()[0]],
      kept: [{ key: document.keys()[0], reason: 'typed-in' }],
    });
    expect(sources()).toEqual(['a = 1\nb = 2\nmine = 3', 'words of Ben', 'last of two']);
  });

  it('that nobody built on is taken back after later turns were', async () => {
    edit(FIRST, { action: 'edit', cell_index: 0, content: 'one' });
    edit(FIRST, { action: 'insert', cell_index: 3, content: 'made' });
    edit(SECOND, { action: 'edit', cell_index: 0, content: 'two' });
    edit(SECOND, { action: 'edit', cell_index: 3, content: 'changed' });
    edit(SECOND, { action: 'set_type', cell_index: 3, cell_type: 'markdown' });
    expect(document.turns.takeBack(SECOND)?.kept).toEqual([]);
    expect(sources()).toEqual(['one', 'words', 'last', 'made']);
    expect(document.turns.takeBack(FIRST)?.kept).toEqual([]);
    await expectFirstBytes();
  });
});

describe('what stays', () => {
  it('is a cell that the turn made and a person wrote in, whole', () => {
    const key = edit(FIRST, { action: 'insert', cell_index: 3, content: 'df.head()' });
    edit(FIRST, { action: 'edit', cell_index: 1, content: 'other words' });
    sourceText(requireCell(window, key)).insert(8, '20');
    const { changed, kept } = document.turns.takeBack(FIRST)!;
    expect(kept).toEqual([{ key, reason: 'written-in' }]);
    expect(changed).toEqual([document.keys()[1]]);
    expect(sources()).toEqual(['a = 1\nb = 2', 'words', 'last', 'df.head(20)']);
  });

  it('is a cell that the turn made and another gave a type or metadata', () => {
    const typed = edit(FIRST, { action: 'insert', cell_index: 3, content: 'x' });
    const tagged = edit(FIRST, { action: 'insert', cell_index: 4, content: 'y' });
    setCellType(window, typed, 'markdown');
    cellMetadata(requireCell(window, tagged)).set('tags', ['keep']);
    expect(document.turns.takeBack(FIRST)!.kept).toEqual([
      { key: typed, reason: 'written-in' },
      { key: tagged, reason: 'written-in' },
    ]);
    expect(document.keys()).toHaveLength(5);
  });

  it('is not a cell that another only moved', async () => {
    const key = edit(FIRST, { action: 'insert', cell_index: 3, content: 'x' });
    moveCell(window, key, 0);
    expect(document.turns.takeBack(FIRST)!.kept).toEqual([]);
    await expectFirstBytes();
  });

  it('is a type that another changed after it, and a cell that another deleted', () => {
    const [, words, last] = document.keys() as [string, string, string];
    edit(FIRST, { action: 'set_type', cell_index: 1, cell_type: 'code' });
    edit(FIRST, { action: 'edit', cell_index: 2, content: 'gone' });
    setCellType(window, words, 'raw');
    deleteCells(window, [last]);
    expect(document.turns.takeBack(FIRST)!.kept).toEqual([
      { key: words, reason: 'changed-since' },
      { key: last, reason: 'deleted-since' },
    ]);
    expect(document.cell(words)!.type).toBe('raw');
    expect(document.keys()).not.toContain(last);
  });

  it('is what the turn did in a cell that a person deleted and brought back', () => {
    const undo = new Y.UndoManager(window.getMap('cells'), { trackedOrigins: new Set(['me']), captureTimeout: 0 });
    const made = edit(FIRST, { action: 'insert', cell_index: 3, content: 'made' });
    edit(FIRST, { action: 'edit', cell_index: 1, content: 'other words' });
    edit(FIRST, { action: 'edit', cell_index: 2, content: 'changed' });
    const words = document.keys()[1]!;
    deleteCells(window, [words, made], 'me');
    undo.undo();
    expect(document.turns.takeBack(FIRST)!.kept).toEqual([
      { key: words, reason: 'brought-back' },
      { key: made, reason: 'brought-back' },
    ]);
    expect(sources()).toEqual(['a = 1\nb = 2', 'other words', 'last', 'made']);
  });

  it('are outputs that a run has made anew since the turn cleared the old ones', () => {
    const [key] = document.keys() as [string];
    edit(FIRST, { action: 'clear_outputs', cell_index: 0 });
    document.beginRun(key, 'a = 1\nb = 2');
    document.applyOutputs(key, [stream('new')]);
    document.endRun(key);
    expect(document.turns.takeBack(FIRST)!.kept).toEqual([{ key, reason: 'run-since' }]);
    expect(document.outputs(key)).toEqual([{ type: 'stream', name: 'stdout', text: 'new' }]);
  });
});

describe('the record of turns', () => {
  it('gives one origin per turn, and forgets the oldest of very many', () => {
    expect(document.turns.origin(FIRST)).toBe(document.turns.origin({ ...FIRST }));
    expect(document.turns.origin(FIRST)).not.toBe(document.turns.origin(SECOND));
    edit(FIRST, { action: 'edit', cell_index: 0, content: 'x' });
    for (let turn = 0; turn < 100; turn += 1) document.turns.origin({ agentId: 'many', turn: `${turn}` });
    expect(document.turns.takeBack(FIRST)).toBeNull();
    expect(sources()[0]).toBe('x');
  });

  it('is not touched by a person’s undo of their own edits', () => {
    const undo = new Y.UndoManager(window.getMap('cells'), { trackedOrigins: new Set(['me']), captureTimeout: 0 });
    setSource(window, document.keys()[2]!, 'mine', 'me');
    edit(FIRST, { action: 'edit', cell_index: 0, content: 'agent' });
    clearOutputs(window, [document.keys()[0]!], 'me');
    undo.undo();
    undo.undo();
    expect(sources()).toEqual(['agent', 'words', 'last']);
    expect(document.outputs(document.keys()[0]!)).toHaveLength(1);
    expect(document.turns.list()).toEqual([FIRST]);
  });
});
