/** A conflict from the disk to the file again, over the window's side of it: real documents and files, main's own handlers behind the bridge. */
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { DiskWatch } from '../../../../main/documents/outside/disk-watch.ts';
import { conflictCalls } from '../../../../main/window/conflict-calls.ts';
import { documentState } from '../../../../main/window/document-view.ts';
import type { OpenNotebooks } from '../../../../main/window/open-notebooks.ts';
import type { PageWindow } from '../../../../main/window/page-window.ts';
import type { Bridge, CallName, DocumentSnapshot, KernelView } from '../../../../preload/contract.ts';
import { deleteCells, setSource } from '../../../../preload/notebook-model.ts';
import { ConflictSession } from '../../../../renderer/conflicts/conflict-session.ts';
import { bannerWords, type ConflictChoice, choicesOf, leftWords } from '../../../../renderer/conflicts/conflict-words.ts';
import { NotebookClient } from '../../../../renderer/notebook/notebook-client.ts';
import { code, markdown, notebook, saveCode, temporaryFolder, usual } from '../temporary-folder.ts';

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

/** Main with this one document, as a window sees it. */
function bridgeTo(document: NotebookDocument): Bridge {
  const notebooks = { get: () => ({ document }) } as unknown as OpenNotebooks;
  const handlers = conflictCalls({ notebooks, disk: new DiskWatch(() => undefined) }) as Partial<
    Record<CallName, (window: PageWindow | null, args: unknown) => unknown>
  >;
  return {
    call: async (name, args) => ({ ok: true, value: (await handlers[name]?.(null, args)) as never }),
    post: (name, payload) => {
      if (name === 'doc.update') document.applyUpdate((payload as { update: Uint8Array }).update, 'window');
    },
    on: (name, listener) => {
      if (name !== 'doc.update') return () => undefined;
      return document.on('update', (update, origin) => {
        if (origin !== 'window') listener({ docId: document.id, update } as never);
      });
    },
    pathOfFile: () => '',
  };
}

async function conflicting(): Promise<{ document: NotebookDocument; client: NotebookClient; session: ConflictSession }> {
  const document = await folder.open(notebook([code(['one']), markdown(['two']), code(['three']), code(['four'])]));
  const bridge = bridgeTo(document);
  const snapshot: DocumentSnapshot = {
    document: documentState(document),
    update: Y.encodeStateAsUpdate(document.ydoc),
    runs: {},
    kernel: KERNEL,
    outputCounts: {},
  };
  const client = new NotebookClient(bridge, snapshot);
  const [one, , three, four] = client.keys as [string, string, string, string];
  setSource(client.ydoc, one, 'one, mine', client.origin);
  setSource(client.ydoc, three, 'three, mine', client.origin);
  deleteCells(client.ydoc, [four], client.origin);
  folder.write('a.ipynb', usual(notebook([code(['one, theirs']), markdown(['two']), code(['four, theirs'])])));
  await document.checkDisk();
  const session = new ConflictSession(bridge, client, (failure) => {
    throw new Error(failure.message);
  });
  await session.load();
  return { document, client, session };
}

/** Settles the shown cell. */
async function choose(session: ConflictSession, choice: ConflictChoice, edited = ''): Promise<void> {
  const { items, shown } = session.state.get();
  await session.choose(items.find(({ conflict }) => conflict.key === shown)!.conflict, choice, edited);
}

function saved(): string[] {
  return folder.json().cells.map(({ source }) => [source].flat().join(''));
}

describe('settling', () => {
  it('lists the cells in their order and goes on to the next', async () => {
    const { session } = await conflicting();
    const kinds = () => session.state.get().items.map(({ conflict, place, settled }) => [place, conflict.kind, settled]);
    expect(kinds()).toEqual([
      [1, 'both', null],
      [3, 'deleted-there', null],
      [4, 'deleted-here', null],
    ]);
    await choose(session, 'mine');
    expect(session.state.get().shown).toBe(session.state.get().items[1]!.conflict.key);
    await session.load();
    expect(kinds()[0]).toEqual([1, 'both', 'mine']);
  });

  it.each<[string, [ConflictChoice, ConflictChoice, ConflictChoice], string[]]>([
    ['everything of this side', ['mine', 'mine', 'delete'], ['one, mine', 'two', 'three, mine']],
    ['everything of the file', ['theirs', 'delete', 'mine'], ['one, theirs', 'two', 'four, theirs']],
    ['both', ['both', 'mine', 'mine'], ['one, mine', 'one, theirs', 'two', 'three, mine', 'four, theirs']],
    ['an edited text', ['edited', 'mine', 'mine'], ['one, edited', 'two', 'three, mine', 'four, theirs']],
  ])('%s', async (_name, choices, expected) => {
    const { document, session } = await conflicting();
    for (const choice of choices) await choose(session, choice, 'one, edited');
    expect(document.outside.conflictCount).toBe(0);
    expect(await saveCode(document)).toBe('saved');
    expect(saved()).toEqual(expected);
  });

  it('is undone like an edit, and the conflict is there again', async () => {
    const { document, client, session } = await conflicting();
    await choose(session, 'theirs');
    expect(document.outside.conflictCount).toBe(2);
    client.undo.undo();
    expect(client.source(client.keys[0]!)).toBe('one, mine');
    expect(document.outside.conflictCount).toBe(3);
    await session.load();
    expect(session.state.get().items[0]!.settled).toBeNull();
    expect(await saveCode(document)).toBe('conflict');
    expect(saved()[0]).toBe('one, theirs');
  });
});

describe('both versions, kept', () => {
  it('are one again when that is undone, and the conflict is there again; redo settles it', async () => {
    const { document, client, session } = await conflicting();
    const told: number[] = [];
    document.on('state', () => told.push(document.outside.conflictCount));
    await choose(session, 'both');
    expect(client.keys.map((key) => client.source(key)).slice(0, 2)).toEqual(['one, mine', 'one, theirs']);
    expect(document.outside.conflictCount).toBe(2);
    client.undo.undo();
    expect(document.outside.conflictCount).toBe(3);
    expect(told.at(-1)).toBe(3);
    await session.load();
    expect(session.state.get().items[0]!.settled).toBeNull();
    expect(await saveCode(document)).toBe('conflict');
    expect(saved()[0]).toBe('one, theirs');
    client.undo.redo();
    expect(document.outside.conflictCount).toBe(2);
    expect(told.at(-1)).toBe(2);
  });

  it('are both in the file after a save, and the file’s can be deleted then', async () => {
    const { document, client, session } = await conflicting();
    for (const choice of ['both', 'delete', 'delete'] as const) await choose(session, choice);
    expect(await saveCode(document)).toBe('saved');
    deleteCells(client.ydoc, [client.keys[1]!], client.origin);
    expect(document.outside.conflictCount).toBe(0);
    expect(await saveCode(document)).toBe('saved');
    expect(saved()).toEqual(['one, mine', 'two']);
  });
});

describe('the words', () => {
  it('count what is left and offer what fits', () => {
    expect([leftWords(2, 3), leftWords(1, 1), leftWords(0, 3)]).toEqual([
      '2 of 3 cells left',
      '1 of 1 cell left',
      'All settled. Save to write it to the file.',
    ]);
    expect([bannerWords(1), bannerWords(2)].map((words) => words.slice(0, 12))).toEqual(['1 cell was c', '2 cells were']);
    expect((['both', 'deleted-there', 'deleted-here'] as const).map((kind) => choicesOf({ kind }).map(({ choice }) => choice))).toEqual([
      ['mine', 'theirs', 'both'],
      ['mine', 'delete'],
      ['mine', 'delete'],
    ]);
  });
});
