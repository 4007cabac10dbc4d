/** Tabs: one per document, and nothing unsaved or running goes without a word. */
import { beforeEach, describe, expect, it } from 'vitest';
import { setSource } from '../../../preload/notebook-model.ts';
import type { NotebookController } from '../../../renderer/notebook/notebook-controller.ts';
import { Questions } from '../../../renderer/shell/questions.ts';
import { Toasts } from '../../../renderer/shell/toasts.ts';
import { Workspace } from '../../../renderer/shell/workspace.ts';
import { FakeMain, IDLE } from '../../support/renderer-harness/fake-main.ts';

let main: FakeMain;
let questions: Questions;
let toasts: Toasts;
let workspace: Workspace;

beforeEach(() => {
  main = new FakeMain();
  for (const name of ['one', 'two']) {
    main.notebooks.set(`/${name}.ipynb`, {
      path: `/${name}.ipynb`,
      title: `${name}.ipynb`,
      cells: [{ key: 'a', id: 'a', type: 'code', source: 'x', metadata: {} }],
    });
  }
  questions = new Questions();
  toasts = new Toasts();
  workspace = new Workspace({ bridge: main.bridge, questions, toasts });
});

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const called = (name: string) => main.calls.filter((call) => call.name === name).map(({ args }) => args);
async function opened(path: string): Promise<NotebookController> {
  await workspace.open(path);
  return workspace.active!;
}
async function answer(id: string | null): Promise<void> {
  await settle();
  const question = questions.current.get();
  expect(question, 'a question is asked').not.toBeNull();
  question?.answer(id);
  await settle();
}
const edit = (tab: NotebookController) => setSource(tab.client.ydoc, 'a', 'changed', tab.client.origin);

describe('opening', () => {
  it('has one tab per document, by path and by id', async () => {
    const one = await opened('/one.ipynb');
    await workspace.open('/two.ipynb');
    await workspace.open('/one.ipynb');
    await workspace.open(one.client.docId);
    expect(workspace.state.get().tabs).toHaveLength(2);
    expect(workspace.active).toBe(one);
    expect(called('doc.open')).toHaveLength(2);
  });

  it('has one tab for a file that main knows by another name', async () => {
    const one = await opened('/one.ipynb');
    main.handlers.set('doc.open', () => main.document(one.client.docId).snapshot());
    await workspace.open('/link-to-one.ipynb');
    expect(workspace.state.get().tabs).toEqual([one]);
  });

  it('tells of a file that cannot be opened, and says it once', async () => {
    await workspace.open('/none.ipynb');
    await workspace.open('/none.ipynb');
    expect(workspace.active).toBeNull();
    expect(toasts.list.get().map(({ tone, message }) => [tone, message])).toEqual([['failed', '/none.ipynb is not there.']]);
  });

  it('begins a new notebook in its first cell', async () => {
    await workspace.create('/folder');
    expect(workspace.active?.mode.get()).toMatchObject({ mode: 'edit', active: 'first' });
  });

  it('goes round the tabs', async () => {
    const one = await opened('/one.ipynb');
    const two = await opened('/two.ipynb');
    workspace.activateBeside(1);
    expect(workspace.active).toBe(one);
    workspace.activateBeside(-1);
    expect(workspace.active).toBe(two);
    workspace.moveTab(two, 0);
    expect(workspace.state.get().tabs).toEqual([two, one]);
  });
});

describe('saving', () => {
  it('asks for a place when there is no file, or none that can be written', async () => {
    await workspace.create(null);
    main.handlers.set('doc.saveAs', () => null);
    expect(await workspace.save(workspace.active!)).toBe(false);
    const one = await opened('/one.ipynb');
    main.setState(main.document(one.client.docId), { readOnly: true });
    await workspace.save(one);
    expect(called('doc.saveAs')).toHaveLength(2);
    expect(called('doc.save')).toHaveLength(0);
  });

  it('offers another place when a save fails', async () => {
    const one = await opened('/one.ipynb');
    main.handlers.set('doc.save', () => {
      throw new Error('The disk is full.');
    });
    expect(await workspace.save(one)).toBe(false);
    expect(toasts.list.get()[0]?.action?.label).toBe('Save as…');
  });
});

describe('closing', () => {
  it('asks nothing when all is saved', async () => {
    await workspace.close(await opened('/one.ipynb'));
    expect(workspace.state.get()).toEqual({ tabs: [], active: null });
    expect(called('doc.close')).toEqual([{ docId: 'doc-1', discard: false, stop: false }]);
  });

  it('shows the neighbour afterwards', async () => {
    const one = await opened('/one.ipynb');
    const two = await opened('/two.ipynb');
    await workspace.close(two);
    expect(workspace.active).toBe(one);
  });

  it.each([
    ['discard', 0, 0],
    ['save', 1, 0],
    [null, 0, 1],
  ])('with unsaved work and the answer %s: %d saves, %d tabs left', async (choice, saves, left) => {
    const one = await opened('/one.ipynb');
    edit(one);
    const closing = workspace.close(one);
    await answer(choice);
    await closing;
    expect(called('doc.save')).toHaveLength(saves);
    expect(workspace.state.get().tabs).toHaveLength(left);
  });

  it('stays open when the save fails', async () => {
    const one = await opened('/one.ipynb');
    edit(one);
    main.handlers.set('doc.save', () => {
      throw new Error('The disk is full.');
    });
    const closing = workspace.close(one);
    await answer('save');
    await closing;
    expect(workspace.state.get().tabs).toEqual([one]);
    expect(called('doc.close')).toHaveLength(1);
  });

  it.each([
    ['typed', 'discard'],
    ['started', 'stop'],
  ])('asks for what was %s a moment ago, of which only main knows', async (what, choice) => {
    const one = await opened('/one.ipynb');
    const document = main.document(one.client.docId);
    if (what === 'typed') document.state = { ...document.state, dirty: true };
    else document.runs.set('a', { ...IDLE, state: 'running' });
    const closing = workspace.close(one);
    await answer(choice);
    await closing;
    expect(workspace.state.get().tabs).toEqual([]);
  });

  it('asks once, however often it is asked for', async () => {
    const one = await opened('/one.ipynb');
    edit(one);
    const closings = [workspace.close(one), workspace.close(one)];
    await answer('discard');
    await Promise.all(closings);
    expect(questions.current.get()).toBeNull();
    expect(toasts.list.get()).toEqual([]);
    expect(workspace.state.get().tabs).toEqual([]);
  });

  it('asks one after the other for unsaved work and for what runs', async () => {
    const one = await opened('/one.ipynb');
    edit(one);
    main.setRun(main.document(one.client.docId), 'a', { state: 'running' });
    const closing = workspace.close(one);
    await answer('save');
    await answer('stop');
    await closing;
    expect(called('doc.close')).toEqual([
      { docId: 'doc-1', discard: false, stop: false },
      { docId: 'doc-1', discard: true, stop: false },
      { docId: 'doc-1', discard: true, stop: true },
    ]);
    expect(workspace.state.get().tabs).toEqual([]);
  });

  it('asks before it stops what runs', async () => {
    const one = await opened('/one.ipynb');
    main.setRun(main.document(one.client.docId), 'a', { state: 'running' });
    const closing = workspace.close(one);
    await answer(null);
    await closing;
    expect(workspace.state.get().tabs).toEqual([one]);
  });
});

describe('closing the window', () => {
  const closing = (unsaved: NotebookController[], running: NotebookController[], agents: { name: string; folder: string }[] = []) => {
    const list = (tabs: NotebookController[]) => tabs.map(({ client }) => ({ docId: client.docId, title: client.document.title }));
    main.emit('window.closing', { unsaved: list(unsaved), running: list(running), agents });
  };

  it.each([
    ['save', 2, true],
    ['discard', 0, true],
    [null, 0, false],
  ])('with the answer %s: %d saves, goes on: %s', async (choice, saves, proceed) => {
    const tabs = [await opened('/one.ipynb'), await opened('/two.ipynb')];
    tabs.forEach(edit);
    closing(tabs, []);
    await answer(choice);
    await settle();
    expect(called('doc.save')).toHaveLength(saves);
    expect(called('window.close')).toEqual([{ proceed }]);
  });

  it('asks for unsaved work first and then for what runs', async () => {
    const one = await opened('/one.ipynb');
    closing([one], [one]);
    await answer('discard');
    expect(called('window.close')).toEqual([]);
    await answer('stop');
    expect(called('window.close')).toEqual([{ proceed: true }]);
  });

  it('names the agents that run code, beside the notebooks', async () => {
    const one = await opened('/one.ipynb');
    closing([], [one], [{ name: 'refactor', folder: 'project' }]);
    await settle();
    expect(questions.current.get()?.items).toEqual(['one.ipynb', 'Agent refactor: Python in project']);
    await answer(null);
    expect(called('window.close')).toEqual([{ proceed: false }]);
  });

  it('does not go on when one of the saves fails', async () => {
    const one = await opened('/one.ipynb');
    main.handlers.set('doc.save', () => {
      throw new Error('The disk is full.');
    });
    closing([one], []);
    await answer('save');
    expect(called('window.close')).toEqual([{ proceed: false }]);
  });
});
