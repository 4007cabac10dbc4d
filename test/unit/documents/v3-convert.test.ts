/** Old formats: what each part becomes. Expected values are those of nbformat's own converter. */
import { describe, expect, it } from 'vitest';
import { convertOldNotebook, oldMajor } from '../../../main/documents/v3-convert.ts';

type Json = { cells: Record<string, unknown>[]; metadata: unknown };

function cells(list: unknown[], major = 3): Record<string, unknown>[] {
  const notebook =
    major === 1
      ? { cells: list }
      : { worksheets: [{ cells: list.slice(0, 1) }, { cells: list.slice(1) }], metadata: { name: 'n', signature: 's', kept: 1 } };
  const { text } = convertOldNotebook(notebook, major, 'old.ipynb');
  const json = JSON.parse(text) as Json;
  expect(text).toBe(`${JSON.stringify(json, null, 1)}\n`);
  if (major !== 1) expect(json.metadata).toEqual({ kept: 1 });
  return json.cells.map(({ id, ...cell }) => {
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    return cell;
  });
}

it.each([
  [
    'code',
    { cell_type: 'code', collapsed: true, input: ['a\n', 'b'], language: 'python', outputs: [], prompt_number: 4 },
    { cell_type: 'code', execution_count: 4, metadata: { collapsed: true }, outputs: [], source: ['a\n', 'b'] },
  ],
  [
    'lines without line feeds',
    { cell_type: 'code', input: ['a', 'b'], outputs: [] },
    { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['a\n', 'b'] },
  ],
  [
    'a heading',
    { cell_type: 'heading', level: 2, metadata: { m: 1 }, source: ['one\n', 'two'] },
    { cell_type: 'markdown', metadata: { m: 1 }, source: ['## one two'] },
  ],
  ['html', { cell_type: 'html', source: '<b>' }, { cell_type: 'markdown', metadata: {}, source: ['<b>'] }],
  ['raw', { cell_type: 'raw', source: '' }, { cell_type: 'raw', metadata: {}, source: [] }],
])('%s', (_name, old, expected) => {
  expect(cells([old, old])).toEqual([expected, expected]);
});

it('outputs get their present names', () => {
  const outputs = [
    { output_type: 'pyout', prompt_number: 3, text: ['a\n', 'b'], html: '<b>', metadata: { png: { width: 1 } } },
    { output_type: 'display_data', png: 'AAAA\n', svg: '<svg>\n</svg>', json: '{"a": 1}', javascript: 'x', latex: ['$'], jpeg: 'BB' },
    { output_type: 'stream', stream: 'stderr', text: 'x\ny' },
    { output_type: 'stream', text: 'x' },
    { output_type: 'pyerr', ename: 'E', evalue: 'v', traceback: ['t'] },
    { output_type: 'display_data', json: 'no json' },
  ];
  expect(cells([{ cell_type: 'code', input: '', outputs }])[0]!.outputs).toEqual([
    {
      data: { 'text/plain': ['a\n', 'b'], 'text/html': ['<b>'] },
      execution_count: 3,
      metadata: { 'image/png': { width: 1 } },
      output_type: 'execute_result',
    },
    {
      data: {
        'image/png': 'AAAA\n',
        'image/svg+xml': ['<svg>\n', '</svg>'],
        'application/json': { a: 1 },
        'application/javascript': ['x'],
        'text/latex': ['$'],
        'image/jpeg': 'BB',
      },
      metadata: {},
      output_type: 'display_data',
    },
    { name: 'stderr', output_type: 'stream', text: ['x\n', 'y'] },
    { name: 'stdout', output_type: 'stream', text: ['x'] },
    { ename: 'E', evalue: 'v', output_type: 'error', traceback: ['t'] },
    { data: { 'application/json': 'no json' }, metadata: {}, output_type: 'display_data' },
  ]);
});

it('version 1', () => {
  expect(
    cells(
      [
        { cell_type: 'code', code: 'x', prompt_number: 1 },
        { cell_type: 'text', text: 'y' },
      ],
      1,
    ),
  ).toEqual([
    { cell_type: 'code', execution_count: 1, metadata: {}, outputs: [], source: ['x'] },
    { cell_type: 'markdown', metadata: {}, source: ['y'] },
  ]);
});

it('what is no cell is left out and counted', () => {
  const { text, notices } = convertOldNotebook(
    { worksheets: [{ cells: [3, { cell_type: 'raw', source: 'x' }, null] }, 'no sheet'] },
    3,
    'old.ipynb',
  );
  expect((JSON.parse(text) as Json).cells).toHaveLength(1);
  expect(notices[1]).toBe('2 entries of the old file that are no cells were left out.');
});

describe('the version', () => {
  it.each([
    [3, true, false, 3],
    [2, true, false, 2],
    [0, false, true, 1],
    [-5, false, false, 1],
    [4, false, true, null],
    [4.5, false, true, null],
    [null, true, false, 3],
    [null, false, true, null],
    [null, true, true, null],
  ])('nbformat %s, worksheets %s, cells %s: %s', (nbformat, worksheets, hasCells, expected) => {
    expect(oldMajor(nbformat, worksheets, hasCells)).toBe(expected);
  });
});
