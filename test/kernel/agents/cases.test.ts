/**
 * Real-world troubles of agents with notebooks, as kinds: what was read goes stale, cells are run while they run, and several work at once. What happens in
 * documents alone is tried in test/unit/documents, and what a person does meanwhile in test/e2e/agents-mcp.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { code, type McpFixture, markdown, openMcp, type TestAgent, textOf, until } from './mcp-fixture.ts';

interface RunStructure {
  runId: string;
  status: string;
  cells: { index: number; status: string; output: string; outputsStale: boolean; executionCount: number | null }[];
  kernel: { state: string; generation: number };
}

let fixture: McpFixture;
let agent: TestAgent;
let other: TestAgent;

beforeAll(async () => {
  fixture = await openMcp();
  agent = await fixture.agent({ name: 'first' });
  other = await fixture.agent({ name: 'second' });
});
afterAll(() => fixture?.close());

async function sources(name: string): Promise<string[]> {
  return (await fixture.read(name)).cells.map(({ source }) => source.join(''));
}

/** A source that runs until the test lets it go on. */
function held(name: string, then: string): string {
  return `import os, time\nwhile not os.path.exists("${name}.go"): time.sleep(0.05)\n${then}`;
}

async function letGo(name: string): Promise<void> {
  await writeFile(path.join(fixture.folder, `${name}.go`), '');
}

/** Resolves when the first cell runs and so many others wait. */
async function running(notebook_path: string, queued = 0): Promise<void> {
  await until(async () => {
    const read = await agent.structure<{ cells: { status: string }[]; kernel: { queued: number } }>('notebook_read', { notebook_path });
    return read.cells[0]!.status === 'running' && read.kernel.queued >= queued;
  }, 'the run');
}

describe('places', () => {
  test('an inserted cell is told with its neighbours, and a place that is not said is asked for', async () => {
    const notebook_path = 'places.ipynb';
    await fixture.notebook(notebook_path, [markdown('t', '# T'), code('i', 'import os'), code('c', 'os.getcwd()')]);
    const insert = { notebook_path, action: 'insert', content: 'new' };
    const missing = await agent.call('notebook', insert);
    expect(textOf(missing)).toMatch(/^Error: .*cell_index is missing[\s\S]*0 to 3/);
    const text = await agent.text('notebook', { ...insert, cell_index: 2 });
    expect(text).toMatch(/between "i" and "c"/);
    expect(await sources(notebook_path)).toEqual(['# T', 'import os', 'new', 'os.getcwd()']);
  });

  test('five cells, each after the last one that was added, stand in that order', async () => {
    await fixture.notebook('series.ipynb', [code('a', 'a'), code('z', 'z')]);
    let place = 1;
    for (let step = 1; step <= 5; step += 1) {
      const { cellIndex } = await agent.structure<{ cellIndex: number }>('notebook', {
        notebook_path: 'series.ipynb',
        action: 'insert',
        cell_index: place,
        content: `s${step}`,
      });
      place = cellIndex + 1;
    }
    expect(await sources('series.ipynb')).toEqual(['a', 's1', 's2', 's3', 's4', 's5', 'z']);
  });

  test('an index that went stale between reading and writing is refused by the source that was read, with the outline', async () => {
    const notebook_path = 'stale-index.ipynb';
    await fixture.notebook(notebook_path, [code('a', 'one'), code('b', 'two')]);
    await agent.text('notebook_read', { notebook_path });
    await other.text('notebook', { notebook_path, action: 'insert', cell_index: 0, content: 'on top' });
    const edit = { notebook_path, action: 'edit', content: 'changed', expected_source: 'two' };
    const refused = await agent.call('notebook', { ...edit, cell_index: 1 });
    expect(textOf(refused)).toMatch(/^Error: [\s\S]*on top[\s\S]*two/);
    await agent.text('notebook', { ...edit, cell_id: 'b' });
    expect(await sources(notebook_path)).toEqual(['on top', 'one', 'changed']);
  });

  test('several indices at once are no index', async () => {
    await fixture.notebook(
      'several.ipynb',
      ['w', 'x', 'y', 'z'].map((source) => code(source, source)),
    );
    for (const cell_index of [[2, 2], [1, 3], 1.5, null]) {
      const refused = await agent.call('notebook', { notebook_path: 'several.ipynb', action: 'delete', cell_index });
      expect(textOf(refused), JSON.stringify(cell_index)).toMatch(/^Error: /);
    }
    expect(await sources('several.ipynb')).toEqual(['w', 'x', 'y', 'z']);
  });
});

describe('runs', () => {
  test('a source that another program wrote a moment ago is what runs', async () => {
    const file = await fixture.notebook('rewritten.ipynb', [code('a', 'v = 1; v')]);
    expect(await agent.text('notebook_run', { notebook_path: file, cell_id: 'a' })).toContain('| 1');
    await writeFile(file, (await readFile(file, 'utf8')).replace('v = 1; v', 'v = 22; v'));
    expect(await agent.text('notebook_run', { notebook_path: file, cell_id: 'a' })).toContain('| 22');
    expect(await sources('rewritten.ipynb')).toEqual(['v = 22; v']);
  });

  test('a cell that is edited and run again while it runs: each run has its own output', async () => {
    const notebook_path = 'set-and-run.ipynb';
    await fixture.notebook(notebook_path, [code('a', held('again', 'print("old")'))]);
    const run = (timeout: number) => agent.structure<RunStructure>('notebook_run', { notebook_path, cell_id: 'a', timeout });
    const old = await run(0);
    await running(notebook_path);
    await agent.text('notebook', { notebook_path, action: 'edit', cell_id: 'a', content: 'print("new")' });
    const second = run(90);
    await running(notebook_path, 1);
    await letGo('again');
    const fresh = await second;
    expect(fresh.runId).not.toBe(old.runId);
    expect(fresh).toMatchObject({ status: 'done', cells: [{ status: 'done', output: 'new', outputsStale: false }] });
    const { run: first } = await agent.structure<{ run: RunStructure }>('wait', { for: 'run', run_id: old.runId });
    expect(first.status).toBe('done');
    expect(first.cells[0]).toMatchObject({ output: 'old', outputsStale: true });
    expect(first.cells[0]!.executionCount).toBeLessThan(fresh.cells[0]!.executionCount!);
  });

  test('an edit while a cell runs leaves the output with the source that made it', async () => {
    const notebook_path = 'edited-running.ipynb';
    await fixture.notebook(notebook_path, [code('a', held('edited', 'print("old")'))]);
    const { runId } = await agent.structure<RunStructure>('notebook_run', { notebook_path, cell_id: 'a', timeout: 0 });
    await running(notebook_path);
    await agent.text('notebook', { notebook_path, action: 'edit', cell_id: 'a', content: 'print("new")' });
    await letGo('edited');
    const { run } = await agent.structure<{ run: RunStructure }>('wait', { for: 'run', run_id: runId });
    expect(run.cells[0]).toMatchObject({ output: 'old', outputsStale: true });
    expect(await agent.text('notebook_read', { notebook_path })).toContain('stale');
  });

  test('one cell three times at once: each call waits for its own run, and others may read meanwhile', async () => {
    const notebook_path = 'thrice.ipynb';
    await fixture.notebook(notebook_path, [code('a', 'import time\ntime.sleep(0.5)\nn = globals().get("n", 0) + 1\nn')]);
    const runs = [0, 1, 2].map(() => agent.structure<RunStructure>('notebook_run', { notebook_path, cell_id: 'a', timeout: 90 }));
    expect(await other.text('notebook_read', { notebook_path })).toContain('thrice.ipynb');
    const all = await Promise.all(runs);
    expect(all.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    const { cells } = await fixture.read(notebook_path);
    const last = cells[0]!.execution_count!;
    // Those that wait for the same turn share it, and nobody gets another run's output.
    for (const { cells: each } of all) expect(each[0]!.output).toBe(String(each[0]!.executionCount));
    expect(Math.max(...all.map((run) => run.cells[0]!.executionCount ?? 0))).toBe(last);
    expect(cells[0]!.outputs).toMatchObject([{ data: { 'text/plain': [String(last)] } }]);
  });

  test('an interrupt and a run of another cell back to back: the first ends, the second runs', async () => {
    const notebook_path = 'back-to-back.ipynb';
    await fixture.notebook(notebook_path, [code('loop', 'print("begun", flush=True)\nwhile True: pass'), code('b', '"ran"')]);
    const loop = agent.call('notebook_run', { notebook_path, cell_id: 'loop', timeout: 90 });
    await until(async () => (await agent.text('notebook_read', { notebook_path, cell_id: 'loop' })).includes('| begun'), 'the loop');
    const [, second] = await Promise.all([
      agent.text('kernel', { action: 'interrupt', notebook_path }),
      agent.structure<RunStructure>('notebook_run', { notebook_path, cell_id: 'b', timeout: 90 }),
    ]);
    expect(textOf(await loop)).toContain('KeyboardInterrupt');
    // Either it was asked for after the interrupt and ran, or before it and was dropped with it, which is said.
    expect(['done', 'cancelled']).toContain(second.status);
    expect(await agent.text('notebook_run', { notebook_path, cell_id: 'b', timeout: 90 })).toContain("| 'ran'");
  });

  test('a plot and a vector picture come as an image, and the text stays small', async () => {
    const notebook_path = 'plots.ipynb';
    const draw = `import struct, zlib
from IPython.display import Image, SVG, display
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\\0" + bytes((x * y) % 256 for x in range(1600)) for y in range(500))
png = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1600, 500, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
display(Image(png), SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">' + '<circle r="1"/>' * 5000 + '</svg>'))`;
    await fixture.notebook(notebook_path, [code('a', draw)]);
    const result = await agent.call('notebook_run', { notebook_path, cell_id: 'a', timeout: 90 });
    expect(textOf(result)).toContain('image');
    expect(textOf(result).length).toBeLessThan(2_000);
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(4_000);
    const images = result.content.filter((part) => part.type === 'image');
    expect(images.length).toBe(1);
  });

  test('after a restart the variables are gone, and every reply says that it is another kernel', async () => {
    const notebook_path = 'restarted.ipynb';
    await fixture.notebook(notebook_path, [code('a', 'q = 5'), code('b', 'q')]);
    const before = await agent.structure<RunStructure>('notebook_run', { notebook_path, cell_id: 'a' });
    expect(await agent.text('variables', { notebook_path })).toContain('q');
    await agent.text('kernel', { action: 'restart', notebook_path });
    const { variables, generation } = await agent.structure<{ variables: unknown[]; generation: number }>('variables', { notebook_path });
    expect(variables).toEqual([]);
    expect(generation).toBe(before.kernel.generation + 1);
    const after = await agent.structure<RunStructure>('notebook_run', { notebook_path, cell_id: 'b' });
    expect(after).toMatchObject({ status: 'failed', kernel: { generation } });
  });

  test('two who run cells of one notebook at once wait for each other; another notebook does not', async () => {
    await fixture.notebook('shared.ipynb', [code('slow', held('shared', '"slow"')), code('quick', '"quick"')]);
    await fixture.notebook('apart.ipynb', [code('a', '"apart"')]);
    await Promise.all(['shared.ipynb', 'apart.ipynb'].map((notebook_path) => agent.text('kernel', { action: 'restart', notebook_path })));
    const slow = agent.structure<RunStructure>('notebook_run', { notebook_path: 'shared.ipynb', cell_id: 'slow', timeout: 90 });
    await running('shared.ipynb');
    let slowIsOver = false;
    void slow.then(() => {
      slowIsOver = true;
    });
    const quick = other.structure<RunStructure>('notebook_run', { notebook_path: 'shared.ipynb', cell_id: 'quick', timeout: 90 });
    const apart = await other.text('notebook_run', { notebook_path: 'apart.ipynb', cell_id: 'a', timeout: 90 });
    expect(apart).toContain("| 'apart'");
    await running('shared.ipynb', 1);
    expect(slowIsOver).toBe(false);
    await letGo('shared');
    expect([(await slow).cells[0]!.output, (await quick).cells[0]!.output]).toEqual(["'slow'", "'quick'"]);
  });
});

test('outputs that can’t be saved make an error of the answer, and are told all the same', async () => {
  const place = 'import os\nos.remove("unsaved.ipynb")\nos.mkdir("unsaved.ipynb")\nprint("ran")';
  await fixture.notebook('unsaved.ipynb', [code('a', place)]);
  const answer = await agent.call('notebook_run', { notebook_path: 'unsaved.ipynb', cell_id: 'a' });
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toMatch(/^Error: could not save the outputs\. Ran 1 cell /);
  expect(textOf(answer)).toMatch(/^\| ran$/m);
  expect(answer.structuredContent).toMatchObject({ status: 'done', saveFailure: expect.stringContaining('unsaved.ipynb') });
});
