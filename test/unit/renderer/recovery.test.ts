/** Work that a crash left, as the window handles it: what was asked and answered, and that restored work is the person's own to undo. */
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { LeftWorkView } from '../../../preload/contract.ts';
import { insertCells, setSource } from '../../../preload/notebook-model.ts';
import { Recovery } from '../../../renderer/recovery/recovery.ts';
import { keepLabel, leftNote, leftWords } from '../../../renderer/recovery/recovery-words.ts';
import { Questions } from '../../../renderer/shell/questions.ts';
import { Toasts } from '../../../renderer/shell/toasts.ts';
import { Workspace } from '../../../renderer/shell/workspace.ts';
import { FakeMain } from '../../support/renderer-harness/fake-main.ts';

const WRITER = 4711;
const NOW = Date.UTC(2026, 0, 2, 12);
const one: LeftWorkView = { id: '1', title: 'one.ipynb', folder: '/home/ada/p', cells: 2, changedAt: NOW - 120_000, state: 'same' };
const two: LeftWorkView = { ...one, id: '2', title: 'Untitled.ipynb', folder: null, cells: 1, state: 'untitled' };

let main: FakeMain;
let workspace: Workspace;
let toasts: Toasts;
let recovery: Recovery;

beforeEach(async () => {
  main = new FakeMain();
  main.notebooks.set('/one.ipynb', {
    path: '/one.ipynb',
    title: 'one.ipynb',
    cells: [{ key: 'a', id: 'a', type: 'code', source: 'x', metadata: {} }],
  });
  toasts = new Toasts();
  workspace = new Workspace({ bridge: main.bridge, questions: new Questions(), toasts });
  recovery = new Recovery({ bridge: main.bridge, toasts, workspace });
  main.handlers.set('recovery.list', () => [one, two]);
  await recovery.begin();
});

/** Main's part: the work is laid over the document by a client of its own. */
async function leaveWork(): Promise<void> {
  await workspace.open('/one.ipynb');
  const document = main.document(workspace.active!.client.docId);
  main.handlers.set('recovery.restore', () => {
    const before = document.snapshot();
    document.ydoc.clientID = WRITER;
    document.ydoc.transact(() => {
      setSource(document.ydoc, 'a', 'restored');
      insertCells(document.ydoc, 1, [{ key: 'b', id: 'b', type: 'code', source: 'new', metadata: {} }]);
    }, 'window');
    const change = Y.encodeStateAsUpdate(document.ydoc, Y.encodeStateVectorFromUpdate(before.update));
    return { snapshot: before, change, writer: WRITER };
  });
}

describe('restoring', () => {
  it('puts the work into the notebook that is open, and undo takes all of it back', async () => {
    await leaveWork();
    await recovery.restore(one);
    const { client } = workspace.active!;
    expect([client.source('a'), client.source('b')]).toEqual(['restored', 'new']);
    expect(recovery.left.get()).toEqual([two]);
    client.undo.undo();
    expect([client.source('a'), [...client.keys]]).toEqual(['x', ['a']]);
    client.undo.redo();
    expect([client.source('a'), client.source('b')]).toEqual(['restored', 'new']);
  });

  it('that fails is told and can be tried again', async () => {
    main.handlers.set('recovery.restore', () => {
      throw new Error('No.');
    });
    await recovery.restoreAll();
    expect(recovery.left.get()).toEqual([one, two]);
    expect(toasts.list.get().map((toast) => toast.message)).toEqual(['No.']);
    await leaveWork();
    await recovery.restore(one);
    expect(recovery.left.get()).toEqual([two]);
  });
});

it('keeping the file takes the work from the list, and one answer is given at a time', async () => {
  await Promise.all([recovery.keepFile(one), recovery.keepFile(two)]);
  expect(main.calls.filter(({ name }) => name === 'recovery.keep').map(({ args }) => args)).toEqual([{ id: '1' }]);
  expect(recovery.left.get()).toEqual([two]);
});

it('the words say where, how much and when, and what is not plain', () => {
  expect(leftWords(one, '/home/ada', NOW)).toBe('~/p · 2 cells · 2 min ago');
  expect(leftWords({ ...two, cells: 1 }, '/home/ada', NOW)).toBe('1 cell · 2 min ago');
  expect(leftWords({ ...two, cells: 0 }, '/home/ada', NOW)).toBe('the whole notebook · 2 min ago');
  expect([leftNote(one), leftNote({ ...one, state: 'changed' })]).toEqual([null, expect.stringContaining('newer version')]);
  expect([keepLabel(one), keepLabel(two)]).toEqual(['Keep the file as it is', 'Put it away']);
});
