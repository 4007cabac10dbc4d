/** What a person's actions make of the notebook, the selection and the calls to main. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { CellFields } from '../../../preload/notebook-model.ts';
import type { CellEditor } from '../../../renderer/cells/editor/cell-editor.ts';
import type { CellCopy } from '../../../renderer/notebook/cell-operations.ts';
import { NotebookClient } from '../../../renderer/notebook/notebook-client.ts';
import { NotebookController } from '../../../renderer/notebook/notebook-controller.ts';
import { NotebookKernel } from '../../../renderer/notebook/notebook-kernel.ts';
import { createStore } from '../../../renderer/shell/store.ts';
import { FakeMain } from '../../support/renderer-harness/fake-main.ts';

const cell = (key: string, type: CellFields['type'] = 'code'): CellFields => ({ key, id: key, type, source: key, metadata: {} });

let main: FakeMain;
let controller: NotebookController;

beforeEach(() => {
  main = new FakeMain();
  const document = main.open({
    path: '/n.ipynb',
    title: 'n',
    cells: [cell('m', 'markdown'), cell('a'), cell('b'), cell('r', 'raw'), cell('c')],
  });
  const client = new NotebookClient(main.bridge, document.snapshot());
  const kernel = new NotebookKernel(main.bridge, client, () => {});
  controller = new NotebookController({ client, kernel, clipboard: createStore<readonly CellCopy[]>([]) });
});

const runs = () => main.calls.filter(({ name }) => name === 'run.cells').map(({ args }) => (args as { keys: string[] }).keys.join(''));
const keys = () => controller.client.keys;
const mode = () => controller.mode.get();

describe('running', () => {
  it('runs code alone, in document order, and renders markdown', () => {
    controller.showSource('m', true);
    controller.runAll();
    expect(runs()).toEqual(['abc']);
    expect(controller.asSource.get().has('m')).toBe(false);
  });

  it('goes on to the next cell, and makes one after the last', () => {
    controller.select('a');
    controller.runSelected('advance');
    expect(mode()).toMatchObject({ mode: 'command', active: 'b' });
    controller.select('c');
    controller.runSelected('advance');
    expect(keys()).toHaveLength(6);
    expect(mode()).toMatchObject({ mode: 'edit', active: keys()[5] });
    expect(runs()).toEqual(['a', 'c']);
  });

  it('runs each press once and in order when the keys come fast', () => {
    controller.select('a');
    for (let press = 0; press < 3; press += 1) controller.runSelected('advance');
    expect(runs()).toEqual(['a', 'b']);
    expect(controller.active).toBe('c');
  });

  it('stays, or inserts below', () => {
    controller.edit('a');
    controller.runSelected('stay');
    expect(mode()).toMatchObject({ mode: 'command', active: 'a' });
    controller.runSelected('insert');
    expect(keys().indexOf(controller.active!)).toBe(keys().indexOf('a') + 1);
    expect(mode().mode).toBe('edit');
  });

  it('runs a selection, above and below', () => {
    controller.select('a');
    controller.extendTo('c');
    controller.runSelected('stay');
    controller.select('b');
    controller.runAbove();
    controller.runBelow();
    expect(runs()).toEqual(['abc', 'a', 'bc']);
  });

  it('asks nothing of a kernel for a cell that is no code', () => {
    controller.select('r');
    controller.runSelected('stay');
    expect(runs()).toEqual([]);
  });
});

describe('editing', () => {
  it('inserts beside the selection', () => {
    controller.select('a');
    controller.extendTo('b');
    controller.insertBeside('above', 'code');
    expect(keys()[1]).toBe(controller.active);
    controller.select('a');
    controller.extendTo('b');
    controller.insertBeside('below', 'markdown');
    expect(keys()[4]).toBe(controller.active);
    expect(controller.asSource.get().has(controller.active!)).toBe(true);
  });

  it('copies between notebooks and pastes below the selection', () => {
    controller.select('m');
    controller.extendTo('a');
    controller.copySelected();
    controller.select('c');
    controller.paste('below');
    expect(keys().slice(0, 5)).toEqual(['m', 'a', 'b', 'r', 'c']);
    expect(controller.selected).toEqual(keys().slice(5));
    expect(controller.selected.map((key) => controller.client.kind(key)?.type)).toEqual(['markdown', 'code']);
  });

  it('selects what follows a deleted cell, and undo selects the cell that is back', () => {
    controller.select('b');
    controller.deleteSelected();
    expect(controller.active).toBe('r');
    controller.undo();
    expect(keys()).toEqual(['m', 'a', 'b', 'r', 'c']);
    expect(mode()).toMatchObject({ mode: 'command', active: 'b' });
  });

  it('moves the selection as one', () => {
    controller.select('a');
    controller.extendTo('b');
    controller.shift(1);
    expect(keys()).toEqual(['m', 'r', 'a', 'b', 'c']);
    expect(controller.selected).toEqual(['a', 'b']);
  });

  it('merges with the next cell when one is selected', () => {
    controller.select('a');
    controller.merge();
    expect(controller.client.source('a')).toBe('a\nb');
    controller.undo();
    expect(controller.client.source('b')).toBe('b');
  });

  it('splits where the caret is', () => {
    const editor = { selection: () => [1] } as unknown as CellEditor;
    controller.client.text('a')!.insert(1, 'z');
    controller.registerEditor('a', editor);
    controller.edit('a');
    controller.split();
    expect(controller.client.source('a')).toBe('a');
    expect(controller.client.source(keys()[2]!)).toBe('z');
    expect(mode()).toMatchObject({ mode: 'edit', active: keys()[2] });
  });

  it('shows the source of what becomes markdown', () => {
    controller.select('a');
    controller.changeType('markdown');
    expect(controller.asSource.get().has('a')).toBe(true);
    controller.changeType('code');
    expect(controller.asSource.get().has('a')).toBe(false);
  });
});

describe('arrow keys at the edge of a cell', () => {
  const atEdge = (edge: boolean) => ({ atEdge: () => edge }) as unknown as CellEditor;

  it('lead into the next cell, and only select rendered markdown', () => {
    controller.registerEditor('a', atEdge(true));
    controller.edit('a');
    expect(controller.stepOutOfEditor('down')).toBe(true);
    expect(mode()).toMatchObject({ mode: 'edit', active: 'b' });
    controller.edit('a');
    expect(controller.stepOutOfEditor('up')).toBe(true);
    expect(mode()).toMatchObject({ mode: 'command', active: 'm' });
  });

  it('stay in the cell elsewhere', () => {
    controller.registerEditor('a', atEdge(false));
    controller.edit('a');
    expect(controller.stepOutOfEditor('down')).toBe(false);
    expect(controller.active).toBe('a');
  });
});
