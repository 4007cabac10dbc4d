/**
 * Documents in figures: opening a 50 MB notebook against `JSON.parse` of it, memory, one edit of a closed file against a copy with fsync, how
 * long the event loop is held, and how soon a keystroke is in the journal while documents are at work. Ratios of one run hold better than times;
 * nothing here passes or fails.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { applyToDocument, documentView } from '../../main/documents/document-edits.ts';
import { DocumentStore } from '../../main/documents/document-store.ts';
import { planEdit } from '../../main/documents/edits.ts';
import { JOURNAL_FILE } from '../../main/documents/journal/journal-file.ts';
import { Journals } from '../../main/documents/journal/journals.ts';
import type { NotebookDocument } from '../../main/documents/notebook-document.ts';
import { openNotebook } from '../../main/documents/open.ts';
import { silentLog } from '../../main/log/log.ts';
import { cellMap, setSource } from '../../preload/notebook-model.ts';
import { median, printTable, ratio } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'cellwright-bench-'));
const ROUNDS = 7;
/** When the files were last written, as far as their times say. */
const EARLIER = new Date(Date.now() - 3_600_000);

/** Images, printed lines and markdown in equal parts, as measured notebooks have them. */
function notebookText(bytes: number, cellBytes: number): string {
  const cells: unknown[] = [];
  const image = Buffer.from(
    Array.from({ length: Math.ceil(cellBytes * 0.375) }, (_value, index) => (index * 197 + (index >> 5)) & 255),
  ).toString('base64');
  for (let written = 0, index = 0; written < bytes; written += cellBytes, index += 1) {
    const lines = Array.from(
      { length: Math.ceil(cellBytes / 160) },
      (_value, line) => `epoch ${line} of ${index}: loss ${(line / 7).toFixed(6)} \u001b[32mé\u001b[0m\n`,
    );
    const outputs = [
      { name: 'stdout', output_type: 'stream', text: lines },
      { data: { 'image/png': image, 'text/plain': ['<Figure size 640x480 with 1 Axes>'] }, metadata: {}, output_type: 'display_data' },
    ];
    cells.push({
      cell_type: 'code',
      execution_count: index,
      id: `code-${index}`,
      metadata: {},
      outputs,
      source: ['import x\n', `plot(${index})`],
    });
    cells.push({ cell_type: 'markdown', id: `text-${index}`, metadata: {}, source: [`## Part ${index}\n`, 'What it shows.'] });
  }
  return `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

async function medianTime(run: () => Promise<unknown> | unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return median(times);
}

const rows: string[][] = [];

function row(name: string, value: string, note = ''): void {
  rows.push([name, value, note]);
}

const ms = (time: number): string => `${time.toFixed(time < 10 ? 1 : 0)} ms`;

/** Longest time in milliseconds that the event loop was held while `run` went on. */
async function longestBlock(run: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.enable();
  await run();
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return delay.max / 1e6;
}

/** Copies through a buffer with fsync, the least that any program does that rewrites a file safely. */
async function copyWithSync(from: string, to: string): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'w');
  const buffer = Buffer.allocUnsafeSlow(4_000_000);
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    await target.write(buffer, 0, bytesRead);
  }
  await target.sync();
  await source.close();
  await target.close();
}

/** As the `notebook` tool edits a notebook that nobody has open. */
async function editFile(path: string, content: string): Promise<void> {
  const store = new DocumentStore();
  const document = await store.open(path);
  const plan = planEdit(documentView(document), { action: 'edit', cell_index: 20, content });
  applyToDocument(document, plan.edit, 'agent');
  await document.save();
  store.close(document.id);
}

/** Median milliseconds of nbformat reading, editing and writing the same file; null without nbformat. */
function pythonTime(path: string): number | null {
  const python = process.env.CELLWRIGHT_TEST_PYTHON;
  if (!python) return null;
  const script = `
import sys, time, nbformat
times = []
for _ in range(3):
    start = time.perf_counter()
    notebook = nbformat.read(sys.argv[1], as_version=nbformat.NO_CONVERT)
    notebook.cells[20].source = "changed"
    nbformat.write(notebook, sys.argv[1] + ".py")
    times.append(time.perf_counter() - start)
print(sorted(times)[1] * 1000)
`;
  try {
    return Number(execFileSync(python, ['-c', script, path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return null;
  }
}

/** Memory in use after everything that can be freed was: buffers go only some time after the objects that held them. */
async function heldMegabytes(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    globalThis.gc?.();
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + Math.max(external, arrayBuffers)) / 1e6;
}

async function opening(path: string): Promise<void> {
  const parse = await medianTime(() => JSON.parse(readFileSync(path, 'utf8')));
  const bare = await medianTime(() => openNotebook(path));
  const openTime = await medianTime(async () => {
    const store = new DocumentStore();
    const document = await store.open(path);
    document
      .keys()
      .slice(0, 20)
      .map((key) => document.cell(key));
    store.close(document.id);
  });
  row('open 50 MB: JSON.parse of the file', ms(parse));
  row('open 50 MB: read and check with spans', ms(bare), `${ratio(bare, parse)} JSON.parse`);
  row(
    'open 50 MB: live document to its first cells',
    ms(openTime),
    `${ratio(openTime, parse)} JSON.parse, ${(openTime - parse).toFixed(0)} ms more`,
  );
  row('open 50 MB: longest hold of the event loop', ms(await longestBlock(() => new DocumentStore().open(path))));
}

/** To be called first: what earlier measurements left behind is freed at no known time. */
async function memory(path: string): Promise<void> {
  const before = await heldMegabytes();
  const parsed: unknown[] = [JSON.parse(readFileSync(path, 'utf8'))];
  const parsedMegabytes = (await heldMegabytes()) - before;
  if (parsed.pop() === undefined) throw new Error('nothing parsed');
  const again = await heldMegabytes();
  const store = new DocumentStore();
  const document = await store.open(path);
  const held = (await heldMegabytes()) - again;
  row('memory: JSON.parse of the file', `${parsedMegabytes.toFixed(0)} MB`);
  row('memory: live document', `${held.toFixed(0)} MB`, `${ratio(held, parsedMegabytes)} JSON.parse (${document.keys().length} cells)`);
  store.close(document.id);
}

async function editToFile(path: string): Promise<void> {
  const copy = await medianTime(() => copyWithSync(path, join(folder, 'copy')));
  let round = 0;
  const edit = await medianTime(async () => {
    round += 1;
    // As a file is that was not written in this moment: of one that was, a save has to compare every byte.
    await utimes(path, EARLIER, EARLIER);
    await editFile(path, `changed ${round}`);
  });
  row('edit one cell of 50 MB: copy with fsync', ms(copy));
  row('edit one cell of 50 MB: open, edit, save, close', ms(edit), `${ratio(edit, copy)} copy with fsync`);
  const python = pythonTime(path);
  if (python !== null) row('edit one cell of 50 MB: nbformat read and write', ms(python), `${ratio(python, edit)} ours`);
}

async function saveLive(path: string, cells: string): Promise<void> {
  const document = await new DocumentStore().open(path);
  const key = document.keys()[10]!;
  let round = 0;
  const change = (): void => {
    round += 1;
    setSource(document.ydoc, key, `changed ${round}`);
  };
  const save = await medianTime(async () => {
    change();
    await document.save();
  });
  change();
  const block = await longestBlock(() => document.save());
  row(`save after one edit, ${cells}`, ms(save), `event loop held for at most ${block.toFixed(1)} ms`);
  if (cellMap(document.ydoc).size === 0) throw new Error('no cells');
}

/** Words typed every 50 ms until `work` is done; the longest time in milliseconds until one of them was in the journal's file. */
async function longestToJournal(journals: string, document: NotebookDocument, work: () => Promise<unknown>): Promise<number> {
  const typed = new Map<string, number>();
  let longest = 0;
  let text = `# ${performance.now()} `;
  let isWorking = true;
  const look = async (): Promise<void> => {
    const folders = await readdir(journals).catch(() => []);
    const texts = await Promise.all(folders.map((name) => readFile(join(journals, name, JOURNAL_FILE), 'utf8').catch(() => '')));
    for (const [word, at] of typed) {
      if (!texts.some((one) => one.includes(word))) continue;
      longest = Math.max(longest, performance.now() - at);
      typed.delete(word);
    }
  };
  const typing = (async (): Promise<void> => {
    for (let number = 0; isWorking || typed.size > 0; number += 1) {
      if (isWorking) {
        const word = `w${number}w `;
        text += word;
        typed.set(word, performance.now());
        setSource(document.ydoc, document.keys()[0]!, text);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      await look();
    }
  })();
  await work();
  isWorking = false;
  await typing;
  return longest;
}

/** A small notebook is typed in while others are worked on; at most a second of it may be lost at any time. */
async function journal(large: string, many: string): Promise<void> {
  const journals = join(folder, 'journals');
  const store = new DocumentStore({ journals: new Journals({ folder: journals, log: silentLog }) });
  const small = join(folder, 'small.ipynb');
  writeFileSync(small, notebookText(2_000, 1_000));
  const typedIn = await store.open(small);
  const lasting = (count: number, work: () => Promise<unknown>) => async (): Promise<void> => {
    for (let round = 0; round < count; round += 1) await work();
  };
  const opening = async (): Promise<void> => store.close((await store.open(large)).id);
  const largeOne = await store.open(large);
  const saving = async (): Promise<void> => {
    setSource(largeOne.ydoc, largeOne.keys()[10]!, `changed ${performance.now()}`);
    await largeOne.save();
  };
  const manyOne = await store.open(many);
  // Made beforehand, as the other program's work is none of main's.
  const versions = ['y', 'z'].map((name) => Buffer.from(readFileSync(many, 'utf8').replaceAll('"import x\\n"', `"import ${name}\\n"`)));
  let version = 0;
  const takingIn = async (): Promise<void> => {
    version += 1;
    await writeFile(many, versions[version % 2]!);
    await manyOne.checkDisk();
  };
  const works: [string, () => Promise<unknown>][] = [
    ['nothing else goes on', () => new Promise((resolve) => setTimeout(resolve, 2_000))],
    ['50 MB are opened', lasting(10, opening)],
    ['50 MB are saved', lasting(10, saving)],
    ['10,000 cells changed outside', lasting(3, takingIn)],
  ];
  for (const [what, work] of works) {
    let toDisk = 0;
    const block = await longestBlock(async () => {
      toDisk = await longestToJournal(journals, typedIn, work);
    });
    row(`keystroke to its journal while ${what}: longest`, ms(toDisk), `event loop held for at most ${block.toFixed(1)} ms`);
  }
}

try {
  const large = join(folder, 'large.ipynb');
  writeFileSync(large, notebookText(50_000_000, 100_000));
  const many = join(folder, 'many.ipynb');
  writeFileSync(many, notebookText(5_000_000, 1_000));
  await memory(large);
  await opening(large);
  await editToFile(large);
  await saveLive(large, '50 MB');
  await saveLive(many, '10,000 cells');
  await journal(large, many);
  printTable(['documents', 'median', ''], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
