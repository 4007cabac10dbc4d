/** The live document and its file: what is unsaved, what a save writes, cell ids. Real files, real Yjs. */
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { applyToDocument, documentView } from '../../../main/documents/document-edits.ts';
import { planEdit } from '../../../main/documents/edits.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { findProblems } from '../../../main/documents/validate.ts';
import { cellMap, deleteCells, insertCells, moveCell, setCellType, setSource } from '../../../preload/notebook-model.ts';
import { code, markdown, type NotebookJson, notebook, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

/** A disk that takes its time: a save has written beside the file and waits to take its place until it may go on, or fails there. */
function slowDisk(document: NotebookDocument) {
  let arrive: () => void = () => undefined;
  let decide: (error: Error | null) => void = () => undefined;
  const slow = { reached: Promise.resolve(), goOn: () => next(null), fail: (error: Error) => next(error) };
  const waitAgain = (): void => {
    slow.reached = new Promise((resolve) => (arrive = resolve));
  };
  async function next(error: Error | null): Promise<void> {
    await slow.reached;
    waitAgain();
    decide(error);
  }
  waitAgain();
  document.saveWitness = {
    copied: () => () =>
      new Promise((resolve, reject) => {
        decide = (error) => (error ? reject(error) : resolve());
        arrive();
      }),
  };
  return slow;
}

describe('what is unsaved', () => {
  const stored = notebook([
    code(['a = 1\n', 'b'], { execution_count: 2, outputs: [{ name: 'stdout', output_type: 'stream', text: ['x\n'] }] }),
    markdown(['m']),
  ]);

  it('is nothing after opening, reading and attaching a kernel of the same name', async () => {
    const document = await folder.open({
      ...stored,
      metadata: { kernelspec: { display_name: 'Old name', language: 'python', name: 'python3' }, language_info: { name: 'python' } },
    });
    const before = statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs;
    document.keys().map((key) => [document.outputs(key), document.cell(key), document.staleOutputs(key)]);
    document.setKernelspec({ name: 'python3', display_name: 'Python 3 (ipykernel)', language: 'python' });
    expect(document.dirty).toBe(false);
    await document.save();
    expect(statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs).toBe(before);
  });

  it('is nothing again when an edit, a move, a deletion or a type is undone', async () => {
    const document = await folder.open(stored);
    const undo = new Y.UndoManager(cellMap(document.ydoc), { captureTimeout: 0 });
    const [first, second] = document.keys() as [string, string];
    const edits = [
      () => setSource(document.ydoc, first, 'other'),
      () => moveCell(document.ydoc, second, 0),
      () => deleteCells(document.ydoc, [first]),
      () => setCellType(document.ydoc, second, 'code'),
      () => insertCells(document.ydoc, 1, [{ key: 'new', id: null, type: 'code', source: '', metadata: {} }]),
    ];
    for (const edit of edits) {
      edit();
      expect(document.dirty).toBe(true);
      undo.undo();
      expect(document.dirty).toBe(false);
    }
  });

  it('is told once when it begins and once when it ends', async () => {
    const document = await folder.open(stored);
    const states: boolean[] = [];
    document.on('state', () => states.push(document.dirty));
    const key = document.keys()[0]!;
    for (const text of ['x', 'xy', 'xyz']) setSource(document.ydoc, key, text);
    setSource(document.ydoc, key, 'a = 1\nb');
    expect(states).toEqual([true, false]);
  });

  it('is the choice of another kernel, but not what a kernel says of itself', async () => {
    const document = await folder.open(stored);
    document.setLanguageInfo({ version: '3.12', name: 'python' });
    expect(document.dirty).toBe(false);
    document.setKernelspec({ name: 'ir', display_name: 'R', language: 'R' });
    expect(document.dirty).toBe(true);
    await document.save();
    expect(folder.json().metadata).toEqual({
      kernelspec: { display_name: 'R', language: 'R', name: 'ir' },
      language_info: { name: 'python', version: '3.12' },
    });
    expect(folder.read('a.ipynb')).toBe(usual(folder.json()));
  });
});

describe('a save', () => {
  it('changes the edited cell alone: numbers, key order, escapes, unknown keys, widget state and odd line ends stay', async () => {
    const text =
      '{"metadata": {"n": 9007199254740993, "f": 1.0, "z": -0.0, "e": 1E5, "o": 0.1e400, "10": 1, "2": 2, "u": "caf\\u00e9",\r\n "widgets": {"application/vnd.jupyter.widget-state+json": {"x": 1e-07}}, "blogtool": {"slug": "x"}},\n' +
      ' "cells": [\n  {"cell_type":"code","outputs":[{"output_type":"display_data","data":{"image/png":"iVBORw0K\\n"},"metadata":{"k":1.50}}],"execution_count":1.0,"metadata":{},"source":"x\\r\\n"},\r\n  {"source": ["old"], "cell_type": "markdown", "metadata": {"tags": ["\\u0061"]}}\n ],\n "nbformat": 4, "nbformat_minor": 4, "future": [1.0]}';
    const document = await folder.open(text);
    setSource(document.ydoc, document.keys()[1]!, 'new');
    await document.save();
    expect(folder.read('a.ipynb')).toBe(text.replace('"old"', '"new"'));
    expect(document.dirty).toBe(false);
  });

  it('keeps CRLF in sources while editors and kernels get line feeds', async () => {
    const document = await folder.open(notebook([code(['a\r\n', 'b\r\n', 'c']), code(['x\r\n', 'y'])]));
    const [key] = document.keys() as [string];
    expect(document.cell(key)!.source).toBe('a\nb\nc');
    setSource(document.ydoc, key, 'a\nB\nc');
    await document.save();
    expect(folder.json().cells.map((cell) => cell.source)).toEqual([
      ['a\r\n', 'B\r\n', 'c'],
      ['x\r\n', 'y'],
    ]);
  });

  it('writes new cells, deletions and moves in the usual form', async () => {
    const document = await folder.open(notebook([markdown(['one']), markdown(['two']), markdown(['three'])]));
    const [one, two] = document.keys() as [string, string];
    insertCells(document.ydoc, 3, [{ key: 'n', id: null, type: 'code', source: 'x\ny\n', metadata: { tags: ['t'] } }]);
    moveCell(document.ydoc, one, 2);
    deleteCells(document.ydoc, [two]);
    await document.save();
    expect(folder.read('a.ipynb')).toBe(
      usual(notebook([markdown(['three']), markdown(['one']), code(['x\n', 'y\n'], { metadata: { tags: ['t'] } })])),
    );
  });

  it('changes one entry of the metadata and leaves the spelling of the others', async () => {
    const document = await folder.open(
      '{"cells":[{"cell_type":"raw","metadata":{"a": 1.0, "b":{"c": 1e5,"d":[ 1 ]},"e":"\\u0061"},"source":[]}],"metadata":{},"nbformat":4,"nbformat_minor":4}',
    );
    const metadata = cellMap(document.ydoc).get(document.keys()[0]!)!.get('metadata') as Y.Map<unknown>;
    metadata.set('b', { c: 1e5, d: [1], f: true });
    metadata.delete('a');
    await document.save();
    expect(folder.read('a.ipynb')).toContain('{"b":{"c": 1e5,"d":[ 1 ],"f":true},"e":"\\u0061"}'.replace('"f":true', '"f": true'));
  });

  it('leaves what is typed meanwhile unsaved, and a second save waits and writes it', async () => {
    const document = await folder.open(notebook([code(['a'])]));
    const [key] = document.keys() as [string];
    setSource(document.ydoc, key, 'ab');
    const copied = new Promise<void>((resolve) => document.on('state', () => document.saving && resolve()));
    const first = document.save();
    await copied;
    expect(document.saving).toBe(true);
    setSource(document.ydoc, key, 'abc');
    const second = document.save();
    await first;
    expect(folder.json().cells[0]!.source).toEqual(['ab']);
    expect(document.dirty).toBe(true);
    await second;
    expect(folder.json().cells[0]!.source).toEqual(['abc']);
    expect(document.dirty).toBe(false);
    expect(document.saving).toBe(false);
  });

  it('on a slow disk, asked for again and again, writes one after the other and leaves the old bytes until each is whole', async () => {
    const document = await folder.open(notebook([code(['0'])]));
    const [key] = document.keys() as [string];
    const slow = slowDisk(document);
    const saves: Promise<void>[] = [];
    const ended: number[] = [];
    for (const round of [1, 2, 3]) {
      setSource(document.ydoc, key, `${round}`);
      saves.push(document.save().then(() => void ended.push(round)));
      await slow.reached;
    }
    // The first took its copy before the others were typed; those wait.
    expect([folder.json().cells[0]!.source, folder.names().length, document.saving]).toEqual([['0'], 2, true]);
    await slow.goOn();
    await saves[0];
    expect([folder.json().cells[0]!.source, document.dirty]).toEqual([['1'], true]);
    await slow.reached;
    await slow.goOn();
    await Promise.all(saves);
    // The third finds everything saved by the second, which took its copy after all the typing.
    expect([folder.json().cells[0]!.source, document.dirty, ended, folder.names()]).toEqual([['3'], false, [1, 2, 3], ['a.ipynb']]);
  });

  it('that fails on a slow disk leaves the old bytes, and the one that was asked for meanwhile writes everything', async () => {
    const document = await folder.open(notebook([code(['0'])]));
    const [key] = document.keys() as [string];
    const slow = slowDisk(document);
    setSource(document.ydoc, key, '1');
    const first = document.save();
    await slow.reached;
    setSource(document.ydoc, key, '2');
    const second = document.save();
    await slow.fail(Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' }));
    await expect(first).rejects.toThrow('a.ipynb');
    await slow.reached;
    expect([folder.json().cells[0]!.source, document.dirty, folder.names().length]).toEqual([['0'], true, 2]);
    await slow.goOn();
    await second;
    expect([folder.json().cells[0]!.source, document.dirty, folder.names()]).toEqual([['2'], false, ['a.ipynb']]);
  });

  it('gives the first bytes again when the edit is undone after it', async () => {
    const text =
      '{ "cells" : [ {"cell_type":"code", "execution_count":7, "metadata":{}, "outputs":[ ], "source":["caf\\u00e9\\n",  "b"]} ], "metadata":{}, "nbformat":4, "nbformat_minor":2 }';
    const document = await folder.open(text);
    const [key] = document.keys() as [string];
    setSource(document.ydoc, key, 'café\nb\nc');
    await document.save();
    setSource(document.ydoc, key, 'café\nb');
    await document.save();
    expect(folder.read('a.ipynb')).toBe(text);
  });

  it('brings a deleted cell back with its bytes after a save without it', async () => {
    const cell =
      '{"cell_type":"code", "execution_count":7, "metadata":{"x":1.0}, "outputs":[{"output_type":"future","n":1e2}], "source":["a"]}';
    const text = `{"cells": [${cell}], "metadata":{}, "nbformat":4, "nbformat_minor":2}`;
    const document = await folder.open(text);
    const undo = new Y.UndoManager(cellMap(document.ydoc));
    deleteCells(document.ydoc, document.keys());
    await document.save();
    expect(folder.json().cells).toEqual([]);
    undo.undo();
    expect(document.dirty).toBe(true);
    await document.save();
    expect(folder.read('a.ipynb')).toContain(cell);
  });

  it('never writes a bare NaN, and says what it wrote instead', async () => {
    const document = await folder.open(notebook([code([])]));
    const [key] = document.keys() as [string];
    document.applyOutputs(key, [
      {
        op: 'append',
        output: { type: 'display_data', data: { 'application/json': { x: Number.POSITIVE_INFINITY } }, metadata: {}, executionCount: null },
      },
    ]);
    await document.save();
    expect(folder.json().cells[0]!.outputs![0]!.data).toEqual({ 'application/json': { x: null } });
    expect(document.notices.join()).toContain('saved as null');
  });
});

describe('cell ids', () => {
  const minor5 = (cells: NotebookJson['cells']): NotebookJson => notebook(cells, { nbformat_minor: 5 });

  it('below 4.5 are never written', async () => {
    const document = await folder.open(notebook([markdown(['a'])]));
    applyToDocument(document, planEdit(documentView(document), { action: 'insert', cell_index: 0, content: 'x' }).edit, null);
    insertCells(document.ydoc, 0, [{ key: 'w', id: 'from-window', type: 'raw', source: '', metadata: {} }]);
    await document.save();
    expect(folder.json().cells.map((cell) => cell.id)).toEqual([undefined, undefined, undefined]);
    expect(await findProblems(document.file, 4)).toEqual([]);
  });

  it('that are missing or doubled are repaired in memory and written with the next real save', async () => {
    const cells = [markdown(['a'], { id: 'same' }), markdown(['b'], { id: 'same' }), markdown(['c'])];
    const document = await folder.open(minor5(cells));
    expect(document.dirty).toBe(false);
    expect(document.notices).toEqual(['Several cells have the same id ("same"). The later ones get a new id with the next save.']);
    const before = folder.read('a.ipynb');
    await document.save();
    expect(folder.read('a.ipynb')).toBe(before);
    setSource(document.ydoc, document.keys()[0]!, 'A');
    await document.save();
    expect(document.notices).toEqual([]);
    const ids = folder.json().cells.map((cell) => cell.id);
    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(3);
    expect(await findProblems(document.file, 5)).toEqual([]);
  });

  it('of cells that a window adds are made when missing, and renewed for a copy', async () => {
    const document = await folder.open(minor5([markdown(['a'], { id: 'taken' })]));
    insertCells(document.ydoc, 1, [
      { key: 'k1', id: null, type: 'code', source: '1', metadata: {} },
      { key: 'k2', id: 'taken', type: 'code', source: '2', metadata: {} },
      { key: 'k3', id: 'own', type: 'code', source: '3', metadata: {} },
    ]);
    await document.save();
    const ids = folder.json().cells.map((cell) => cell.id!);
    expect([ids[0], ids[3], new Set(ids).size]).toEqual(['taken', 'own', 4]);
  });
});
