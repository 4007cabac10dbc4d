import { expect, it } from 'vitest';
import type { AgentCall, CardCell } from '../../../../preload/agent-sessions.ts';
import { sharing } from '../../../../renderer/agents/shared-cells.ts';

const cell = (more: Partial<CardCell>): CardCell => ({
  title: 'a',
  code: 'x',
  status: 'complete',
  text: '',
  truncation: { totalLines: 1, totalBytes: 2, artifactUrl: null },
  durationMs: 1,
  executionCount: 1,
  images: [{ url: 'u', mime: 'image/png' }],
  json: [{ a: 1 }],
  statusEvents: [{ op: 'read' }],
  ...more,
});
const call = (...cells: CardCell[]): AgentCall =>
  ({ id: 1, card: { kind: 'cells', path: null, cwd: '/', summary: '', cells } }) as unknown as AgentCall;
const cellsOf = ({ card }: AgentCall) => (card.kind === 'cells' ? card.cells : []);

it('keeps the cells that are as they were, and takes those that are not', () => {
  const before = call(cell({}), cell({ text: 'one' }));
  const news = structuredClone(call(cell({}), cell({ text: 'one\ntwo' }), cell({ status: 'pending' })));
  const shared = sharing(before, news);
  expect(shared).toEqual(news);
  expect(cellsOf(shared).map((each, index) => each === cellsOf(before)[index])).toEqual([true, false, false]);
});

it.each<Partial<CardCell>>([
  { status: 'error' },
  { code: 'y' },
  { title: 'b' },
  { durationMs: 2 },
  { executionCount: 2 },
  { truncation: null },
  { images: [] },
  { json: [{ a: 2 }] },
  { statusEvents: [] },
])('never keeps a cell over one with %o', (change) => {
  const shared = sharing(call(cell({})), call(cell(change)));
  expect(cellsOf(shared)[0]).toEqual(cell(change));
});

it('leaves a card of another kind alone', () => {
  const other = { id: 1, card: { kind: 'plain', title: '', summary: '', detail: null } } as unknown as AgentCall;
  expect(sharing(other, call(cell({})))).toEqual(call(cell({})));
  expect(sharing(call(cell({})), other)).toBe(other);
});
