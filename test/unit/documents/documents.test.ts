/** The live document: what is unsaved, what a save writes, outputs and types, ids, identity. Real files, real Yjs replicas. */
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { applyToDocument, documentView } from '../../../main/documents/document-edits.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { planEdit } from '../../../main/documents/edits.ts';
import { NotebookSaveError } from '../../../main/documents/errors.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { findProblems } from '../../../main/documents/validate.ts';
import { cellMap, deleteCells, insertCells, moveCell, orderedKeys, setCellType, setSource } from '../../../preload/notebook-model.ts';
import { code, markdown, type NotebookJson, notebook, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

async function open(content: unknown, name = 'a.ipynb'): Promise<NotebookDocument> {
  const path = folder.write(name, typeof content === 'string' || Buffer.isBuffer(content) ? content : usual(content));
  return new DocumentStore().open(path);
}

const json = (name = 'a.ipynb'): NotebookJson => JSON.parse(folder.read(name)) as NotebookJson;
const stream = (text: string) => ({ op: 'append', output: { type: 'stream', name: 'stdout', text } }) as const;

async function saveCode(document: NotebookDocument, options?: { overwrite?: boolean }): Promise<string> {
  return document.save(options).then(
    () => 'saved',
    (error: unknown) => (error instanceof NotebookSaveError ? error.code : String(error)),
  );
}

describe('what is unsaved', () => {
  const stored = notebook([
    code(['a = 1\n', 'b'], { execution_count: 2, outputs: [{ name: 'stdout', output_type: 'stream', text: ['x\n'] }] }),
    markdown(['m']),
  ]);

  it('is nothing after opening, reading and attaching a kernel of the same name', async () => {
    const document = await open({
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
    const document = await open(stored);
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
    const document = await open(stored);
    const states: boolean[] = [];
    document.on('state', () => states.push(document.dirty));
    const key = document.keys()[0]!;
    for (const text of ['x', 'xy', 'xyz']) setSource(document.ydoc, key, text);
    setSource(document.ydoc, key, 'a = 1\nb');
    expect(states).toEqual([true, false]);
  });

  it('is the choice of another kernel, but not what a kernel says of itself', async () => {
    const document = await open(stored);
    document.setLanguageInfo({ version: '3.12', name: 'python' });
    expect(document.dirty).toBe(false);
    document.setKernelspec({ name: 'ir', display_name: 'R', language: 'R' });
    expect(document.dirty).toBe(true);
    await document.save();
    expect(json().metadata).toEqual({
      kernelspec: { display_name: 'R', language: 'R', name: 'ir' },
      language_info: { name: 'python', version: '3.12' },
    });
    expect(folder.read('a.ipynb')).toBe(usual(json()));
  });
});

describe('a save', () => {
  it('changes the edited cell alone: numbers, key order, escapes, unknown keys, widget state and odd line ends stay', async () => {
    const text =
      '{"metadata": {"n": 9007199254740993, "f": 1.0, "z": -0.0, "e": 1E5, "o": 0.1e400, "10": 1, "2": 2, "u": "caf\\u00e9",\r\n "widgets": {"application/vnd.jupyter.widget-state+json": {"x": 1e-07}}, "blogtool": {"slug": "x"}},\n' +
      ' "cells": [\n  {"cell_type":"code","outputs":[{"output_type":"display_data","data":{"image/png":"iVBORw0K\\n"},"metadata":{"k":1.50}}],"execution_count":1.0,"metadata":{},"source":"x\\r\\n"},\r\n  {"source": ["old"], "cell_type": "markdown", "metadata": {"tags": ["\\u0061"]}}\n ],\n "nbformat": 4, "nbformat_minor": 4, "future": [1.0]}';
    const document = await open(text);
    setSource(document.ydoc, document.keys()[1]!, 'new');
    await document.save();
    expect(folder.read('a.ipynb')).toBe(text.replace('"old"', '"new"'));
    expect(document.dirty).toBe(false);
  });

  it('keeps CRLF in sources while editors and kernels get line feeds', async () => {
    const document = await open(notebook([code(['a\r\n', 'b\r\n', 'c']), code(['x\r\n', 'y'])]));
    const [key] = document.keys() as [string];
    expect(document.cell(key)!.source).toBe('a\nb\nc');
    setSource(document.ydoc, key, 'a\nB\nc');
    await document.save();
    expect(json().cells.map((cell) => cell.source)).toEqual([
      ['a\r\n', 'B\r\n', 'c'],
      ['x\r\n', 'y'],
    ]);
  });

  it('writes new cells, deletions and moves in the usual form', async () => {
    const document = await open(notebook([markdown(['one']), markdown(['two']), markdown(['three'])]));
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
    const document = await open(
      '{"cells":[{"cell_type":"raw","metadata":{"a": 1.0, "b":{"c": 1e5,"d":[ 1 ]},"e":"\\u0061"},"source":[]}],"metadata":{},"nbformat":4,"nbformat_minor":4}',
    );
    const metadata = cellMap(document.ydoc).get(document.keys()[0]!)!.get('metadata') as Y.Map<unknown>;
    metadata.set('b', { c: 1e5, d: [1], f: true });
    metadata.delete('a');
    await document.save();
    expect(folder.read('a.ipynb')).toContain('{"b":{"c": 1e5,"d":[ 1 ],"f":true},"e":"\\u0061"}'.replace('"f":true', '"f": true'));
  });

  it('leaves what is typed meanwhile unsaved, and a second save waits and writes it', async () => {
    const document = await open(notebook([code(['a'])]));
    const [key] = document.keys() as [string];
    setSource(document.ydoc, key, 'ab');
    const first = document.save();
    await new Promise((resolve) => setImmediate(resolve));
    expect(document.saving).toBe(true);
    setSource(document.ydoc, key, 'abc');
    const second = document.save();
    await first;
    expect(json().cells[0]!.source).toEqual(['ab']);
    expect(document.dirty).toBe(true);
    await second;
    expect(json().cells[0]!.source).toEqual(['abc']);
    expect(document.dirty).toBe(false);
    expect(document.saving).toBe(false);
  });

  it('gives the first bytes again when the edit is undone after it', async () => {
    const text =
      '{ "cells" : [ {"cell_type":"code", "execution_count":7, "metadata":{}, "outputs":[ ], "source":["caf\\u00e9\\n",  "b"]} ], "metadata":{}, "nbformat":4, "nbformat_minor":2 }';
    const document = await open(text);
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
    const document = await open(text);
    const undo = new Y.UndoManager(cellMap(document.ydoc));
    deleteCells(document.ydoc, document.keys());
    await document.save();
    expect(json().cells).toEqual([]);
    undo.undo();
    expect(document.dirty).toBe(true);
    await document.save();
    expect(folder.read('a.ipynb')).toContain(cell);
  });

  it('never writes a bare NaN, and says what it wrote instead', async () => {
    const document = await open(notebook([code([])]));
    const [key] = document.keys() as [string];
    document.applyOutputs(key, [
      {
        op: 'append',
        output: { type: 'display_data', data: { 'application/json': { x: Number.POSITIVE_INFINITY } }, metadata: {}, executionCount: null },
      },
    ]);
    await document.save();
    expect(json().cells[0]!.outputs![0]!.data).toEqual({ 'application/json': { x: null } });
    expect(document.notices.join()).toContain('saved as null');
  });
});

describe('outputs', () => {
  const result = {
    data: { 'text/html': ['<b>\n', '1</b>'], 'image/png': 'iVBO\n', 'application/json': { a: [1] } },
    execution_count: 1,
    metadata: {},
    output_type: 'execute_result',
  };

  it('are decoded from the file with their texts joined', async () => {
    const document = await open(
      notebook([
        code(['x'], {
          outputs: [
            result,
            { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t'] },
            { output_type: 'future' },
            { name: 'stderr', output_type: 'stream', text: 'one' },
          ],
        }),
      ]),
    );
    const [key] = document.keys() as [string];
    expect(document.outputCounts()).toEqual({ [key]: 4 });
    expect(document.outputs(key)).toEqual([
      {
        type: 'execute_result',
        data: { 'text/html': '<b>\n1</b>', 'image/png': 'iVBO\n', 'application/json': { a: [1] } },
        metadata: {},
        executionCount: 1,
      },
      { type: 'error', ename: 'E', evalue: 'v', traceback: ['t'] },
      {
        type: 'display_data',
        data: { 'text/plain': '[an output of type "future", kept in the file as it is]' },
        metadata: {},
        executionCount: null,
      },
      { type: 'stream', name: 'stderr', text: 'one' },
    ]);
  });

  it('of a run replace the old ones and are written as nbformat has them', async () => {
    const document = await open(notebook([code(['x'], { outputs: [result], execution_count: 1 })]));
    const [key] = document.keys() as [string];
    const told: unknown[] = [];
    document.on('outputs', (_key, changes) => told.push(...changes.map(({ op }) => op)));
    document.beginRun(key, 'x');
    document.applyOutputs(key, [stream('a\nb'), { op: 'text', index: 0, at: 3, remove: 0, insert: '\nc\n' }]);
    document.applyOutputs(key, [
      {
        op: 'append',
        output: {
          type: 'execute_result',
          data: { 'text/plain': 'r\n2', 'image/svg+xml': '<svg>\n</svg>', 'image/png': 'AA\nBB\n', 'application/vnd.x+json': [1] },
          metadata: { w: 1 },
          executionCount: 5,
          displayId: 'd',
        },
      },
    ]);
    document.setExecutionCount(key, 5);
    await document.save();
    expect(told).toEqual(['clear', 'append', 'text', 'append']);
    expect(json().cells[0]).toEqual(
      code(['x'], {
        execution_count: 5,
        outputs: [
          { name: 'stdout', output_type: 'stream', text: ['a\n', 'b\n', 'c\n'] },
          {
            data: {
              'application/vnd.x+json': [1],
              'image/png': 'AA\nBB\n',
              'image/svg+xml': ['<svg>\n', '</svg>'],
              'text/plain': ['r\n', '2'],
            },
            execution_count: 5,
            metadata: { w: 1 },
            output_type: 'execute_result',
          },
        ],
      }),
    );
    expect(folder.read('a.ipynb')).toBe(usual(json()));
    expect(await findProblems(document.file, 4)).toEqual([]);
  });

  it('that stay keep their text when another is added', async () => {
    const text =
      '{"cells":[{"cell_type":"code","execution_count":1,"metadata":{},"outputs":[{"output_type":"future","n":1.0}],"source":[]}],"metadata":{},"nbformat":4,"nbformat_minor":4}';
    const document = await open(text);
    document.applyOutputs(document.keys()[0]!, [stream('late')]);
    await document.save();
    expect(folder.read('a.ipynb')).toContain('[{"output_type":"future","n":1.0},');
  });

  it('are stale when the source is another than the one that made them', async () => {
    const document = await open(notebook([code(['x'], { outputs: [result] })]));
    const [key] = document.keys() as [string];
    expect(document.staleOutputs(key)).toBe(false);
    setSource(document.ydoc, key, 'y');
    expect(document.staleOutputs(key)).toBe(true);
    document.beginRun(key, 'y');
    document.applyOutputs(key, [stream('z')]);
    expect(document.staleOutputs(key)).toBe(false);
  });

  it('of a cell that is made markdown leave the file and come back with its type, also after a save', async () => {
    const document = await open(notebook([code(['x'], { outputs: [result], execution_count: 4 })]));
    const [key] = document.keys() as [string];
    const told: string[] = [];
    document.on('outputs', (_key, changes) => told.push(...changes.map(({ op }) => op)));
    setCellType(document.ydoc, key, 'markdown');
    expect([document.outputs(key), document.outputCounts(), document.executionCount(key)]).toEqual([[], {}, null]);
    await document.save();
    expect(json().cells[0]).toEqual(markdown(['x']));
    expect(await findProblems(document.file, 4)).toEqual([]);
    setCellType(document.ydoc, key, 'code');
    expect(document.outputs(key)).toHaveLength(1);
    expect(told).toEqual(['clear', 'clear', 'append']);
    await document.save();
    expect(json().cells[0]).toEqual(code(['x'], { outputs: [result], execution_count: 4 }));
  });

  it('are trusted once all of them were made in this session', async () => {
    const document = await open(notebook([code(['x'], { outputs: [result] })]));
    expect(document.trusted).toBe(false);
    document.beginRun(document.keys()[0]!, 'x');
    expect(document.trusted).toBe(true);
    expect((await open(notebook([code(['x'])]), 'b.ipynb')).trusted).toBe(true);
  });

  it('are cleared, which is nothing to save where there are none', async () => {
    const document = await open(notebook([code(['x']), code(['y'], { outputs: [result], execution_count: 3 })]));
    const [empty, full] = document.keys() as [string, string];
    document.clearOutputs([empty]);
    expect(document.dirty).toBe(false);
    document.clearOutputs([empty, full, 'gone']);
    await document.save();
    expect(folder.read('a.ipynb')).toBe(usual(notebook([code(['x']), code(['y'])])));
  });

  it('of attachments: kept while a cell is code for a while', async () => {
    const cell = markdown(['![x](attachment:x.png)'], { attachments: { 'x.png': { 'image/png': 'AAAA' } } });
    const document = await open(notebook([cell, markdown(['plain'])]));
    const [key] = document.keys() as [string];
    expect(document.attachments(key)).toEqual(cell.attachments);
    setCellType(document.ydoc, key, 'code');
    await document.save();
    expect(json().cells[0]).not.toHaveProperty('attachments');
    setCellType(document.ydoc, key, 'markdown');
    await document.save();
    expect(json().cells).toEqual([cell, markdown(['plain'])]);
  });
});

describe('cell ids', () => {
  const minor5 = (cells: NotebookJson['cells']): NotebookJson => notebook(cells, { nbformat_minor: 5 });

  it('below 4.5 are never written', async () => {
    const document = await open(notebook([markdown(['a'])]));
    applyToDocument(document, planEdit(documentView(document), { action: 'insert', cell_index: 0, content: 'x' }).edit, null);
    insertCells(document.ydoc, 0, [{ key: 'w', id: 'from-window', type: 'raw', source: '', metadata: {} }]);
    await document.save();
    expect(json().cells.map((cell) => cell.id)).toEqual([undefined, undefined, undefined]);
    expect(await findProblems(document.file, 4)).toEqual([]);
  });

  it('that are missing or doubled are repaired in memory and written with the next real save', async () => {
    const cells = [markdown(['a'], { id: 'same' }), markdown(['b'], { id: 'same' }), markdown(['c'])];
    const document = await open(minor5(cells));
    expect(document.dirty).toBe(false);
    expect(document.notices).toEqual(['Several cells have the same id ("same"). The later ones get a new id with the next save.']);
    const before = folder.read('a.ipynb');
    await document.save();
    expect(folder.read('a.ipynb')).toBe(before);
    setSource(document.ydoc, document.keys()[0]!, 'A');
    await document.save();
    const ids = json().cells.map((cell) => cell.id);
    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(3);
    expect(await findProblems(document.file, 5)).toEqual([]);
  });

  it('of cells that a window adds are made when missing, and renewed for a copy', async () => {
    const document = await open(minor5([markdown(['a'], { id: 'taken' })]));
    insertCells(document.ydoc, 1, [
      { key: 'k1', id: null, type: 'code', source: '1', metadata: {} },
      { key: 'k2', id: 'taken', type: 'code', source: '2', metadata: {} },
      { key: 'k3', id: 'own', type: 'code', source: '3', metadata: {} },
    ]);
    await document.save();
    const ids = json().cells.map((cell) => cell.id!);
    expect([ids[0], ids[3], new Set(ids).size]).toEqual(['taken', 'own', 4]);
  });
});

describe('windows', () => {
  it('converge with main, and each hears of the changes of the others', async () => {
    const document = await open(notebook([code(['a'])]));
    const windows = [new Y.Doc(), new Y.Doc()];
    for (const window of windows) {
      Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc), 'main');
      window.on('update', (update: Uint8Array, origin: unknown) => {
        if (origin !== 'main') document.applyUpdate(update, window);
      });
    }
    document.on('update', (update, origin) => {
      for (const window of windows) if (window !== origin) Y.applyUpdate(window, update, 'main');
    });
    const [key] = document.keys() as [string];
    const [left, right] = windows as [Y.Doc, Y.Doc];
    setSource(left, key, 'ab');
    setSource(right, key, 'abc');
    moveCell(left, key, 0);
    insertCells(right, 1, [{ key: 'n', id: null, type: 'markdown', source: 'm', metadata: {} }]);
    for (const window of windows) expect(orderedKeys(window)).toEqual(document.keys());
    expect(document.cell(key)!.source).toBe('abc');
  });

  it('that send a malformed cell do not stop the document from saving', async () => {
    const document = await open(notebook([code(['a'])]));
    const window = new Y.Doc();
    Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc));
    cellMap(window).set('bad', new Y.Map());
    document.applyUpdate(Y.encodeStateAsUpdate(window), window);
    setSource(document.ydoc, document.keys()[0]!, 'b');
    await document.save();
    expect(json().cells.map((cell) => cell.source)).toEqual([['b']]);
  });
});

describe('edits of the tool', () => {
  it('go into the live document, keep unsaved work and are saved with it', async () => {
    const document = await open(notebook([code(['one']), code(['two'])]));
    setSource(document.ydoc, document.keys()[1]!, 'typed');
    const plan = planEdit(documentView(document), { action: 'edit', cell_index: 0, content: 'agent', expected_source: 'one' });
    applyToDocument(document, plan.edit, 'agent');
    await document.save();
    expect(json().cells.map((cell) => cell.source)).toEqual([['agent'], ['typed']]);
  });

  it('give the same as on the file, action by action', async () => {
    const document = await open(
      notebook([
        code(['one'], { outputs: [{ name: 'stdout', output_type: 'stream', text: ['x'] }], execution_count: 1 }),
        markdown(['two']),
      ]),
    );
    const step = (request: Parameters<typeof planEdit>[1]): void =>
      applyToDocument(document, planEdit(documentView(document), request).edit, 'agent');
    step({ action: 'move', cell_index: 1, to_index: 0 });
    step({ action: 'set_type', cell_index: 0, cell_type: 'raw' });
    step({ action: 'clear_outputs', cell_index: 1 });
    step({ action: 'insert', cell_index: 2, content: 'three\n' });
    step({ action: 'delete', cell_index: 1 });
    await document.save();
    expect(folder.read('a.ipynb')).toBe(usual(notebook([{ ...markdown(['two']), cell_type: 'raw' }, code(['three\n'])])));
  });
});

describe('trouble with the file', () => {
  it('changed outside: the save is refused, unsaved work stays, overwriting is possible', async () => {
    const document = await open(notebook([code(['a'])]));
    setSource(document.ydoc, document.keys()[0]!, 'mine');
    folder.write('a.ipynb', usual(notebook([code(['theirs'])])));
    expect(await saveCode(document)).toBe('conflict');
    expect(document.dirty).toBe(true);
    expect(json().cells[0]!.source).toEqual(['theirs']);
    expect(await saveCode(document, { overwrite: true })).toBe('saved');
    expect(json().cells[0]!.source).toEqual(['mine']);
  });

  it('write-protected: stays unsaved and can be saved under another name', async () => {
    folder.write('a.ipynb', usual(notebook([code(['a'])])));
    chmodSync(folder.path('a.ipynb'), 0o444);
    const document = await new DocumentStore().open(folder.path('a.ipynb'));
    expect(document.readOnly).toBe(true);
    setSource(document.ydoc, document.keys()[0]!, 'b');
    expect(await saveCode(document)).toBe('read-only');
    expect(document.dirty).toBe(true);
    await document.saveAs(folder.path('b.ipynb'));
    expect([document.readOnly, document.dirty, document.title]).toEqual([false, false, 'b.ipynb']);
    expect(json('a.ipynb').cells[0]!.source).toEqual(['a']);
    expect(json('b.ipynb').cells[0]!.source).toEqual(['b']);
  });

  it('in UTF-16 or with bad bytes: never written over, converted by saving under another name', async () => {
    const bytes = Buffer.from(`\ufeff${usual(notebook([code(['é'])]))}`, 'utf16le');
    const document = await open(bytes);
    setSource(document.ydoc, document.keys()[0]!, 'è');
    expect(await saveCode(document)).toBe('read-only');
    await document.saveAs(folder.path('b.ipynb'));
    expect(folder.read('b.ipynb')).toBe(usual(notebook([code(['è'])])));
    setSource(document.ydoc, document.keys()[0]!, 'ê');
    expect(await saveCode(document)).toBe('saved');
  });

  it('of an old format: the converted notebook has no file, and never takes the old one', async () => {
    const old = JSON.stringify({
      metadata: { name: '' },
      nbformat: 3,
      nbformat_minor: 0,
      worksheets: [{ cells: [{ cell_type: 'code', input: 'x', outputs: [] }] }],
    });
    const document = await open(old, 'old.ipynb');
    expect([document.path, document.title, document.folder, document.dirty]).toEqual([
      null,
      'old (converted).ipynb',
      folder.path().replace(/\/$/, ''),
      false,
    ]);
    expect(await saveCode(document)).toBe('untitled');
    await expect(document.saveAs(folder.path('old.ipynb'))).rejects.toMatchObject({ code: 'read-only' });
    expect(folder.read('old.ipynb')).toBe(old);
    await document.saveAs(folder.path('new.ipynb'));
    expect(json('new.ipynb')).toMatchObject({ nbformat: 4, nbformat_minor: 5 });
    expect(await findProblems(document.file, 5)).toEqual([]);
  });

  it('gone: a save makes it again; with its folder gone it says so and works when it is back', async () => {
    mkdirSync(folder.path('sub'));
    const document = await open(notebook([code(['a'])]), 'sub/a.ipynb');
    rmSync(folder.path('sub/a.ipynb'));
    expect(await saveCode(document)).toBe('saved');
    setSource(document.ydoc, document.keys()[0]!, 'b');
    renameSync(folder.path('sub'), folder.path('moved'));
    expect(await saveCode(document)).toBe('folder-gone');
    renameSync(folder.path('moved'), folder.path('sub'));
    expect(await saveCode(document)).toBe('saved');
    expect(json('sub/a.ipynb').cells[0]!.source).toEqual(['b']);
  });
});

describe('the store', () => {
  const text = usual(notebook([code(['a'])]));

  it('makes one document per file: links, folders that are links, hard links, two opens at once', async () => {
    mkdirSync(folder.path('real'));
    writeFileSync(folder.path('real/a.ipynb'), text);
    symlinkSync('real', folder.path('alias'));
    symlinkSync('real/a.ipynb', folder.path('link.ipynb'));
    linkSync(folder.path('real/a.ipynb'), folder.path('hard.ipynb'));
    const store = new DocumentStore();
    const paths = ['alias/a.ipynb', 'real/a.ipynb', 'real/../real/a.ipynb', 'link.ipynb', 'hard.ipynb'];
    const documents = await Promise.all(paths.map((path) => store.open(folder.path(path))));
    expect(new Set(documents).size).toBe(1);
    expect(documents[0]!.path).toBe(folder.path('alias/a.ipynb'));
    expect(store.all()).toHaveLength(1);
    expect(await store.open(folder.path('hard.ipynb'))).toBe(documents[0]);
  });

  it('still knows the file after a save has replaced it', async () => {
    folder.write('a.ipynb', text);
    const store = new DocumentStore();
    const document = await store.open(folder.path('a.ipynb'));
    setSource(document.ydoc, document.keys()[0]!, 'b');
    await document.save();
    renameSync(folder.path('a.ipynb'), folder.path('b.ipynb'));
    expect(await store.open(folder.path('b.ipynb'))).toBe(document);
  });

  it('gives a document back under its id until it is closed, and reads the file anew after that', async () => {
    folder.write('a.ipynb', text);
    const store = new DocumentStore();
    const document = await store.open(folder.path('a.ipynb'));
    expect(store.get(document.id)).toBe(document);
    store.close(document.id);
    expect(store.get(document.id)).toBeUndefined();
    expect(await store.open(folder.path('a.ipynb'))).not.toBe(document);
  });

  it('forgets a failed open, so that the next one tries again', async () => {
    const store = new DocumentStore();
    await expect(store.open(folder.path('a.ipynb'))).rejects.toMatchObject({ code: 'not-found' });
    folder.write('a.ipynb', '{');
    await expect(store.open(folder.path('a.ipynb'))).rejects.toMatchObject({ code: 'bad-json' });
    folder.write('a.ipynb', text);
    expect((await store.open(folder.path('a.ipynb'))).keys()).toHaveLength(1);
  });

  it('makes new notebooks, which keep their identity when they get a file', async () => {
    const store = new DocumentStore();
    const document = store.create({ folder: folder.path(), kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } });
    const other = store.create({ folder: null });
    expect([document.title, other.title, document.dirty, document.trusted]).toEqual(['Untitled.ipynb', 'Untitled 2.ipynb', false, true]);
    expect(await saveCode(document)).toBe('untitled');
    setSource(document.ydoc, document.keys()[0]!, 'x');
    await document.saveAs(folder.path('a.ipynb'));
    expect(store.get(document.id)).toBe(document);
    expect(await store.open(folder.path('a.ipynb'))).toBe(document);
    expect(folder.read('a.ipynb')).toBe(
      usual({
        ...json(),
        cells: [{ cell_type: 'code', execution_count: null, id: json().cells[0]!.id, metadata: {}, outputs: [], source: ['x'] }],
      }),
    );
    expect(await findProblems(document.file, 5)).toEqual([]);
  });

  it('refuses to save one document over the file of another', async () => {
    folder.write('a.ipynb', text);
    const store = new DocumentStore();
    await store.open(folder.path('a.ipynb'));
    const fresh = store.create({ folder: null });
    await expect(fresh.saveAs(folder.path('a.ipynb'))).rejects.toMatchObject({ code: 'already-open' });
    expect(folder.read('a.ipynb')).toBe(text);
  });
});
