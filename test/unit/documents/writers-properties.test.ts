/**
 * Several writers on one notebook, at random: what they type at once is all there whatever way their changes travel, what each takes back in
 * the end leaves the file's first bytes, and a notebook that was valid stays valid.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { applyToDocument } from '../../../main/documents/document-edits.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { CellEdit } from '../../../main/documents/edits.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { findProblems } from '../../../main/documents/validate.ts';
import {
  cellFields,
  clearOutputs,
  insertCells,
  moveCell,
  orderedKeys,
  requireCell,
  setSource,
  sourceText,
} from '../../../preload/notebook-model.ts';
import * as operations from '../../../renderer/notebook/cell-operations.ts';
import { PersonalUndo } from '../../../renderer/notebook/personal-undo.ts';
import { joinedSource, meaning, notebook, type RandomCell, type RandomNotebook, source, spell, spelling } from './random-notebooks.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Every save is made durable, which takes long on a busy disk. */
const PATIENCE_MS = 120_000;

async function open(bytes: Buffer): Promise<NotebookDocument> {
  const path = folder.path('a.ipynb');
  writeFileSync(path, bytes);
  return new DocumentStore().open(path);
}

// ---- typing at once ------------------------------------------------------------------------------------------------------------------------

const keystroke = fc.record({
  writer: fc.nat({ max: 2 }),
  what: fc.oneof({ weight: 5, arbitrary: fc.constant('type' as const) }, fc.constantFrom('insert' as const, 'move' as const)),
  cell: fc.nat(),
  at: fc.nat(),
  /** How many of the waiting changes are delivered after this, in which order, and whether one comes twice. */
  deliver: fc.nat({ max: 6 }),
  shuffle: fc.nat(),
});

interface Message {
  to: Y.Doc;
  update: Uint8Array;
}

it(
  'three writers lose no keystroke, in whatever order their changes arrive',
  async () => {
    await fc.assert(
      fc.asyncProperty(notebook, fc.array(keystroke, { minLength: 5, maxLength: 40 }), async (nb, strokes) => {
        fc.pre(nb.cells.length > 0);
        const document = await open(Buffer.from(JSON.stringify(nb)));
        const docs = [document.ydoc, new Y.Doc(), new Y.Doc()];
        for (const doc of docs.slice(1)) Y.applyUpdate(doc, Y.encodeStateAsUpdate(document.ydoc), 'wire');
        const waiting: Message[] = [];
        for (const doc of docs) {
          doc.on('update', (update: Uint8Array, origin: unknown) => {
            if (origin !== 'wire') waiting.push(...docs.filter((other) => other !== doc).map((to) => ({ to, update })));
          });
        }
        /** Each keystroke is a character that occurs nowhere else. */
        const typed: string[] = [];
        for (const [index, { writer, what, cell, at, deliver, shuffle }] of strokes.entries()) {
          const doc = docs[writer]!;
          const keys = orderedKeys(doc);
          const key = keys[cell % keys.length]!;
          const text = sourceText(requireCell(doc, key));
          if (what === 'insert')
            insertCells(doc, at % (keys.length + 1), [{ key: `new-${index}`, id: null, type: 'code', source: '', metadata: {} }]);
          else if (what === 'move') moveCell(doc, key, at % keys.length);
          else {
            typed.push(String.fromCharCode(0xe000 + index));
            text.insert(characterStart(text.toString(), at % (text.length + 1)), typed.at(-1)!);
          }
          for (let count = 0; count < deliver && waiting.length > 0; count += 1) {
            const [message] = waiting.splice((shuffle * 31 + count * 17) % waiting.length, 1);
            Y.applyUpdate(message!.to, message!.update, 'wire');
            if (shuffle % 3 === 0) Y.applyUpdate(message!.to, message!.update, 'wire');
          }
        }
        while (waiting.length > 0) {
          const { to, update } = waiting.pop()!;
          Y.applyUpdate(to, update, 'wire');
        }
        const [mine, ...others] = docs.map((doc) => orderedKeys(doc).map((key) => cellFields(doc, key)));
        for (const theirs of others) expect(theirs).toEqual(mine);
        const all = mine!.map(({ source: text }) => text).join('');
        for (const letter of typed) expect(all.split(letter)).toHaveLength(2);
        if (typed.length > 0) await document.save();
        const saved = meaning(Buffer.from(folder.read('a.ipynb')));
        const stored = saved.cells.map(joinedSource).join('');
        for (const letter of typed) expect(stored.split(letter)).toHaveLength(2);
      }),
      { numRuns: 40 },
    );
  },
  PATIENCE_MS,
);

/** Nobody's caret stands inside a surrogate pair. */
function characterStart(text: string, at: number): number {
  return at > 0 && /^[\udc00-\udfff]/.test(text.slice(at)) && /[\ud800-\udbff]$/.test(text.slice(0, at)) ? at - 1 : at;
}

// ---- everything taken back -----------------------------------------------------------------------------------------------------------------

const PERSONAL = ['type', 'insert', 'delete', 'paste', 'split', 'merge', 'types', 'place', 'fold', 'clear'] as const;
const AGENT = ['source', 'insert', 'delete', 'move', 'type', 'clear'] as const;
const action = fc.record({
  writer: fc.constantFrom('first window' as const, 'second window' as const, 'agent' as const),
  personal: fc.constantFrom(...PERSONAL),
  edit: fc.constantFrom(...AGENT),
  at: fc.nat(),
  to: fc.nat(),
  text: source,
  type: fc.constantFrom('code' as const, 'markdown' as const, 'raw' as const),
  save: fc.boolean(),
});
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** What a person does to some of the cells `own`, or anywhere when it is an insertion. */
function personalStep(doc: Y.Doc, origin: object, own: readonly string[], { personal, at, to, text, type }: Action): void {
  const keys = orderedKeys(doc);
  const key = own[at % Math.max(1, own.length)];
  if (key === undefined || personal === 'insert') {
    operations.insertCopies(doc, at % (keys.length + 1), [{ type, source: text, metadata: {} }], origin);
    return;
  }
  const some = own.slice(at % own.length, (at % own.length) + 1 + (to % 3));
  const length = sourceText(requireCell(doc, key)).length;
  const steps: Record<(typeof PERSONAL)[number], () => unknown> = {
    type: () => setSource(doc, key, text, origin),
    insert: () => undefined,
    delete: () => operations.removeCells(doc, some, origin),
    paste: () => operations.insertCopies(doc, to % (keys.length + 1), operations.copyCells(doc, some), origin),
    split: () => operations.splitCell(doc, key, [characterStart(sourceText(requireCell(doc, key)).toString(), to % (length + 1))], origin),
    merge: () => operations.mergeCells(doc, some, origin),
    types: () => operations.changeTypes(doc, some, type, origin),
    place: () => operations.placeCells(doc, some, to % (keys.length + 1), origin),
    fold: () => operations.setOutputsHidden(doc, some, to % 2 === 0, origin),
    clear: () => clearOutputs(doc, some, origin),
  };
  steps[personal]();
}

function agentEdit(keys: readonly string[], own: readonly string[], { edit, at, to, text, type }: Action): CellEdit | null {
  if (edit === 'insert') return { op: 'insert', index: at % (keys.length + 1), id: null, type, source: text };
  if (own.length === 0) return null;
  const index = keys.indexOf(own[at % own.length]!);
  if (edit === 'source') return { op: 'source', index, source: text };
  if (edit === 'move') return { op: 'move', index, to: to % keys.length };
  return edit === 'type' ? { op: 'type', index, type } : { op: edit, index };
}

/** A window that shows the document, as far as edits and undo go. */
function windowOf(document: NotebookDocument): { undo: PersonalUndo; edit(next: Action, own: readonly string[]): boolean } {
  const doc = new Y.Doc();
  const origin = {};
  let changes = 0;
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(document.ydoc), document);
  doc.on('update', (update: Uint8Array, from: unknown) => {
    if (from === document) return;
    changes += 1;
    document.applyUpdate(update, doc);
  });
  document.on('update', (update, from) => from !== doc && Y.applyUpdate(doc, update, document));
  const undo = new PersonalUndo(doc, origin);
  return {
    undo,
    /** Says whether it changed something, and so made an undo step. */
    edit(next, own) {
      const before = changes;
      undo.step(() => personalStep(doc, origin, own, next));
      return changes > before;
    },
  };
}

/** With NaN and its like, which only bytes can be compared for. */
function withBareTokens(nb: RandomNotebook): RandomNotebook {
  const [first, ...rest] = nb.cells;
  const cells = first ? [{ ...first, future: [{ odd: 'NaN' }, { odd: '-Infinity' }] } as RandomCell, ...rest] : [];
  return { ...nb, cells, kept: { odd: 'NaN' } };
}

/** Who works on which cell: in this property nobody touches another's. */
class Owners {
  readonly #writers = new Map<string, Action['writer']>();

  constructor(keys: readonly string[]) {
    const writers = ['first window', 'second window', 'agent'] as const;
    for (const [index, key] of keys.entries()) this.#writers.set(key, writers[index % 3]!);
  }

  of(writer: Action['writer'], keys: readonly string[]): string[] {
    return keys.filter((key) => this.#writers.get(key) === writer);
  }

  addNew(writer: Action['writer'], keys: readonly string[]): void {
    for (const key of keys) if (!this.#writers.has(key)) this.#writers.set(key, writer);
  }
}

it(
  'what persons and an agent did, taken back by each of them, leaves the first bytes whoever is first',
  async () => {
    const property = fc.asyncProperty(
      notebook,
      fc.boolean(),
      spelling,
      fc.array(action, { maxLength: 15 }),
      fc.infiniteStream(fc.nat()),
      async (nb, bare, style, actions, picks) => {
        const bytes = spell(bare ? withBareTokens(nb) : nb, style);
        const document = await open(bytes);
        const windows = { 'first window': windowOf(document), 'second window': windowOf(document) };
        const owners = new Owners(document.keys());
        const takeBack: Record<Action['writer'], (() => void)[]> = { 'first window': [], 'second window': [], agent: [] };
        for (const [index, next] of actions.entries()) {
          const { writer } = next;
          const own = owners.of(writer, document.keys());
          if (writer === 'agent') {
            const name = { agentId: 'agent', turn: `${index}` };
            const edit = agentEdit(document.keys(), own, next);
            if (edit) applyToDocument(document, edit, document.turns.origin(name));
            takeBack[writer].push(() => expect(document.turns.takeBack(name)?.kept ?? []).toEqual([]));
          } else {
            const { undo, edit } = windows[writer];
            if (edit(next, own)) takeBack[writer].push(() => expect(undo.undo()).not.toBeUndefined());
          }
          owners.addNew(writer, document.keys());
          if (next.save) await document.save();
        }
        for (let left = Object.values(takeBack); left.length > 0; left = left.filter(({ length }) => length > 0)) {
          left[picks.next().value! % left.length]!.pop()?.();
        }
        for (const { undo } of Object.values(windows)) expect(undo.canUndo).toBe(false);
        await document.save();
        expect(folder.read('a.ipynb')).toBe(bytes.toString());
      },
    );
    await fc.assert(property, { numRuns: 40 });
  },
  PATIENCE_MS,
);

// ---- valid notebooks -----------------------------------------------------------------------------------------------------------------------

/** Only what nbformat's schemas allow: no unknown fields, and of the metadata that they know none of the wrong kind. */
function validPart(nb: RandomNotebook): RandomNotebook {
  const { later: _later, ...known } = nb;
  return {
    ...known,
    metadata: {},
    cells: nb.cells.map(({ unknown_field: _unknown, ...cell }) => ({
      ...cell,
      metadata: { z: (cell.metadata as Record<string, unknown>).z ?? 1 },
      ...(Array.isArray(cell.outputs) ? { outputs: cell.outputs.filter(({ output_type: type }) => type !== 'future') } : {}),
    })),
  };
}

it(
  'a valid notebook is valid after whatever persons and an agent did to it',
  async () => {
    await fc.assert(
      fc.asyncProperty(notebook.map(validPart), spelling, fc.array(action, { maxLength: 12 }), async (nb, style, actions) => {
        const document = await open(spell(nb, style));
        expect(await findProblems(document.file, nb.nbformat_minor)).toEqual([]);
        const { edit } = windowOf(document);
        for (const next of actions) {
          if (next.writer !== 'agent') edit(next, document.keys());
          else {
            const planned = agentEdit(document.keys(), document.keys(), next);
            if (planned) applyToDocument(document, planned, 'agent');
          }
        }
        await document.save();
        expect(await findProblems(document.file, nb.nbformat_minor)).toEqual([]);
        const reopened = await new DocumentStore().open(folder.path('a.ipynb'));
        expect(await findProblems(reopened.file, nb.nbformat_minor)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  },
  PATIENCE_MS,
);
