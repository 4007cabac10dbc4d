/** Outputs of a live document: read from the file, made by runs, kept through changes of type, written as nbformat has them. */
import { describe, expect, it } from 'vitest';
import { findProblems } from '../../../main/documents/validate.ts';
import { setCellType, setSource } from '../../../preload/notebook-model.ts';
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
