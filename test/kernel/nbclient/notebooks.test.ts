/**
 * All notebooks of nbclient's own test suite through the core of `cellwright run`: the outputs that are stored in them are what running them
 * must give. Where one asks for what this program doesn't have, its test says so and what happens instead.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CellProgress, EXIT, type NotebookRunEnd, runNotebook } from '../../../main/cli/run-notebook.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { pythonSpec } from '../execution/session-fixture.ts';
import { type FileOutput, normalised } from './normalise.ts';

const FILES = fileURLToPath(new URL('../../fixtures/nbclient/tests/files/', import.meta.url));

interface FileCell {
  cell_type: string;
  execution_count?: number | null;
  outputs?: FileOutput[];
  metadata: Record<string, unknown>;
}
interface File {
  cells: FileCell[];
  metadata: Record<string, unknown>;
}

let kernels: KernelManager;
let folder: string;
const tried = new Set<string>();

beforeAll(async () => {
  const entry = await buildHostEntry();
  folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-nbclient-'));
  kernels = new KernelManager({ spawnHost: () => forkHost(entry), runtimeFolder: path.join(folder, 'runtime') });
});
afterAll(async () => {
  await kernels.close();
  await rm(folder, { recursive: true, force: true });
});

/** An output in a widget's state. */
interface Taken {
  text?: string;
  ename?: string;
  data?: Record<string, string>;
}

interface Options {
  timeoutMs?: number;
  allowErrors?: boolean;
  env?: Record<string, string>;
}

/** Runs a notebook from a clean start and saves it elsewhere. */
async function run(name: string, options: Options = {}): Promise<NotebookRunEnd & { before: File; after: File; progress: CellProgress[] }> {
  tried.add(name);
  const progress: CellProgress[] = [];
  const store = new DocumentStore();
  const document = await store.open(path.join(FILES, name));
  document.clearOutputs(document.keys());
  const end = await runNotebook({
    document,
    kernels,
    // nbclient's tests fix the size of the terminal, which IPython draws its tracebacks by.
    chooseSpec: async () => ({ spec: { ...pythonSpec(), env: { COLUMNS: '80', LINES: '24', ...options.env } }, note: null }),
    folder: FILES,
    artifactFolder: path.join(folder, 'artifacts'),
    timeoutMs: options.timeoutMs ?? null,
    allowErrors: options.allowErrors ?? false,
    signal: new AbortController().signal,
    onProgress: (item) => progress.push(item),
  });
  const saved = path.join(folder, name);
  await document.saveAs(saved);
  store.close(document.id);
  return { ...end, before: await read(path.join(FILES, name)), after: await read(saved), progress };
}

async function read(file: string): Promise<File> {
  return JSON.parse(await readFile(file, 'utf8')) as File;
}

function results(file: File): { outputs: FileOutput[]; count: number | null }[] {
  return file.cells.map(({ outputs = [], execution_count: count = null }) => ({ outputs: outputs.map(normalised), count }));
}

describe('gives the stored outputs and counts', () => {
  it.each<[string, Options?]>([
    ['Check History in Memory.ipynb'],
    ['Clear Output.ipynb'],
    ['Empty Cell.ipynb'],
    ['Factorials.ipynb'],
    ['HelloWorld.ipynb'],
    ['Inline Image.ipynb'],
    ['Interrupt.ipynb', { timeoutMs: 3_000, allowErrors: true }],
    ['JupyterWidgets.ipynb'],
    ['Other Comms.ipynb'],
    ['SVG.ipynb'],
    ['Skip Exceptions with Cell Tags.ipynb'],
    ['Skip Exceptions.ipynb', { allowErrors: true }],
    ['Skip Execution with Cell Tag.ipynb'],
    ['Unicode.ipynb'],
    ['UnicodePy3.ipynb'],
    ['update-display-id.ipynb'],
  ])('%s', async (name, options) => {
    const { code, before, after } = await run(name, options);
    expect(results(after)).toEqual(results(before));
    expect(code).toBe(options?.timeoutMs ? EXIT.timeout : EXIT.ok);
    expect(after.metadata.language_info).toMatchObject({ name: 'python' });
  });
});

describe('ends as it must', () => {
  it('Error.ipynb: the error is stored, and the exit code says it', async () => {
    const { code, message, before, after } = await run('Error.ipynb');
    expect(results(after)).toEqual(results(before));
    expect({ code, message }).toEqual({ code: EXIT.cellFailed, message: 'Cell 1 failed: ZeroDivisionError: division by zero' });
  });

  it('Skip Exceptions.ipynb: without leave to fail, the second cell is not run', async () => {
    const { code, after } = await run('Skip Exceptions.ipynb');
    expect(code).toBe(EXIT.cellFailed);
    expect(results(after)[0]!.outputs[0]).toMatchObject({ output_type: 'error', ename: 'Exception', evalue: 'message' });
    expect(results(after)[1]).toEqual({ outputs: [], count: null });
  });

  it('Disable Stdin.ipynb: input is refused by the kernel itself', async () => {
    const { code, after } = await run('Disable Stdin.ipynb');
    expect(code).toBe(EXIT.cellFailed);
    expect(results(after)[0]!.outputs).toHaveLength(1);
    expect(results(after)[0]!.outputs[0]).toMatchObject({
      output_type: 'error',
      ename: 'StdinNotImplementedError',
      evalue: 'raw_input was called, but this frontend does not support input requests.',
    });
  });

  it('Interrupt.ipynb: without leave to fail, the limit ends the run and keeps the traceback', async () => {
    const { code, message, after } = await run('Interrupt.ipynb', { timeoutMs: 1_000 });
    expect({ code, message }).toEqual({ code: EXIT.timeout, message: 'Cell 1 took longer than 1 seconds.' });
    expect(results(after)[0]!.outputs[0]).toMatchObject({ ename: 'KeyboardInterrupt' });
    expect(results(after)[1]).toEqual({ outputs: [], count: null });
  });

  it('Autokill.ipynb: the kernel’s death ends the run at once and is named', async () => {
    const { code, message, before, after } = await run('Autokill.ipynb');
    expect(code).toBe(EXIT.kernel);
    expect(message).toContain('signal 15');
    // The count comes with execute_input, before the death.
    expect(results(after).map(({ outputs }) => outputs)).toEqual(results(before).map(({ outputs }) => outputs));
  });

  it('Parallel Execute A.ipynb and B.ipynb: run at the same time and meet', async () => {
    const env = { NBEXECUTE_TEST_PARALLEL_TMPDIR: folder };
    const runs = await Promise.all([run('Parallel Execute A.ipynb', { env }), run('Parallel Execute B.ipynb', { env })]);
    for (const { code, before, after } of runs) {
      expect(code).toBe(EXIT.ok);
      // Stored without counts, since nbclient runs them in this test only.
      expect(results(after).map(({ outputs }) => outputs)).toEqual(results(before).map(({ outputs }) => outputs));
    }
  });
});

describe('Output.ipynb', () => {
  /** A widget at the end of a cell was a display of its own before ipywidgets 8, and is the cell's result since. */
  const ofAnyVersion = ({ execution_count: _count, ...output }: FileOutput): FileOutput =>
    output.output_type === 'execute_result' ? { ...output, output_type: 'display_data' } : output;

  it('Output widgets take in what is printed in them, and the notebook keeps it with their state', async () => {
    const { code, before, after } = await run('Output.ipynb');
    expect(code).toBe(EXIT.ok);
    const cells = (file: File) => results(file).map(({ outputs, count }) => ({ outputs: outputs.map(ofAnyVersion), count }));
    expect(cells(after)).toEqual(cells(before));
    const { widgets } = after.metadata as { widgets: Record<string, { state: Record<string, { state: { outputs?: Taken[] } }> }> };
    const models = Object.values(widgets['application/vnd.jupyter.widget-state+json']!.state);
    const taken = models.flatMap(({ state: { outputs } }) =>
      outputs && outputs.length > 0 ? [outputs.map(({ text, ename, data }) => text ?? ename ?? data?.['text/plain'])] : [],
    );
    expect(taken.sort()).toEqual([
      ["'hello world'"],
      ['in inner\nalso in inner\n'],
      ['in outer\n'],
      ['in output\n', 'ValueError'],
      ['in output2\n'],
      ['world\n'],
    ]);
  });
});

describe('what this program does not have', () => {
  it('Sleep1s.ipynb asks for execution times in the cells’ metadata: they are told, not stored', async () => {
    const { code, after, progress } = await run('Sleep1s.ipynb');
    expect(code).toBe(EXIT.ok);
    const [, , begin, end] = results(after).map(({ outputs }) => Date.parse(String(outputs[0]?.text)));
    expect(after.cells.every(({ metadata }) => metadata.execution === undefined)).toBe(true);
    // The whole second of the sleep is in the time that was told, which in turn is what the cells saw, but for some overhead.
    const told = progress.find(({ place, state }) => place === 2 && state === 'done')!.durationMs!;
    expect(told).toBeGreaterThanOrEqual(end! - begin! - 1);
  });

  it('JupyterWidgets.ipynb asks for the widgets’ state in the notebook’s metadata: it is left as it was', async () => {
    const { before, after } = await run('JupyterWidgets.ipynb');
    expect(after.metadata.widgets).toEqual(before.metadata.widgets);
  });
});

it('tried every notebook there is', async () => {
  const names = (await readdir(FILES)).filter((name) => name.endsWith('.ipynb'));
  expect([...tried].sort()).toEqual(names.sort());
  expect(names).toHaveLength(23);
});
