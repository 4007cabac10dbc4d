/** Outputs of a live document: read from the file, made by runs, kept through changes of type, written as nbformat has them. */
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { findProblems } from '../../../main/documents/validate.ts';
import { cellFields, cellMap, clearOutputs, setCellType, setSource } from '../../../preload/notebook-model.ts';
import { code, markdown, notebook, stream, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

describe('outputs', () => {
  const result = {
    data: { 'text/html': ['<b>\n', '1</b>'], 'image/png': 'iVBO\n', 'application/json': { a: [1] } },
    execution_count: 1,
    metadata: {},
    output_type: 'execute_result',
  };

  it('are decoded from the file with their texts joined', async () => {
    const document = await folder.open(
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
    const document = await folder.open(notebook([code(['x'], { outputs: [result], execution_count: 1 })]));
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
    expect(folder.json().cells[0]).toEqual(
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
    expect(folder.read('a.ipynb')).toBe(usual(folder.json()));
    expect(await findProblems(document.file, 4)).toEqual([]);
  });

  it('that stay keep their text when another is added', async () => {
    const text =
      '{"cells":[{"cell_type":"code","execution_count":1,"metadata":{},"outputs":[{"output_type":"future","n":1.0}],"source":[]}],"metadata":{},"nbformat":4,"nbformat_minor":4}';
    const document = await folder.open(text);
    document.applyOutputs(document.keys()[0]!, [stream('late')]);
    await document.save();
    expect(folder.read('a.ipynb')).toContain('[{"output_type":"future","n":1.0},');
  });

  it('are stale when the source is another than the one that made them', async () => {
    const document = await folder.open(notebook([code(['x'], { outputs: [result] })]));
    const [key] = document.keys() as [string];
    expect(document.staleOutputs(key)).toBe(false);
    setSource(document.ydoc, key, 'y');
    expect(document.staleOutputs(key)).toBe(true);
    document.beginRun(key, 'y');
    document.applyOutputs(key, [stream('z')]);
    expect(document.staleOutputs(key)).toBe(false);
  });

  it('of a cell that is made markdown leave the file and come back with its type, also after a save', async () => {
    const document = await folder.open(notebook([code(['x'], { outputs: [result], execution_count: 4 })]));
    const [key] = document.keys() as [string];
    const told: string[] = [];
    document.on('outputs', (_key, changes) => told.push(...changes.map(({ op }) => op)));
    setCellType(document.ydoc, key, 'markdown');
    expect([document.outputs(key), document.outputCounts(), document.executionCount(key)]).toEqual([[], {}, null]);
    await document.save();
    expect(folder.json().cells[0]).toEqual(markdown(['x']));
    expect(await findProblems(document.file, 4)).toEqual([]);
    setCellType(document.ydoc, key, 'code');
    expect(document.outputs(key)).toHaveLength(1);
    expect(told).toEqual(['clear', 'clear', 'append']);
    await document.save();
    expect(folder.json().cells[0]).toEqual(code(['x'], { outputs: [result], execution_count: 4 }));
  });

  it('are trusted once all of them were made in this session', async () => {
    const document = await folder.open(notebook([code(['x'], { outputs: [result] })]));
    expect(document.trusted).toBe(false);
    document.beginRun(document.keys()[0]!, 'x');
    expect(document.trusted).toBe(true);
    expect((await folder.open(notebook([code(['x'])]), 'b.ipynb')).trusted).toBe(true);
  });

  it('are cleared, which is nothing to save where there are none', async () => {
    const document = await folder.open(notebook([code(['x']), code(['y'], { outputs: [result], execution_count: 3 })]));
    const [empty, full] = document.keys() as [string, string];
    document.clearOutputs([empty]);
    expect(document.dirty).toBe(false);
    document.clearOutputs([empty, full, 'gone']);
    await document.save();
    expect(folder.read('a.ipynb')).toBe(usual(notebook([code(['x']), code(['y'])])));
  });

  describe('cleared by hand', () => {
    const filled = notebook([code(['x'], { outputs: [result], execution_count: 3 }), code(['y'])]);

    async function open() {
      const document = await folder.open(filled);
      const [key] = document.keys() as [string];
      const undo = new Y.UndoManager(cellMap(document.ydoc), { trackedOrigins: new Set(['me']), captureTimeout: 0 });
      const told: string[] = [];
      document.on('outputs', (_key, changes) => told.push(...changes.map(({ op }) => op)));
      document.on('reset', (_key, how) => told.push(how));
      return { document, key, undo, told };
    }

    it('come back with their count when that is undone, byte for byte also after a save, and go again when it is redone', async () => {
      const { document, key, undo, told } = await open();
      document.clearOutputs([key], 'me');
      expect([document.outputs(key), document.executionCount(key), document.dirty]).toEqual([[], null, true]);
      await document.save();
      undo.undo();
      expect([document.outputs(key).length, document.executionCount(key), document.dirty]).toEqual([1, 3, true]);
      expect(told).toEqual(['clear', 'cleared', 'clear', 'append', 'restored']);
      await document.save();
      expect(folder.read('a.ipynb')).toBe(usual(filled));
      undo.redo();
      expect(document.outputs(key)).toEqual([]);
      undo.undo();
      expect(document.dirty).toBe(false);
    });

    it('do not come over what was printed since, nor into a cell that runs', async () => {
      const { document, key, undo } = await open();
      document.clearOutputs([key], 'me');
      document.beginRun(key, 'x');
      document.applyOutputs(key, [stream('new')]);
      undo.undo();
      expect(document.outputs(key)).toEqual([{ type: 'stream', name: 'stdout', text: 'new' }]);
      document.clearOutputs([key], 'me');
      undo.undo();
      expect(document.outputs(key)).toEqual([]);
      document.endRun(key);
      document.applyOutputs(key, [stream('late')]);
      document.clearOutputs([key], 'me');
      undo.undo();
      expect(document.outputs(key)).toEqual([{ type: 'stream', name: 'stdout', text: 'late' }]);
    });

    it('twice by two at once leave both with the same notebook', async () => {
      const { document, key } = await open();
      const window = new Y.Doc();
      Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc));
      const undo = new Y.UndoManager(cellMap(document.ydoc), { trackedOrigins: new Set(['me']) });
      document.clearOutputs([key], 'me');
      clearOutputs(window, [key]);
      document.applyUpdate(Y.encodeStateAsUpdate(window), 'window');
      undo.undo();
      Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc));
      expect(document.cell(key)).toEqual({ ...cellFields(window, key), key });
      await document.save();
      expect((await findProblems(document.file, 4)).length).toBe(0);
    });
  });

  it('of attachments: kept while a cell is code for a while', async () => {
    const cell = markdown(['![x](attachment:x.png)'], { attachments: { 'x.png': { 'image/png': 'AAAA' } } });
    const document = await folder.open(notebook([cell, markdown(['plain'])]));
    const [key] = document.keys() as [string];
    expect(document.attachments(key)).toEqual(cell.attachments);
    setCellType(document.ydoc, key, 'code');
    await document.save();
    expect(folder.json().cells[0]).not.toHaveProperty('attachments');
    setCellType(document.ydoc, key, 'markdown');
    await document.save();
    expect(folder.json().cells).toEqual([cell, markdown(['plain'])]);
  });
});
