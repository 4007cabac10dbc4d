/** What a card shows of outputs, and what it keeps of what is too large for it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CardArtifacts } from '../../../main/agents/card-artifacts.ts';
import { boundedCard, TEXT_LIMIT, withWholeTexts } from '../../../main/agents/card-bounds.ts';
import { cardFolder } from '../../../main/agents/card-folders.ts';
import { cardParts } from '../../../main/agents/run-card.ts';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import type { CallCard, CardCell } from '../../../preload/agent-sessions.ts';

const PNG = 'iVBORw0KGgo=';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cards-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const address = (id: string) => `artifact://notebook/${id}`;
const stream = (text: string, omitted?: { lines: number; bytes: number; at: number; artifactId: string | null }) => ({
  type: 'stream' as const,
  name: 'stdout' as const,
  text,
  ...(omitted ? { omitted } : {}),
});
const data = (bundle: Record<string, unknown>) => ({ type: 'display_data' as const, data: bundle, metadata: {}, executionCount: null });

function cell(more: Partial<CardCell>): CardCell {
  return {
    title: '',
    code: '',
    status: 'complete',
    text: '',
    truncation: null,
    durationMs: null,
    executionCount: null,
    images: [],
    json: [],
    statusEvents: [],
    ...more,
  };
}

const cells = (...list: CardCell[]): CallCard => ({ kind: 'cells', path: null, cwd: '/', cells: list, summary: '' });
const firstOf = (card: CallCard): CardCell | undefined => (card.kind === 'cells' ? card.cells[0] : undefined);

describe('a run’s outputs on its card', () => {
  test('are the text in order, and beside it images, JSON and events', () => {
    const parts = cardParts(
      [
        stream('\u001b[31mred\u001b[0m'),
        data({ 'text/plain': 'a figure', 'image/png': PNG }),
        data({ 'application/json': { a: [1] }, 'text/plain': '{…}' }),
        data({ 'application/x-xcsh-status': { op: 'read', path: 'x.csv' }, 'text/plain': 'not shown' }),
        data({ 'image/png': { $artifact: '7', file: '/x', bytes: 9, encoding: 'base64' } }),
        { type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['Traceback', '\u001b[0;31mValueError\u001b[0m: no'] },
      ],
      address,
    );
    expect(parts.text).toBe('red\na figure\n{…}\nTraceback\nValueError: no');
    expect(parts.truncation).toBeNull();
    expect(parts.json).toEqual([{ a: [1] }]);
    expect(parts.statusEvents).toEqual([{ op: 'read', path: 'x.csv' }]);
    expect(parts.images.map(({ payload, artifactId }) => payload ?? artifactId)).toEqual([PNG, '7']);
  });

  test('are the end of a long text, counted whole, with the way to all of it', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join('\n');
    const { text, truncation } = cardParts([stream(`${lines}\n`, { lines: 1_000, bytes: 7_000, at: 0, artifactId: '3' })], address);
    expect(text.endsWith('line 4999\n')).toBe(true);
    expect(text.length).toBeLessThan(3 * TEXT_LIMIT);
    expect(text.startsWith('line ')).toBe(true);
    expect(truncation).toEqual({ totalLines: 6_000, totalBytes: lines.length + 1 + 7_000, artifactUrl: 'artifact://notebook/3' });
  });

  test('are never text from before what was left out as if it were the end', () => {
    const { text } = cardParts([stream('first\nlast\n', { lines: 9, bytes: 90, at: 6, artifactId: null })], address);
    expect(text).toBe('last\n');
  });

  test('that are many are shown from the last one on', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => data({ 'text/plain': `value ${index}` }));
    const { text, truncation } = cardParts(many, address);
    expect(text.endsWith('value 2999')).toBe(true);
    expect(truncation).toMatchObject({ totalLines: 3_000, artifactUrl: null });
  });
});

describe('a card within bounds', () => {
  test('says that it has the end of a text alone, and how long all of it is', () => {
    const text = `${'0123456789\n'.repeat(2_000)}end`;
    const bounded = firstOf(boundedCard(cells(cell({ text }))));
    expect(bounded?.text.endsWith('end')).toBe(true);
    expect(bounded?.truncation).toEqual({ totalLines: 2_001, totalBytes: text.length, artifactUrl: null });
    const known = { totalLines: 9, totalBytes: 99, artifactUrl: 'artifact://a/1' };
    expect(firstOf(boundedCard(cells(cell({ text, truncation: known }))))?.truncation).toEqual(known);
    expect(firstOf(boundedCard(cells(cell({ text: 'short' }))))?.truncation).toBeNull();
  });

  test('has the whole of such a text kept beside it', async () => {
    const text = 'é'.repeat(TEXT_LIMIT + 1);
    const [long, short] = await withWholeTexts([cell({ text }), cell({ text: 'short' })], new CardArtifacts('agent-1', folder));
    expect(long?.truncation).toEqual({ totalLines: 1, totalBytes: 2 * text.length, artifactUrl: 'artifact://agent-1/0' });
    const artifact = await new ArtifactStore(folder).resolve('0');
    expect(await readFile(artifact?.file ?? '', 'utf8')).toBe(text);
    expect(short?.truncation).toBeNull();
  });
});

describe('kept images', () => {
  test('are one file for one content, with their bytes', async () => {
    const artifacts = new CardArtifacts('agent-1', folder);
    const urls = await Promise.all([artifacts.image('image/png', PNG), artifacts.image('image/png', PNG)]);
    expect(new Set(urls).size).toBe(1);
    const svg = await artifacts.image('image/svg+xml', '<svg/>');
    const [first, second] = await new ArtifactStore(folder).list();
    expect(await readFile(first?.file ?? '')).toEqual(Buffer.from(PNG, 'base64'));
    expect(await readFile(second?.file ?? '', 'utf8')).toBe('<svg/>');
    expect([urls[0], svg]).toEqual([`artifact://agent-1/${first?.id}`, `artifact://agent-1/${second?.id}`]);
  });

  test('that can’t be written are left out', async () => {
    expect(await new CardArtifacts('agent-1', '/dev/null/nowhere').image('image/png', PNG)).toBeNull();
  });
});

test('an address in a card leads to an agent’s folder or to one of a notebook, and nowhere else', () => {
  const isAgent = (id: string) => id === 'agent-1' || id === 'a'.repeat(24);
  const of = (host: string) => cardFolder('/profile', host, isAgent);
  const notebook = '0123456789abcdef01234567';
  expect(of(notebook)).toBe(path.join('/profile', 'artifacts', notebook));
  expect(of('agent-1')).toMatch(/^\/profile\/artifacts\/[0-9a-f]{24}$/);
  expect(of('a'.repeat(24))).not.toBe(path.join('/profile', 'artifacts', 'a'.repeat(24)));
  for (const host of ['agent-2', '..', '', '0123456789ABCDEF01234567', `${notebook}0`]) expect(of(host)).toBeNull();
});
