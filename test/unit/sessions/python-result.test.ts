/** What the tool answers after every kind of end, as texts to be read. */
import { describe, expect, it } from 'vitest';
import { NO_OUTPUT } from '../../../main/execution/agents/call-outputs.ts';
import type { CellOutput } from '../../../main/execution/agents/output-protocol.ts';
import { type CallRecord, type CellStatus, pythonResult, withLines } from '../../../main/execution/agents/python-result.ts';

interface Given {
  status?: CellStatus;
  title?: string;
  output?: Partial<CellOutput>;
  text?: string;
  lines?: string[];
}

function call(cells: Given[], rest: Partial<CallRecord> = {}): ReturnType<typeof pythonResult> {
  return pythonResult({
    mode: 'session',
    cells: cells.map(({ status = 'complete', title }, index) => ({
      index,
      title: title ?? null,
      code: `cell ${index}`,
      output: '',
      status,
      durationMs: status === 'pending' ? null : 5,
      executionCount: null,
      exitCode: status === 'complete' ? 0 : null,
      statusEvents: [],
    })),
    outputs: cells.map(({ output, text = '' }) => ({ ...NO_OUTPUT, text: { ...NO_OUTPUT.text, output: text }, ...output })),
    lines: cells.map(({ lines = [] }) => lines),
    events: cells.map(() => []),
    callLines: [],
    stateLost: false,
    cancelled: false,
    ...rest,
  });
}

const cut: Partial<CellOutput> = {
  text: {
    output: 'nine\nten\n',
    truncated: true,
    totalLines: 10,
    totalBytes: 50,
    outputLines: 2,
    outputBytes: 9,
    artifactId: '7',
    failure: null,
  },
};

describe('one cell', () => {
  it.each<[string, Given, string]>([
    ['gives its output', { text: 'hello\n' }, 'hello'],
    ['keeps white space but the last line ends', { text: '\n  a\n b \n\n' }, '\n  a\n b '],
    ['says that there is none', {}, '(no output)'],
    ['says that there is none but white space', { text: ' \n' }, '(no output)'],
    ['says that there is no text', { output: { hasData: true } }, '(no text output)'],
    ['gives text beside an image', { text: '<Figure>\n', output: undefined }, '<Figure>'],
    [
      'has its lines after its output',
      { text: 'half', lines: ['Command timed out after 2 seconds'], status: 'error' },
      'half\nCommand timed out after 2 seconds',
    ],
    ['has its lines alone', { lines: ['Cancelled.'], status: 'error' }, 'Cancelled.'],
    [
      'says what is left out and where it is',
      { output: cut, lines: ['Cancelled.'], status: 'error' },
      'nine\nten\n[Output truncated: showing lines 9-10 of 10 (9 of 50 bytes). Full output: artifact://7]\nCancelled.',
    ],
  ])('%s', (_name, cell, text) => {
    expect(call([cell]).text).toBe(text);
  });

  it('is an error of the tool when it failed', () => {
    expect(call([{ status: 'error' }]).isError).toBe(true);
    expect(call([{}]).isError).toBe(false);
  });
});

describe('several cells', () => {
  it('are blocks with their titles', () => {
    expect(call([{ text: 'a\n', title: 'load' }, {}, { text: 'c\n' }]).text).toBe('[1/3] load\na\n\n[2/3]\n(no output)\n\n[3/3]\nc');
  });

  it.each<[string, Given[], Partial<CallRecord>, string]>([
    [
      'the second failed',
      [{}, { status: 'error', title: 'fit' }, { status: 'pending' }],
      {},
      'Cell 2 of 3 failed (fit). Cell 3 was not run. The state of cell 1 is kept. Send only cells 2-3 again, with cell 2 put right.',
    ],
    [
      'the first failed',
      [{ status: 'error' }, { status: 'pending' }, { status: 'pending' }],
      {},
      'Cell 1 of 3 failed. Cells 2-3 were not run. Send only cells 1-3 again, with cell 1 put right.',
    ],
    [
      'the last failed',
      [{}, {}, { status: 'error' }],
      {},
      'Cell 3 of 3 failed. The state of cells 1-2 is kept. Send only cell 3 again, with cell 3 put right.',
    ],
    [
      'its kernel was for the call alone',
      [{}, { status: 'error' }],
      { mode: 'per-call' },
      'Cell 2 of 2 failed. The kernel was for this call alone, so send all cells again.',
    ],
    [
      'the kernel was restarted meanwhile',
      [{}, { status: 'error' }],
      { stateLost: true },
      'Cell 2 of 2 failed. The state of the earlier cells is gone with the kernel, so send all cells again.',
    ],
    [
      'the call ended between cells',
      [{}, { status: 'pending' }, { status: 'pending' }],
      { callLines: ['Command timed out after 3 seconds'] },
      'The call ended before cell 2 of 3. Cells 2-3 were not run. The state of cell 1 is kept. Send only cells 2-3 again.',
    ],
    [
      'nothing was run',
      [{ status: 'pending' }, { status: 'pending' }],
      { callLines: ['Cancelled.', 'Nothing was run.'] },
      'The call ended before cell 1 of 2. Cells 1-2 were not run. Send only cells 1-2 again.',
    ],
  ])('say what to do when %s', (_name, cells, rest, sentence) => {
    const { text, isError } = call(cells, rest);
    expect(text.split('\n\n').at(-1)).toBe(sentence);
    expect(isError).toBe(true);
  });

  it('say nothing of that kind when all completed', () => {
    expect(call([{}, {}]).text).not.toMatch(/failed|again/);
  });
});

describe('the structure', () => {
  it('has exactly the parts that were agreed on', () => {
    const { structuredContent } = call([{ text: 'a\n', lines: ['said'], status: 'error' }]);
    expect(structuredContent).toEqual({
      cells: [
        {
          index: 0,
          title: null,
          code: 'cell 0',
          output: 'a\nsaid',
          status: 'error',
          durationMs: 5,
          executionCount: null,
          exitCode: null,
          statusEvents: [],
        },
      ],
      jsonOutputs: [],
      images: [],
      statusEvents: [],
      truncation: null,
      artifactId: null,
      stdinRequested: false,
      cancelled: false,
    });
  });

  it('gathers what the cells have, in order', () => {
    const image = { mime: 'image/png', bytes: 3, artifactId: '1', file: '/a/1.png', base64: null };
    const result = call([
      { output: { json: [1], statusEvents: [{ op: 'read' }], stdinRequested: true } },
      { output: { json: [null, { a: 1 }], images: [image], statusEvents: [{ op: 'write' }] } },
    ]);
    expect(result.structuredContent).toMatchObject({
      jsonOutputs: [1, null, { a: 1 }],
      images: [{ mime: 'image/png', bytes: 3, artifactId: '1', cell: 1 }],
      statusEvents: [{ op: 'read' }, { op: 'write' }],
      stdinRequested: true,
    });
    expect(result.images).toEqual([{ ...image, cell: 1 }]);
  });

  it('has this program’s own events before the code’s', () => {
    const result = call([{ output: { statusEvents: [{ op: 'read' }] } }], { events: [[{ op: 'kernel-restart' }]] });
    expect(result.structuredContent.cells[0]!.statusEvents).toEqual([{ op: 'kernel-restart' }, { op: 'read' }]);
  });

  it('says of truncated texts how long they are and where the last one lies', () => {
    const other = { text: { ...cut.text!, artifactId: null, failure: 'ENOSPC' } };
    const { structuredContent } = call([{ output: cut }, { text: 'short' }, { output: other }]);
    expect(structuredContent.artifactId).toBe('7');
    expect(structuredContent.truncation).toMatchObject({
      totalLines: 20,
      totalBytes: 100,
      outputBytes: 18,
      cells: [
        { index: 0, artifactId: '7', totalLines: 10 },
        { index: 2, artifactId: null },
      ],
    });
  });
});

it.each([
  ['', ['a', 'b'], 'a\nb'],
  ['x', ['a'], 'x\na'],
  ['x\n', ['a'], 'x\na'],
  ['x', [], 'x'],
])('lines after %j', (text, lines, expected) => {
  expect(withLines(text, lines)).toBe(expected);
});
