/** A window's replica against main's own copy: nothing is lost, nothing is echoed, and only what changed is told. */
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { CellFields } from '../../../preload/notebook-model.ts';
import { deleteCells, insertCells, moveCell, orderedKeys, setCellType, setSource } from '../../../preload/notebook-model.ts';
import { removeCells } from '../../../renderer/notebook/cell-operations.ts';
import { NotebookClient } from '../../../renderer/notebook/notebook-client.ts';
import type { FakeDocument } from '../../support/renderer-harness/fake-main.ts';
import { FakeMain, IDLE, keysIn, sourceIn } from '../../support/renderer-harness/fake-main.ts';

const cell = (key: string, source: string, type: CellFields['type'] = 'code'): CellFields => ({ key, id: key, type, source, metadata: {} });

let main: FakeMain;
let document: FakeDocument;
let client: NotebookClient;

beforeEach(() => {
  main = new FakeMain();
  document = main.open({
    path: '/n.ipynb',
    title: 'n.ipynb',
    cells: [cell('h', '# Title', 'markdown'), cell('a', 'x = 1'), cell('b', 'y = 2')],
    runs: { a: { ...IDLE, state: 'done', executionCount: 3 } },
  });
  client = new NotebookClient(main.bridge, document.snapshot());
});

/** How often each topic fired while something happened. */
function fired(topics: readonly string[], act: () => void): Record<string, number> {
  const counts = Object.fromEntries(topics.map((topic) => [topic, 0]));
  const ends = topics.map((topic) => client.on(topic, () => (counts[topic]! += 1)));
  act();
  for (const end of ends) end();
  return counts;
}

describe('the replica', () => {
  it('begins equal to the document', () => {
    expect(client.keys).toEqual(['h', 'a', 'b']);
    expect(client.source('a')).toBe('x = 1');
    expect(client.kind('h')).toEqual({ type: 'markdown', metadata: {} });
    expect(client.run('a').executionCount).toBe(3);
    expect(client.run('b').state).toBe('idle');
    expect(client.outline.map(({ text }) => text)).toEqual(['Title']);
  });

  it('sends what is typed here at once, and is not told of it again', () => {
    let told = 0;
    main.bridge.on('doc.update', () => (told += 1));
    setSource(client.ydoc, 'a', 'x = 10', client.origin);
    expect(sourceIn(document, 'a')).toBe('x = 10');
    expect(told).toBe(0);
  });

  it('takes edits from elsewhere without sending them back', () => {
    const updates: unknown[] = [];
    document.ydoc.on('update', (_update: Uint8Array, origin: unknown) => updates.push(origin));
    setSource(document.ydoc, 'a', 'x = 7', 'agent');
    expect(client.source('a')).toBe('x = 7');
    expect(updates).toEqual(['agent']);
  });

  it('ends equal to main after edits on both sides at once', () => {
    // Main's message is on its way while the person edits.
    const late: Uint8Array[] = [];
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(document.ydoc));
    other.on('update', (update: Uint8Array) => late.push(update));
    setSource(other, 'a', 'x = 1 + 1');
    moveCell(other, 'b', 0);
    insertCells(other, 3, [cell('c', 'new')]);
    setSource(client.ydoc, 'a', '# mine\nx = 1', client.origin);
    insertCells(client.ydoc, 1, [cell('d', 'also new')], client.origin);
    for (const update of late) Y.applyUpdate(document.ydoc, update, 'agent');
    expect(client.keys).toEqual(keysIn(document));
    expect(client.source('a')).toBe('# mine\nx = 1 + 1');
    expect(sourceIn(document, 'a')).toBe('# mine\nx = 1 + 1');
    expect([...client.keys].sort()).toEqual(['a', 'b', 'c', 'd', 'h']);
  });

  it('hears nothing any more once it is put away', () => {
    client.dispose();
    setSource(document.ydoc, 'a', 'later', 'agent');
    main.setKernel(document, { state: 'busy' });
    expect(client.kernel.state).toBe('none');
  });
});

describe('topics', () => {
  const all = ['keys', 'outline', 'kind:a', 'kind:b', 'source:a', 'source:b', 'run:a', 'run:b', 'kernel', 'document', 'progress'];

  it('tells of typing in one cell to that cell alone', () => {
    main.setState(document, { dirty: true });
    const counts = fired(all, () => setSource(client.ydoc, 'a', 'x = 12', client.origin));
    expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([['source:a', 1]]);
  });

  it('tells of headings only when markdown changes', () => {
    expect(fired(['outline'], () => setSource(document.ydoc, 'h', '# Other', 'agent'))).toEqual({ outline: 1 });
    expect(client.outline.map(({ text }) => text)).toEqual(['Other']);
    setCellType(client.ydoc, 'h', 'code', client.origin);
    expect(client.outline).toEqual([]);
  });

  it('tells of order and of types', () => {
    expect(fired(['keys', 'source:b'], () => moveCell(document.ydoc, 'b', 0, 'agent'))).toEqual({ keys: 1, 'source:b': 0 });
    expect(client.keys).toEqual(['b', 'h', 'a']);
    expect(fired(['keys', 'kind:a', 'kind:b'], () => setCellType(document.ydoc, 'a', 'raw', 'agent'))).toEqual({
      keys: 0,
      'kind:a': 1,
      'kind:b': 0,
    });
    expect(client.kind('a')?.type).toBe('raw');
  });

  it('gives the same value until it changes', () => {
    const before = [client.keys, client.kind('a'), client.outline, client.run('a'), client.kernel];
    setSource(client.ydoc, 'a', 'x = 3', client.origin);
    expect(
      [client.keys, client.kind('a'), client.outline, client.run('a'), client.kernel].map((value, index) =>
        Object.is(value, before[index]),
      ),
    ).toEqual([true, true, true, true, true]);
  });

  it('tells of runs, kernel and document', () => {
    expect(fired(['run:a', 'run:b', 'progress'], () => main.setRun(document, 'b', { state: 'running' }))).toEqual({
      'run:a': 0,
      'run:b': 1,
      progress: 1,
    });
    expect(client.progress).toMatchObject({ total: 1, running: 'b' });
    expect(fired(['kernel'], () => main.setKernel(document, { state: 'busy' }))).toEqual({ kernel: 1 });
    expect(fired(['document'], () => main.setState(document, { dirty: true }))).toEqual({ document: 1 });
  });
});

describe('undo', () => {
  it('takes back the own edit and leaves the others', () => {
    setSource(client.ydoc, 'a', 'x = 100', client.origin);
    setSource(document.ydoc, 'b', 'y = 200', 'agent');
    client.undo.undo();
    expect(client.source('a')).toBe('x = 1');
    expect(client.source('b')).toBe('y = 200');
    expect(sourceIn(document, 'a')).toBe('x = 1');
    expect(client.undo.canUndo).toBe(false);
    client.undo.redo();
    expect(sourceIn(document, 'a')).toBe('x = 100');
  });

  it('brings a deleted cell back under its key, and leads to it', () => {
    let focus = 'a';
    client.undo.focused = () => focus;
    client.undo.step(() => {
      removeCells(client.ydoc, ['a'], client.origin);
      focus = 'b';
    });
    expect(client.keys).toEqual(['h', 'b']);
    expect(client.undo.undo()).toBe('a');
    expect(client.keys).toEqual(['h', 'a', 'b']);
    expect(client.source('a')).toBe('x = 1');
    expect(keysIn(document)).toEqual(['h', 'a', 'b']);
  });

  it('tells of the new text of a cell that came back', () => {
    const before = client.text('a');
    client.undo.step(() => removeCells(client.ydoc, ['a'], client.origin));
    expect(client.kind('a')).toBeNull();
    expect(fired(['source:a', 'kind:a'], () => client.undo.undo())).toEqual({ 'source:a': 1, 'kind:a': 1 });
    expect(client.text('a')).not.toBe(before);
    setSource(document.ydoc, 'a', 'edited later', 'agent');
    expect(client.source('a')).toBe('edited later');
  });

  it('keeps a step apart from the typing before and after it', () => {
    setSource(client.ydoc, 'a', 'x = 12', client.origin);
    client.undo.step(() => moveCell(client.ydoc, 'b', 0, client.origin));
    setSource(client.ydoc, 'a', 'x = 123', client.origin);
    client.undo.undo();
    expect([client.source('a'), client.keys[0]]).toEqual(['x = 12', 'b']);
    client.undo.undo();
    expect([client.source('a'), client.keys[0]]).toEqual(['x = 12', 'h']);
    client.undo.undo();
    expect(client.source('a')).toBe('x = 1');
  });

  it('has nothing to give when another deleted the cell', () => {
    setSource(client.ydoc, 'a', 'x = 9', client.origin);
    deleteCells(document.ydoc, ['a'], 'agent');
    client.undo.undo();
    expect(client.keys).toEqual(['h', 'b']);
    expect(orderedKeys(document.ydoc)).toEqual(['h', 'b']);
    expect(client.undo.undo()).toBeUndefined();
  });
});
