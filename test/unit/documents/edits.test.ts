/** The `notebook` tool's checks, in their order, with their words and results; a refused edit leaves the file's bytes alone. */
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EditError, toolErrorText } from '../../../main/documents/edit-words.ts';
import type { EditRequest } from '../../../main/documents/edits.ts';
import { onDisk } from './edited-notebook.ts';
import { temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

const NOTEBOOK = {
  cells: [
    { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title'] },
    {
      cell_type: 'code',
      execution_count: 3,
      id: 'load',
      metadata: { tags: ['x'] },
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['hi\n'] }],
      source: ['a = 1\n', 'a = 2'],
    },
    { cell_type: 'raw', id: 'end', metadata: {}, source: [] },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};

type Json = typeof NOTEBOOK;

const open = (notebook: unknown) => onDisk(folder.path('a.ipynb'), Buffer.from(usual(notebook)));

/** Of an edit that is refused: its words. The document is left as it was, and the file is not even written again. */
async function refusal(request: EditRequest, notebook: unknown = NOTEBOOK): Promise<string> {
  const now = await open(notebook);
  const before = statSync(folder.path('a.ipynb'), { bigint: true });
  try {
    now.edit(request);
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    expect((await now.save()).toString()).toBe(usual(notebook));
    expect(statSync(folder.path('a.ipynb'), { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
    return toolErrorText('a.ipynb', error).replaceAll(folder.path('a.ipynb'), 'a.ipynb');
  }
  throw new Error('the edit was not refused');
}

async function done(request: EditRequest, notebook: unknown = NOTEBOOK) {
  const now = await open(notebook);
  const plan = now.edit(request);
  const text = plan.text.replaceAll(folder.path('a.ipynb'), 'a.ipynb');
  return { ...plan, text, json: JSON.parse((await now.save()).toString()) as Json };
}

const FIRST_LINE = /^Error: a\.ipynb: /;

describe('refusals', () => {
  it.each<[string, EditRequest, string]>([
    [
      'index missing',
      { action: 'edit', content: '' },
      'cell_index is missing. Give an integer from 0 to 2 for "edit" on a notebook of 3 cells, or a cell_id.',
    ],
    [
      'index too large',
      { action: 'delete', cell_index: 3 },
      'cell_index 3 is out of range. It must be an integer from 0 to 2 for "delete" on a notebook of 3 cells.',
    ],
    ['index negative', { action: 'delete', cell_index: -2 }, 'cell_index -2 is out of range. It must be an integer from 0 to 2'],
    ['index a fraction', { action: 'edit', cell_index: 1.5, content: '' }, 'cell_index 1.5 is out of range.'],
    ['insert past the end', { action: 'insert', cell_index: 4, content: '' }, 'It must be an integer from 0 to 3 for "insert"'],
    ['insert without a place', { action: 'insert', content: 'x' }, 'cell_index is missing. Give an integer from 0 to 3 for "insert"'],
    [
      'id gone, though the index fits',
      { action: 'edit', cell_id: 'gone', cell_index: 0, content: '' },
      'There is no cell with id "gone" any more.',
    ],
    ['edit without content', { action: 'edit', cell_index: 0 }, 'content is missing.'],
    ['insert without content', { action: 'insert', cell_index: 0 }, 'content is missing.'],
    [
      'content and old_string',
      { action: 'edit', cell_index: 0, content: '', old_string: 'a', new_string: 'b' },
      'Both content and old_string/new_string are given.',
    ],
    ['old_string alone', { action: 'edit', cell_index: 0, old_string: 'a' }, 'new_string is missing.'],
    ['new_string alone', { action: 'edit', cell_index: 0, new_string: 'a' }, 'old_string is missing.'],
    ['old_string empty', { action: 'edit', cell_index: 0, old_string: '', new_string: 'a' }, 'old_string is empty.'],
    ['old_string not there', { action: 'edit', cell_index: 1, old_string: 'b', new_string: 'c' }, 'old_string was not found in cell 1.'],
    [
      'old_string twice',
      { action: 'edit', cell_index: 1, old_string: 'a = ', new_string: 'c' },
      'old_string was found 2 times in cell 1. Give a longer old_string that occurs once, or set replace_all.',
    ],
    [
      'source changed',
      { action: 'edit', cell_index: 0, content: '', expected_source: 'old' },
      'The source of cell 0 is not the expected_source: it has changed since it was read.',
    ],
    [
      'source changed before a deletion',
      { action: 'delete', cell_index: 0, expected_source: 'old' },
      'The source of cell 0 is not the expected_source',
    ],
    [
      'move without target',
      { action: 'move', cell_index: 0 },
      'to_index is missing. Give an integer from 0 to 2 for "move" on a notebook of 3 cells.',
    ],
    ['move too far', { action: 'move', cell_index: 0, to_index: 3 }, 'to_index 3 is out of range. It must be an integer from 0 to 2'],
    ['set_type without type', { action: 'set_type', cell_index: 0 }, 'cell_type is missing. Give "code", "markdown" or "raw".'],
    ['clear_outputs of text', { action: 'clear_outputs', cell_index: 0 }, 'Cell 0 is a markdown cell, which has no outputs.'],
  ])('%s', async (_name, request, message) => {
    const text = await refusal(request);
    expect(text).toMatch(FIRST_LINE);
    expect(text).toContain(message);
  });

  it('count places of old_string that overlap', async () => {
    const overlapping = { ...NOTEBOOK, cells: [{ ...NOTEBOOK.cells[0], source: ['aaa'] }] };
    const text = await refusal({ action: 'edit', cell_index: 0, old_string: 'aa', new_string: 'b' }, overlapping);
    expect(text).toContain('old_string was found 2 times in cell 0.');
  });

  it('check in the order of the specification', async () => {
    const all: EditRequest = { action: 'edit', cell_index: 9, expected_source: 'old', old_string: 'zzz' };
    expect(await refusal(all)).toContain('cell_index 9 is out of range');
    expect(await refusal({ ...all, cell_index: 0 })).toContain('new_string is missing');
    expect(await refusal({ ...all, cell_index: 0, new_string: '' })).toContain('not the expected_source');
    expect(await refusal({ ...all, cell_index: 0, new_string: '', expected_source: '# Title' })).toContain('old_string was not found');
  });

  it('of something stale carry the present outline', async () => {
    const outline = 'Present outline (3 cells):\n  0 markdown intro: # Title\n  1 code load: a = 1\n  2 raw end: ';
    expect(await refusal({ action: 'edit', cell_id: 'gone', content: '' })).toContain(outline);
    expect(await refusal({ action: 'edit', cell_index: 7, content: '' })).toContain(outline);
    const changed = await refusal({ action: 'edit', cell_index: 1, content: '', expected_source: 'a' });
    expect(changed).toContain(outline);
    expect(changed).toContain('Source of cell 1:\na = 1\na = 2');
    const missed = await refusal({ action: 'edit', cell_index: 1, old_string: 'b', new_string: 'c' });
    expect(missed).toContain(`${outline}\n\nSource of cell 1:\na = 1\na = 2`);
  });

  it('of an empty notebook say how to begin', async () => {
    expect(await refusal({ action: 'delete', cell_index: 0 }, { ...NOTEBOOK, cells: [] })).toContain(
      'The notebook has no cells. Use action "insert" with cell_index 0',
    );
  });
});

describe('edits', () => {
  it('replace the source only; outputs stay and are stale', async () => {
    const { json, result, text } = await done({ action: 'edit', cell_index: 1, content: 'b\n', expected_source: 'a = 1\na = 2' });
    expect(json.cells[1]).toEqual({ ...NOTEBOOK.cells[1], source: ['b\n'] });
    expect(result).toEqual({
      action: 'edit',
      cellIndex: 1,
      cellId: 'load',
      cellType: 'code',
      totalCells: 3,
      cellSource: 'b\n',
      outputsStale: true,
    });
    expect(text).toBe('Edited code cell 1 (id load) of a.ipynb (now 3 cells). Its outputs are now stale: run the cell to renew them.');
  });

  it('to the same source make nothing stale', async () => {
    expect((await done({ action: 'edit', cell_index: 1, content: 'a = 1\na = 2' })).result.outputsStale).toBe(false);
  });

  it('accept the empty string', async () => {
    expect((await done({ action: 'edit', cell_index: 0, content: '' })).json.cells[0]!.source).toEqual([]);
  });

  it('find a cell by its id, whatever the index says', async () => {
    expect((await done({ action: 'edit', cell_id: 'end', cell_index: 0, content: 'x' })).result).toMatchObject({
      cellIndex: 2,
      cellId: 'end',
    });
  });

  it('replace a substring once, or everywhere when asked to', async () => {
    expect((await done({ action: 'edit', cell_index: 1, old_string: '= 2', new_string: '= $&' })).result.cellSource).toBe('a = 1\na = $&');
    expect((await done({ action: 'edit', cell_index: 1, old_string: 'a', new_string: 'bb', replace_all: true })).result.cellSource).toBe(
      'bb = 1\nbb = 2',
    );
  });

  it('insert a code cell with null count and no outputs, and say between which cells', async () => {
    const { json, result, text } = await done({ action: 'insert', cell_index: 1, content: 'x\ny' });
    expect(json.cells[1]).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: result.cellId,
      metadata: {},
      outputs: [],
      source: ['x\n', 'y'],
    });
    expect(result).toMatchObject({ cellIndex: 1, totalCells: 4, cellType: 'code', cellSource: 'x\ny', outputsStale: false });
    expect(text).toBe(`Inserted code cell 1 (id ${result.cellId}) between "intro" and "load" in a.ipynb (now 4 cells).`);
  });

  it('insert text cells with metadata and source alone', async () => {
    const { json, result } = await done({ action: 'insert', cell_index: 3, cell_type: 'markdown', content: '' });
    expect(json.cells[3]).toEqual({ cell_type: 'markdown', id: result.cellId, metadata: {}, source: [] });
  });

  it('insert no id below nbformat 4.5, and a fresh one from there on', async () => {
    const old = { ...NOTEBOOK, nbformat_minor: 4, cells: NOTEBOOK.cells.map(({ id: _id, ...cell }) => cell) };
    const { json, result } = await done({ action: 'insert', cell_index: 0, content: '' }, old);
    expect(result.cellId).toBeNull();
    expect(json.cells[0]).not.toHaveProperty('id');
    expect((await done({ action: 'insert', cell_index: 0, content: '' })).result.cellId).toMatch(/^[0-9a-f]{8}$/);
  });

  it('delete and return what was removed', async () => {
    const { json, result } = await done({ action: 'delete', cell_index: 1 });
    expect(json.cells.map((cell) => cell.id)).toEqual(['intro', 'end']);
    expect(result).toMatchObject({ action: 'delete', cellIndex: 1, cellId: 'load', cellSource: 'a = 1\na = 2', totalCells: 2 });
  });

  it('move a cell with its id, tags, outputs and count', async () => {
    const { json, result } = await done({ action: 'move', cell_index: 1, to_index: 2 });
    expect(json.cells).toEqual([NOTEBOOK.cells[0], NOTEBOOK.cells[2], NOTEBOOK.cells[1]]);
    expect(result.cellIndex).toBe(2);
  });

  it('set a type so that the cell stays valid', async () => {
    const { json, result } = await done({ action: 'set_type', cell_index: 1, cell_type: 'markdown' });
    expect(json.cells[1]).toEqual({ cell_type: 'markdown', id: 'load', metadata: { tags: ['x'] }, source: ['a = 1\n', 'a = 2'] });
    expect(result.cellType).toBe('markdown');
    expect((await done({ action: 'set_type', cell_index: 0, cell_type: 'code' })).json.cells[0]).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: 'intro',
      metadata: {},
      outputs: [],
      source: ['# Title'],
    });
  });

  it('clear outputs and count', async () => {
    const { json, text } = await done({ action: 'clear_outputs', cell_id: 'load' });
    expect(json.cells[1]).toMatchObject({ outputs: [], execution_count: null, source: NOTEBOOK.cells[1]!.source });
    expect(text).toBe('Cleared 1 output of cell 1 (id load) in a.ipynb (now 3 cells).');
  });

  it('in a series keep the order they were made in', async () => {
    const now = await open({ ...NOTEBOOK, cells: [] });
    for (let index = 0; index < 5; index += 1) now.edit({ action: 'insert', cell_index: index, content: `s${index}` });
    const json = JSON.parse((await now.save()).toString()) as Json;
    expect(json.cells.map((cell) => cell.source.join(''))).toEqual(['s0', 's1', 's2', 's3', 's4']);
    expect(now.view().total).toBe(5);
  });
});

describe('line ends', () => {
  const sources = (...stored: string[][]) => ({
    ...NOTEBOOK,
    cells: stored.map((source, index) => ({ ...NOTEBOOK.cells[0], id: `c${index}`, source })),
  });
  const CRLF = sources(['a\r\n', 'b\r\n', 'c']);

  it('of a content are written as they were given', async () => {
    const whole = await done({ action: 'edit', cell_index: 0, content: 'a\r\nb\nc\rd' });
    expect(whole.json.cells[0]!.source).toEqual(['a\r\n', 'b\n', 'c\rd']);
    expect(whole.result.cellSource).toBe('a\r\nb\nc\rd');
    const { json } = await done({ action: 'insert', cell_index: 0, content: 'a\r\n\r\nb\n' });
    expect(json.cells[0]!.source).toEqual(['a\r\n', '\r\n', 'b\n']);
    expect((await done({ action: 'edit', cell_index: 0, content: 'a\nB\nc' }, CRLF)).json.cells[0]!.source).toEqual(['a\n', 'B\n', 'c']);
  });

  it('are written as given also when nothing else is another, and make no output stale', async () => {
    expect((await done({ action: 'edit', cell_index: 0, content: 'a\nb\nc' }, CRLF)).json.cells[0]!.source).toEqual(['a\n', 'b\n', 'c']);
    const { json, result } = await done({ action: 'edit', cell_index: 1, content: 'a = 1\r\na = 2' });
    expect(json.cells[1]!.source).toEqual(['a = 1\r\n', 'a = 2']);
    expect(result.outputsStale).toBe(false);
  });

  it('stay in the lines that a substring edit leaves', async () => {
    const { json, result } = await done({ action: 'edit', cell_index: 0, old_string: 'b', new_string: 'B\nB' }, CRLF);
    expect(json.cells[0]!.source).toEqual(['a\r\n', 'B\r\n', 'B\r\n', 'c']);
    expect(result.cellSource).toBe('a\nB\nB\nc');
  });

  it('make no difference to what is expected or looked for', async () => {
    for (const lineEnd of ['\n', '\r\n']) {
      const looked = { expected_source: ['a', 'b', 'c'].join(lineEnd), old_string: `a${lineEnd}b`, new_string: 'x' };
      expect((await done({ action: 'edit', cell_index: 0, ...looked }, CRLF)).json.cells[0]!.source).toEqual(['x\r\n', 'c']);
    }
  });
});

describe('the outputs of a cell that was edited before', () => {
  it('fit again when it gets back the source they come from, and not when it becomes code again', async () => {
    const now = await open(NOTEBOOK);
    const isStale = (request: EditRequest) => now.edit({ ...request, cell_id: 'load' }).result.outputsStale;
    expect(isStale({ action: 'edit', content: 'b' })).toBe(true);
    expect(isStale({ action: 'move', to_index: 0 })).toBe(true);
    expect(isStale({ action: 'set_type', cell_type: 'markdown' })).toBe(false);
    expect(isStale({ action: 'set_type', cell_type: 'code' })).toBe(true);
    expect(isStale({ action: 'edit', content: 'a = 1\na = 2' })).toBe(false);
    expect(isStale({ action: 'edit', content: 'b' })).toBe(true);
    expect(isStale({ action: 'clear_outputs' })).toBe(false);
    expect(isStale({ action: 'edit', content: 'c' })).toBe(false);
  });
});
