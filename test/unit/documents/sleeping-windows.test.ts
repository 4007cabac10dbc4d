/**
 * Windows that sleep while others work, and wake to a long queue: real replicas and a real document, between them the messages as they lie in the
 * pipes of sleeping processes. Every word that is typed is one of a kind, so that a lost one and a doubled one both show.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { documentState } from '../../../main/window/document-view.ts';
import type { Bridge, KernelView } from '../../../preload/contract.ts';
import { cellMap, deleteCells, insertCells, moveCell, setCellType, setSource, sourceText } from '../../../preload/notebook-model.ts';
import { NotebookClient } from '../../../renderer/notebook/notebook-client.ts';
import { code, markdown, notebook, saveCode, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

const KERNEL: KernelView = {
  state: 'none',
  name: '',
  kernelspecName: null,
  language: 'python',
  generation: 0,
  message: null,
  detail: null,
  queued: 0,
};

type Listener = (payload: { docId: string; update: Uint8Array }) => void;

/** A window and the pipe between it and main. What is on its way in either direction waits until it is delivered, in order. */
class Window {
  readonly client: NotebookClient;
  readonly #document: NotebookDocument;
  readonly #toMain: Uint8Array[] = [];
  readonly #toWindow: Uint8Array[] = [];
  #hear: Listener = () => undefined;
  isAsleep = false;

  constructor(document: NotebookDocument) {
    this.#document = document;
    document.on('update', (update, origin) => {
      if (origin !== this) this.#toWindow.push(update);
    });
    const bridge = {
      call: () => Promise.reject(new Error('nothing is asked here')),
      post: (_name: string, { update }: { update: Uint8Array }) => void this.#toMain.push(update),
      on: (name: string, listener: (payload: never) => void) => {
        if (name === 'doc.update') this.#hear = listener as Listener;
        return () => undefined;
      },
      pathOfFile: () => '',
    } as unknown as Bridge;
    const update = Y.encodeStateAsUpdate(document.ydoc);
    this.client = new NotebookClient(bridge, { document: documentState(document), update, runs: {}, kernel: KERNEL, outputCounts: {} });
  }

  /** Main hears what the window sent before it fell asleep; a sleeping window hears nothing. */
  deliver(most: number): void {
    for (const update of this.#toMain.splice(0, most)) this.#document.applyUpdate(update, this);
    if (this.isAsleep) return;
    for (const update of this.#toWindow.splice(0, most)) this.#hear({ docId: this.#document.id, update });
  }

  get isCurrent(): boolean {
    return this.#toMain.length + this.#toWindow.length === 0;
  }
}

const step = fc.record({
  what: fc.constantFrom(
    'type',
    'type',
    'type',
    'insert',
    'delete',
    'move',
    'retype',
    'deliver',
    'sleep',
    'wake',
    'agent',
    'outside',
    'save',
    'join',
  ),
  who: fc.nat({ max: 9 }),
  at: fc.nat(),
  to: fc.nat(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const FIRST = ['one', 'two', 'three', 'four'];
const stored = (sources: readonly string[]): string =>
  usual(
    notebook(
      sources.map((source, index) => (index === 1 ? markdown : code)([source], { id: `c${index}` })),
      { nbformat_minor: 5 },
    ),
  );

/** Everything that happens in one notebook's life, with the words that were typed and the cell that each went into. */
class Life {
  readonly document: NotebookDocument;
  readonly windows: Window[];
  readonly words: { word: string; key: string }[] = [];
  #count = 0;

  constructor(document: NotebookDocument) {
    this.document = document;
    this.windows = [new Window(document), new Window(document), new Window(document)];
  }

  #word(key: string): string {
    this.#count += 1;
    const word = `«${this.#count}»`;
    this.words.push({ word, key });
    return word;
  }

  async happen({ what, who, at, to }: Step): Promise<void> {
    const window = this.windows[who % this.windows.length]!;
    const { client } = window;
    const key = client.keys[at % Math.max(1, client.keys.length)];
    if (what === 'deliver') window.deliver(1 + (to % 4));
    else if (what === 'sleep') window.isAsleep = true;
    else if (what === 'wake') window.isAsleep = false;
    else if (what === 'join' && this.windows.length < 6) this.windows.push(new Window(this.document));
    else if (what === 'save') expect(await saveCode(this.document)).toBe('saved');
    else if (what === 'agent') this.#agent(at);
    else if (what === 'outside') await this.#outside();
    else if (!window.isAsleep) this.#person(what, client, key, at, to);
  }

  /** By the window's present view, however old it is. */
  #person(what: Step['what'], { ydoc, origin, keys }: NotebookClient, key: string | undefined, at: number, to: number): void {
    if (what === 'insert') {
      const added = `new-${this.#count}`;
      insertCells(ydoc, at % (keys.length + 1), [{ key: added, id: null, type: 'code', source: this.#word(added), metadata: {} }], origin);
    }
    if (key === undefined) return;
    const text = sourceText(cellMap(ydoc).get(key)!);
    if (what === 'type') ydoc.transact(() => text.insert(wordBorder(text.toString(), to), this.#word(key)), origin);
    if (what === 'delete' && keys.length > 2) deleteCells(ydoc, [key], origin);
    if (what === 'move') moveCell(ydoc, key, to % keys.length, origin);
    if (what === 'retype') setCellType(ydoc, key, to % 2 ? 'code' : 'markdown', origin);
  }

  #agent(at: number): void {
    const keys = this.document.keys();
    const key = keys[at % Math.max(1, keys.length)];
    if (key !== undefined) setSource(this.document.ydoc, key, `${this.document.cell(key)!.source}${this.#word(key)}`, 'agent');
  }

  /** Another program adds a cell to the file as it is. */
  async #outside(): Promise<void> {
    const json = folder.json();
    this.#count += 1;
    json.cells.push(code([`outside ${this.#count}`], { id: `outside-${this.#count}` }));
    folder.write('a.ipynb', usual(json));
    await this.document.checkDisk();
  }

  /** Everybody is awake and has heard everything, also main's answers to what they said. */
  settle(): void {
    for (const window of this.windows) window.isAsleep = false;
    while (this.windows.some((window) => !window.isCurrent)) for (const window of this.windows) window.deliver(1_000);
  }
}

/** A place between words: a person never types into another's word here. */
function wordBorder(text: string, at: number): number {
  const borders = [0, text.length, ...[...text.matchAll(/»/g)].map(({ index }) => index + 1)];
  return borders[at % borders.length]!;
}

function shown(ydoc: Y.Doc, keys: readonly string[]): unknown {
  return keys.map((key) => [key, cellMap(ydoc).get(key)!.toJSON()]);
}

it('windows that slept end equal to main, with every cell once and every word once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      folder.write('a.ipynb', stored(FIRST));
      const life = new Life(await new DocumentStore().open(folder.path('a.ipynb')));
      for (const each of steps) await life.happen(each);
      life.settle();
      const { document, windows, words } = life;
      const all = shown(document.ydoc, document.keys());
      for (const { client } of windows) expect(shown(client.ydoc, client.keys)).toEqual(all);
      const left = new Set(document.keys());
      const texts = document.keys().map((key) => document.cell(key)!.source);
      for (const { word, key } of words) {
        const cells = document.keys().filter((_key, index) => texts[index]!.includes(word));
        expect([word, cells]).toEqual([word, left.has(key) ? [key] : []]);
        expect(texts.join('').split(word).length - 1).toBe(left.has(key) ? 1 : 0);
      }
      expect(await saveCode(document)).toBe('saved');
      const { cells } = folder.json();
      expect(cells.map(({ source }) => [source].flat().join(''))).toEqual(texts);
      expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
      await document.close();
    }),
    { numRuns: 60 },
  );
}, 120_000);

it('a window that slept through thousands of edits has them all in the order they have in main, and its own last words too', async () => {
  const document = await folder.open(stored(FIRST));
  const [sleeper, other] = [new Window(document), new Window(document)];
  const [first] = sleeper.client.keys as [string];
  setSource(sleeper.client.ydoc, first, 'one, typed just before the lid was closed', sleeper.client.origin);
  sleeper.isAsleep = true;
  for (let round = 0; round < 3_000; round += 1) {
    const key = other.client.keys[round % other.client.keys.length]!;
    setSource(other.client.ydoc, key, `${other.client.source(key)}.`, other.client.origin);
    if (round % 300 === 0)
      insertCells(other.client.ydoc, 0, [{ key: `k${round}`, id: null, type: 'code', source: '', metadata: {} }], other.client.origin);
    other.deliver(10);
  }
  sleeper.isAsleep = false;
  while (!(sleeper.isCurrent && other.isCurrent)) {
    sleeper.deliver(10_000);
    other.deliver(10_000);
  }
  expect(sleeper.client.keys).toHaveLength(14);
  expect(shown(sleeper.client.ydoc, sleeper.client.keys)).toEqual(shown(document.ydoc, document.keys()));
  expect(sleeper.client.source(first)).toMatch(/^one(?=.*, typed just before the lid was closed)/);
  const dots = document.keys().map((key) => document.cell(key)!.source.split('.').length - 1);
  expect(dots.reduce((sum, count) => sum + count, 0)).toBe(3_000);
});
