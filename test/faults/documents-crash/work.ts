/**
 * What the process that is going to be killed does with a notebook: types, adds, moves and deletes cells, runs and saves, in an order drawn from a
 * seed. Each step is one moment: what a crash leaves must be the state after one of them, whole.
 */
import { createHash } from 'node:crypto';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { NotebookSaveError } from '../../../main/documents/errors.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { cellFields, cellMap, deleteCells, insertCells, moveCell, setCellType, setSource } from '../../../preload/notebook-model.ts';
import type { Random } from '../kernels/random.ts';

export type Kind = 'typing' | 'running' | 'saving' | 'untitled' | 'everything' | 'large';

export const KINDS: readonly Kind[] = ['typing', 'running', 'saving', 'untitled', 'everything', 'large'];

/** How often each kind does what; the rest is typing. */
const SHARES: Record<Kind, { cells: number; runs: number; saves: number }> = {
  typing: { cells: 0, runs: 0, saves: 0 },
  running: { cells: 0, runs: 0.7, saves: 0 },
  saving: { cells: 0.1, runs: 0.1, saves: 0.3 },
  untitled: { cells: 0.2, runs: 0.2, saves: 0 },
  everything: { cells: 0.25, runs: 0.25, saves: 0.1 },
  large: { cells: 0.05, runs: 0.2, saves: 0.1 },
};

/** The notebook as a person would compare it: one text per state. */
export function stateOf(document: NotebookDocument): string {
  return JSON.stringify(
    document.keys().map((key) => {
      const { type, source, metadata } = cellFields(document.ydoc, key);
      return [type, source, metadata, type === 'code' ? [document.executionCount(key), outputTexts(document, key)] : null];
    }),
  );
}

function outputTexts(document: NotebookDocument, key: string): unknown[] {
  return document.outputs(key).map((output) => {
    const text = output.type === 'stream' ? output.text : output.type === 'error' ? output.ename : JSON.stringify(output.data);
    return text.length < 200 ? text : createHash('sha1').update(text).digest('hex');
  });
}

/** The state of the file itself. Throws when it is no whole notebook. */
export async function stateOnDisk(path: string): Promise<string> {
  const store = new DocumentStore();
  const document = await store.open(path);
  const state = stateOf(document);
  store.close(document.id);
  return state;
}

/** Takes one step; a save goes on in the background like a person's, and `onSaved` is told the state that it began with. */
export function step(document: NotebookDocument, number: number, kind: Kind, random: Random, onSaved: (state: string) => void): void {
  const { cells, runs, saves } = SHARES[kind];
  const share = random.next();
  if (share < saves) save(document, onSaved);
  else if (share < saves + runs) run(document, number, random);
  else if (share < saves + runs + cells) arrange(document, number, random);
  else type(document, number, random);
}

function save(document: NotebookDocument, onSaved: (state: string) => void): void {
  if (document.saving || document.path === null) return;
  const state = stateOf(document);
  document.save().then(
    () => onSaved(state),
    (error: unknown) => {
      if (!(error instanceof NotebookSaveError)) throw error;
    },
  );
}

function type(document: NotebookDocument, number: number, random: Random): void {
  const key = random.pick(document.keys());
  const { source } = cellFields(document.ydoc, key);
  const at = random.between(0, source.length);
  const removed = random.next() < 0.2 ? random.between(0, Math.min(5, source.length - at)) : 0;
  setSource(
    document.ydoc,
    key,
    `${source.slice(0, at)}${random.pick(['x', 'é', '\n', '"\\', '\u2028'])}${number}${source.slice(at + removed)}`,
  );
}

function run(document: NotebookDocument, number: number, random: Random): void {
  const code = document.keys().filter((key) => cellFields(document.ydoc, key).type === 'code');
  if (code.length === 0) return;
  const key = random.pick(code);
  if (document.outputCount(key) === 0 || random.next() < 0.3) {
    document.beginRun(key, cellFields(document.ydoc, key).source);
    document.setExecutionCount(key, number);
  }
  const outputs = document.outputs(key);
  const last = outputs.at(-1);
  if (last?.type === 'stream' && random.next() < 0.6) {
    const at = random.between(0, last.text.length);
    document.applyOutputs(key, [{ op: 'text', index: outputs.length - 1, at, remove: 0, insert: `line ${number}\n` }]);
  } else if (outputs.length > 0 && random.next() < 0.2) {
    const data = { 'image/png': 'A'.repeat(random.between(1, 20_000)) };
    const output = { type: 'display_data', data, metadata: {}, executionCount: null } as const;
    document.applyOutputs(key, [{ op: 'replace', index: random.between(0, outputs.length - 1), output }]);
  } else document.applyOutputs(key, [{ op: 'append', output: { type: 'stream', name: 'stdout', text: `line ${number}\n` } }]);
}

function arrange(document: NotebookDocument, number: number, random: Random): void {
  const { ydoc } = document;
  const keys = document.keys();
  const place = random.between(0, keys.length - 1);
  const action = random.next();
  if (action < 0.4) {
    const fields = {
      key: `new-${number}-${random.between(0, 1e9)}`,
      id: null,
      type: 'code',
      source: `new ${number}`,
      metadata: { n: number },
    } as const;
    insertCells(ydoc, place, [fields]);
  } else if (action < 0.6 && keys.length > 3) deleteCells(ydoc, [keys[place]!]);
  else if (action < 0.8) moveCell(ydoc, keys[place]!, random.between(0, keys.length - 1));
  else setCellType(ydoc, keys[place]!, cellMap(ydoc).get(keys[place]!)!.get('type') === 'code' ? 'markdown' : 'code');
}
