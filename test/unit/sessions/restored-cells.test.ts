/**
 * A cell whose first part another kernel host had: what main was told of it is gone on with as if it had been heard, and what it wasn't told is
 * counted.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ToldDisplay } from '../../../main/execution/agents/cell-data.ts';
import { CellRecorder } from '../../../main/execution/agents/cell-recorder.ts';
import type { CellOutputNow } from '../../../main/execution/agents/output-protocol.ts';
import { silentLog } from '../../../main/log/log.ts';
import { message } from '../execution/messages.ts';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'cellwright-restored-')), 'artifacts');
});
afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

const LIMIT = 51_200;
const picture = Buffer.from('a small picture').toString('base64');

function recorder(earlier: { now: CellOutputNow; data: ToldDisplay[] } | null = null): CellRecorder {
  const cell = new CellRecorder({ cellId: 'a', runId: 'a', artifactFolder: folder, places: new Map(), log: silentLog, onChange: () => {} });
  if (earlier) cell.restore(earlier);
  return cell;
}

function print(cell: CellRecorder, text: string, name = 'stdout'): void {
  cell.take(message('a', 'stream', { name, text }));
}

function display(cell: CellRecorder, data: Record<string, unknown>, displayId?: string, type = 'display_data'): void {
  cell.take(message('a', type, { data, metadata: {}, transient: displayId === undefined ? {} : { display_id: displayId } }));
}

/** The cell in another host, which was told all or nothing of the images and values. */
function moved(cell: CellRecorder, told: boolean): CellRecorder {
  const data = told ? cell.data(false) : [];
  return recorder(structuredClone({ now: cell.now(), data }));
}

it('has the same text, wherever the host dies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'line\n', '\n', 'é', '50%', 'x'.repeat(600)), { maxLength: 30 }),
      fc.nat(),
      async (chunks, at) => {
        const [whole, first] = [recorder(), recorder()];
        for (const chunk of chunks) print(whole, chunk);
        const cut = at % (chunks.length + 1);
        for (const chunk of chunks.slice(0, cut)) print(first, chunk);
        const second = moved(first, true);
        for (const chunk of chunks.slice(cut)) print(second, chunk);
        const { text } = await whole.end(LIMIT);
        expect((await second.end(LIMIT)).text).toEqual(text);
      },
    ),
  );
});

it('goes on in the line of a progress bar', async () => {
  const first = recorder();
  print(first, 'begun\n 50%|#####     |');
  const second = moved(first, true);
  print(second, '\r100%|##########|\n');
  expect((await second.end(LIMIT)).text.output).toBe('begun\n100%|##########|\n');
});

it('keeps images, values and the places of displays, and makes each image one file', async () => {
  const first = recorder();
  display(first, { 'image/png': picture });
  display(first, { 'application/json': { n: 1 } }, 'shown');
  const second = moved(first, true);
  display(second, { 'application/json': { n: 2 } }, 'shown', 'update_display_data');
  display(second, { 'image/png': picture });
  const third = moved(second, true);
  const { images, json, text } = await third.end(LIMIT);
  expect(json).toEqual([{ n: 2 }]);
  expect(images.map(({ mime, file }) => [mime, existsSync(file!)])).toEqual([
    ['image/png', true],
    ['image/png', true],
  ]);
  expect(text.output).toBe('');
  expect((await readdir(folder)).filter((name) => name.endsWith('.png'))).toHaveLength(2);
});

it('says how many images and values were never told', async () => {
  const first = recorder();
  display(first, { 'image/png': picture });
  first.data(false);
  display(first, { 'application/json': 1 });
  const second = moved(first, false);
  print(second, 'end\n');
  const { text, json, images } = await second.end(LIMIT);
  expect([json, images]).toEqual([[], []]);
  expect(text.output).toBe(
    '[The connection to the kernel broke while this ran. 2 images or JSON values that the cell showed are missing.]\nend\n',
  );
});

it('what was told and has been cleared since is neither there nor missing', async () => {
  const first = recorder();
  display(first, { 'application/json': 'gone' });
  const data = first.data(false);
  first.take(message('a', 'clear_output', { wait: false }));
  const { text, json } = await recorder({ now: first.now(), data }).end(LIMIT);
  expect([text.output, json]).toEqual(['', []]);
});

it('keeps its count of status events and the question that was asked', async () => {
  const first = recorder();
  for (let n = 0; n < 510; n += 1) display(first, { 'application/x-xcsh-status': { op: 'read', n } });
  first.take({ ...message('a', 'input_request', { prompt: 'who?' }), channel: 'stdin' });
  const second = moved(first, true);
  display(second, { 'application/x-xcsh-status': { op: 'write' } });
  const { statusEvents, stdinRequested } = await second.end(LIMIT);
  expect(statusEvents.slice(0, 2)).toEqual([
    { op: 'left-out', count: 11 },
    { op: 'read', n: 11 },
  ]);
  expect(statusEvents.at(-1)).toEqual({ op: 'write' });
  expect(stdinRequested).toBe(true);
});

it('of a text that outgrew the memory keeps the end and the counts, and says that the whole is not there', async () => {
  const first = recorder();
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join('');
  print(first, lines);
  const second = moved(first, true);
  print(second, 'the end\n');
  const { text } = await second.end(LIMIT);
  expect(text).toMatchObject({ truncated: true, totalLines: 20_001, totalBytes: lines.length + 8, artifactId: null });
  expect(text.output.endsWith('line 19999\nthe end\n')).toBe(true);
  expect(text.failure).toContain('its beginning is in artifact://0');
  await first.end(LIMIT);
});
