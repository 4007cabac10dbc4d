/** A session as a notebook: valid by nbformat's own schema, with everything its cells gave. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CardArtifacts } from '../../../main/agents/card-artifacts.ts';
import { sessionNotebook, splitError } from '../../../main/agents/session-notebook.ts';
import { openNotebook } from '../../../main/documents/open.ts';
import { findProblems } from '../../../main/documents/validate.ts';
import type { AgentCall, CardCell } from '../../../preload/agent-sessions.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'exports-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function cell(more: Partial<CardCell>): CardCell {
  return {
    title: '',
    code: 'x',
    status: 'complete',
    text: '',
    truncation: null,
    durationMs: 1,
    executionCount: 1,
    images: [],
    json: [],
    statusEvents: [],
    ...more,
  };
}

function call(tool: string, ...cells: CardCell[]): AgentCall {
  return {
    id: 1,
    agentId: 'agent-1',
    turn: 1,
    tool,
    state: 'done',
    waitingFor: null,
    waitingSince: null,
    needs: 'run',
    docId: null,
    cellKeys: [],
    startedAt: 0,
    endedAt: 1,
    card: { kind: 'cells', path: null, cwd: '/', cells, summary: '' },
  };
}

interface Notebook {
  cells: { cell_type: string; source: string[]; id: string; execution_count?: number | null; outputs?: Record<string, unknown>[] }[];
}

async function exported(...calls: AgentCall[]): Promise<Notebook> {
  const text = await sessionNotebook(calls, (host) => (host === 'agent-1' ? folder : null));
  const file = path.join(folder, 'session.ipynb');
  await writeFile(file, text);
  const { file: opened, minor } = await openNotebook(file);
  expect(await findProblems(opened, minor)).toEqual([]);
  const notebook = JSON.parse(text) as Notebook;
  expect(new Set(notebook.cells.map(({ id }) => id)).size).toBe(notebook.cells.length);
  return notebook;
}

describe('a session as a notebook', () => {
  test('of nothing is valid and empty', async () => {
    expect((await exported()).cells).toEqual([]);
  });

  test('has what ran of Python, with titles that are text and nothing that never ran', async () => {
    const { cells } = await exported(
      call('python', cell({ title: '# a *title*\nof two lines <b>', code: 'a = 1\na', text: '1' }), cell({ status: 'pending' })),
      call('notebook_run', cell({ code: 'not of the session' })),
      call('python', cell({ code: '', executionCount: null })),
    );
    expect(cells.map(({ cell_type, source }) => [cell_type, source.join('')])).toEqual([
      ['markdown', '**\\# a \\*title\\* of two lines \\<b\\>**'],
      ['code', 'a = 1\na'],
      ['code', ''],
    ]);
    expect(cells[1]?.outputs).toEqual([{ name: 'stdout', output_type: 'stream', text: ['1'] }]);
  });

  test('has images and JSON as outputs, and says of an image that is gone that it is', async () => {
    const artifacts = new CardArtifacts('agent-1', folder);
    const png = await artifacts.image('image/png', PNG);
    const svg = await artifacts.image('image/svg+xml', '<svg>\n</svg>');
    const images = [
      { url: png ?? '', mime: 'image/png' },
      { url: svg ?? '', mime: 'image/svg+xml' },
      { url: 'artifact://agent-1/99', mime: 'image/png' },
      { url: 'artifact://another/0', mime: 'image/png' },
    ];
    const { cells } = await exported(call('python', cell({ images, json: [{ a: [1, null] }] })));
    expect(cells[0]?.outputs).toEqual([
      { data: { 'image/png': PNG }, metadata: {}, output_type: 'display_data' },
      { data: { 'image/svg+xml': ['<svg>\n', '</svg>'] }, metadata: {}, output_type: 'display_data' },
      { name: 'stdout', output_type: 'stream', text: ['[An image (image/png) is not kept.]\n'] },
      { name: 'stdout', output_type: 'stream', text: ['[An image (image/png) is not kept.]\n'] },
      { data: { 'application/json': { a: [1, null] } }, metadata: {}, output_type: 'display_data' },
    ]);
  });

  test('has the whole of a text of which the card has the end', async () => {
    const whole = 'first\nlast\n';
    const url = await new CardArtifacts('agent-1', folder).text(whole);
    const truncation = { totalLines: 2, totalBytes: 11, artifactUrl: url };
    const { cells } = await exported(
      call('python', cell({ text: 'last\n', truncation }), cell({ text: 'last\n', truncation: { ...truncation, artifactUrl: null } })),
    );
    const texts = cells.map(({ outputs }) => [outputs?.[0]?.text ?? []].flat().join(''));
    expect(texts).toEqual([whole, '[Only the end of 2 lines is kept.]\nlast\n']);
  });

  test('has an error as an output of its own', async () => {
    const rule = '-'.repeat(75);
    const traceback = [
      rule,
      'ZeroDivisionError                         Traceback (most recent call last)',
      'Cell In[1], line 1',
      '----> 1 1 / 0',
    ];
    const text = ['printed', rule, ...traceback, '', 'ZeroDivisionError: division by zero', 'Command timed out after 9 seconds'].join('\n');
    const { cells } = await exported(call('python', cell({ status: 'error', text })));
    expect(cells[0]?.outputs).toEqual([
      { name: 'stdout', output_type: 'stream', text: ['printed\n', `${rule}\n`, 'Command timed out after 9 seconds\n'] },
      {
        ename: 'ZeroDivisionError',
        evalue: 'division by zero',
        output_type: 'error',
        traceback: [...traceback, '', 'ZeroDivisionError: division by zero'],
      },
    ]);
  });
});

test.each([
  ['what did not fail', 'ValueError: said', false, 'ValueError: said', null],
  ['a syntax error', 'out\n  Cell In[2], line 1\n    x =\n       ^\nSyntaxError: invalid syntax\n', true, 'out\n', ['SyntaxError', 4]],
  ['an interrupt', 'KeyboardInterrupt\nCancelled.', true, 'Cancelled.\n', ['KeyboardInterrupt', 1]],
  ['an error of a module', 'a.b.SomeError: x', true, '', ['a.b.SomeError', 1]],
  ['a failure without a traceback', 'The kernel ended.', true, 'The kernel ended.', null],
])('the text of %s', (_what, text, failed, printed, expected) => {
  const { printed: rest, error } = splitError(text, failed);
  const { ename, traceback } = (error ?? {}) as { ename?: string; traceback?: string[] };
  expect([rest, error === null ? null : [ename, traceback?.length]]).toEqual([printed, expected]);
});
