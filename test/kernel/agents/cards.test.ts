/** The cards that calls leave in the timeline, from real kernels: what a person sees of a run later is all of what there was to see. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cardFolder } from '../../../main/agents/card-folders.ts';
import { sessionNotebook } from '../../../main/agents/session-notebook.ts';
import { TimelineFiles } from '../../../main/agents/timeline-files.ts';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { silentLog } from '../../../main/log/log.ts';
import type { AgentCall, CardCell } from '../../../preload/agent-sessions.ts';
import { testPython } from '../../support/python.ts';
import { code, type McpFixture, openMcp, type TestAgent, until } from './mcp-fixture.ts';

/** Draws without any library. */
const DRAW = `import struct, zlib
from IPython.display import Image, JSON, display
def png(width, height, noise):
    import os
    raw = b"".join(b"\\0" + (os.urandom(width * 3) if noise else bytes([40, 90, 200]) * width) for _ in range(height))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
display(Image(data=png(64, 48, False)))`;

let fixture: McpFixture;
let agent: TestAgent;
beforeAll(async () => {
  fixture = await openMcp();
  agent = await fixture.agent({ name: 'tester' });
});
afterAll(() => fixture?.close());

/** The last line about a call of the tool that a condition holds for. */
async function lastCall(tool: string, holds: (call: AgentCall) => boolean = () => true): Promise<AgentCall> {
  const folder = path.join(fixture.profile, 'agents', 'sessions');
  return until(async () => {
    const [file] = await readdir(folder).catch(() => []);
    const text = file === undefined ? '' : await readFile(path.join(folder, file), 'utf8');
    // The last line may be half written.
    const lines = text.split('\n').slice(0, -1);
    const calls = lines.map((line) => (JSON.parse(line) as { call?: AgentCall }).call);
    return calls.findLast((call) => call?.tool === tool && holds(call));
  }, `a call of ${tool}`);
}

function cellsOf(call: AgentCall): CardCell[] {
  if (call.card.kind !== 'cells') throw new Error(`The card is ${call.card.kind}.`);
  return call.card.cells;
}

async function bytesAt(url: string | null | undefined, agentId: string): Promise<Buffer> {
  const [, host = '', id = ''] = /^artifact:\/\/([^/]+)\/(\d+)$/.exec(url ?? '') ?? [];
  const folder = cardFolder(fixture.profile, host, (each) => each === agentId);
  const artifact = folder === null ? null : await new ArtifactStore(folder).resolve(id);
  if (!artifact) throw new Error(`There is nothing at ${url}.`);
  return readFile(artifact.file);
}

test('a run of notebook cells shows images, JSON, events, time and the way to a long text', async () => {
  await fixture.notebook('shown.ipynb', [
    code('draw', DRAW),
    code('large', 'display(Image(data=png(640, 480, True)))'),
    code('json', 'display(JSON({"weeks": [1, 2]}))'),
    code('event', 'display({"application/x-xcsh-status": {"op": "read", "path": "x"}}, raw=True)'),
    code('print', 'for line in range(200000):\n    print("line", line)'),
    code('fail', '1 / 0'),
    code('never', '2'),
  ]);
  const answer = await agent.call('notebook_run', { notebook_path: 'shown.ipynb', select: 'all', timeout: 90 });
  expect(answer.isError).toBe(true);
  const call = await lastCall('notebook_run');
  const [draw, large, json, event, print, fail, never] = cellsOf(call);
  for (const cell of [draw, large]) {
    expect(cell?.images).toHaveLength(1);
    expect((await bytesAt(cell?.images[0]?.url, call.agentId)).subarray(1, 4).toString()).toBe('PNG');
  }
  expect(json?.json).toEqual([{ weeks: [1, 2] }]);
  expect(event?.statusEvents).toEqual([{ op: 'read', path: 'x' }]);
  expect(event?.text).toBe('');
  expect(print?.text.endsWith('line 199999\n')).toBe(true);
  expect(print?.truncation?.totalLines).toBe(200_000);
  expect((await bytesAt(print?.truncation?.artifactUrl, call.agentId)).toString('utf8')).toMatch(/^line 0\nline 1\n/);
  expect([draw, print, fail, never].map((cell) => cell?.status)).toEqual(['complete', 'complete', 'error', 'pending']);
  expect(fail?.text).toContain('ZeroDivisionError');
  expect(draw?.durationMs).toBeGreaterThan(0);
});

test('a python call shows its JSON, and the whole of a text that is longer than a card', async () => {
  await agent.call('python', {
    cells: [
      { title: 'values', code: 'from IPython.display import JSON, display\ndisplay(JSON({"a": 1}))\ndisplay(JSON([2]))' },
      { title: 'print', code: 'for line in range(2000):\n    print("line", line)' },
      { title: 'more', code: 'display(JSON({"b": 3}))' },
    ],
    timeout: 90,
  });
  const call = await lastCall('python');
  const [values, print, more] = cellsOf(call);
  expect(values?.json).toEqual([{ a: 1 }, [2]]);
  expect(more?.json).toEqual([{ b: 3 }]);
  expect(print?.truncation).toMatchObject({ totalLines: 2_000 });
  const whole = (await bytesAt(print?.truncation?.artifactUrl, call.agentId)).toString('utf8');
  expect(whole.split('\n')).toHaveLength(2_001);
  expect(whole.endsWith(print?.text.slice(-100) ?? '?')).toBe(true);
});

test('the session as a notebook is valid by nbformat, with images, errors and the whole of each text', async () => {
  await agent.call('python', { cells: [{ title: 'Draw', code: DRAW }, { code: 'print("before")\n1 / 0' }], timeout: 90 });
  await lastCall('python', ({ state }) => state === 'failed');
  const [restored] = await new TimelineFiles(path.join(fixture.profile, 'agents', 'sessions'), silentLog).restore();
  const text = await sessionNotebook(restored?.calls ?? [], (host) => cardFolder(fixture.profile, host, (id) => id === restored?.agent.id));
  const file = path.join(fixture.folder, 'session.ipynb');
  await writeFile(file, text);
  const check = 'import nbformat, sys\nnbformat.validate(nbformat.read(sys.argv[1], as_version=4))\nprint("valid")';
  const { stdout } = await promisify(execFile)(testPython(), ['-c', check, file]);
  expect(stdout.trim()).toBe('valid');
  const { cells } = JSON.parse(text) as { cells: { source: string[]; outputs?: Record<string, unknown>[] }[] };
  const outputsOf = (source: string) => cells.find((cell) => cell.source.join('').includes(source))?.outputs;
  const image = outputsOf('def png')?.find(({ output_type }) => output_type === 'display_data');
  expect(image?.data).toEqual({ 'image/png': expect.stringMatching(/^iVBOR/) });
  expect(outputsOf('1 / 0')).toMatchObject([
    { text: ['before\n'] },
    { output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' },
  ]);
  expect(JSON.stringify(outputsOf('range(2000)'))).toContain('line 0\\n');
});

test('the card of a call that did not wait for its run is brought to the run’s end', async () => {
  await fixture.notebook('long.ipynb', [code('wait', 'import time\ntime.sleep(3)\nprint("over")'), code('next', 'print("next")')]);
  const answer = await agent.structure<{ status: string }>('notebook_run', { notebook_path: 'long.ipynb', select: 'all', timeout: 0 });
  expect(answer.status).toBe('running');
  const call = await lastCall(
    'notebook_run',
    ({ card }) => card.kind === 'cells' && card.cells.every(({ status }) => status === 'complete'),
  );
  expect(cellsOf(call).map(({ text }) => text)).toEqual(['over\n', 'next\n']);
  expect(call).toMatchObject({ state: 'done', card: { summary: '' } });
});
