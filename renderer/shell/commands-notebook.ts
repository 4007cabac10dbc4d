/**
 * Commands on the notebook in front: running, cells, selection, undo.
 */
import type { CellType } from '../../preload/notebook-model.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import type { App } from './app.ts';
import type { CommandId } from './command-ids.ts';
import type { Command } from './commands.ts';

type Group = Command['group'];

export function notebookCommands(app: App): Command[] {
  const front = () => app.workspace.active;
  const command = (
    group: Group,
    id: CommandId,
    title: string,
    run: (tab: NotebookController) => void,
    enabled: (tab: NotebookController) => boolean = () => true,
  ): Command => ({
    id,
    title,
    group,
    enabled: () => {
      const tab = front();
      return tab !== null && enabled(tab);
    },
    run: () => {
      const tab = front();
      if (tab) run(tab);
    },
  });
  const unlisted = (entry: Command): Command => ({ ...entry, listed: false });
  const toType = (id: CommandId, title: string, type: CellType) => command('Cell', id, title, (tab) => tab.changeType(type));
  const hasOutputs = (tab: NotebookController, keys: readonly string[]) => keys.some((key) => tab.client.outputs.count(key) > 0);

  return [
    command(
      'Edit',
      'edit.undo',
      'Undo',
      (tab) => tab.undo(),
      (tab) => tab.client.undo.canUndo,
    ),
    command(
      'Edit',
      'edit.redo',
      'Redo',
      (tab) => tab.redo(),
      (tab) => tab.client.undo.canRedo,
    ),

    command('Run', 'run.cell', 'Run selected cells', (tab) => tab.runSelected('stay')),
    command('Run', 'run.advance', 'Run and go to the next cell', (tab) => tab.runSelected('advance')),
    command('Run', 'run.insert', 'Run and insert a cell below', (tab) => tab.runSelected('insert')),
    command('Run', 'run.all', 'Run all cells', (tab) => tab.runAll()),
    command('Run', 'run.above', 'Run all above', (tab) => tab.runAbove()),
    command('Run', 'run.below', 'Run from here to the end', (tab) => tab.runBelow()),

    unlisted(command('Cell', 'cell.edit', 'Edit the cell', (tab) => tab.edit())),
    unlisted(command('Cell', 'cell.leave', 'Leave the cell', (tab) => tab.leave())),
    command('Cell', 'cell.insertAbove', 'Insert a code cell above', (tab) => tab.insertBeside('above', 'code')),
    command('Cell', 'cell.insertBelow', 'Insert a code cell below', (tab) => tab.insertBeside('below', 'code')),
    command('Cell', 'cell.insertMarkdownBelow', 'Insert a markdown cell below', (tab) => tab.insertBeside('below', 'markdown', true)),
    command('Cell', 'cell.cut', 'Cut cells', (tab) => {
      tab.copySelected();
      tab.deleteSelected();
    }),
    command('Cell', 'cell.copy', 'Copy cells', (tab) => tab.copySelected()),
    command(
      'Cell',
      'cell.paste',
      'Paste cells below',
      (tab) => tab.paste('below'),
      (tab) => tab.canPaste,
    ),
    command(
      'Cell',
      'cell.pasteAbove',
      'Paste cells above',
      (tab) => tab.paste('above'),
      (tab) => tab.canPaste,
    ),
    command('Cell', 'cell.delete', 'Delete cells', (tab) => tab.deleteSelected()),
    command('Cell', 'cell.moveUp', 'Move cells up', (tab) => tab.shift(-1)),
    command('Cell', 'cell.moveDown', 'Move cells down', (tab) => tab.shift(1)),
    command(
      'Cell',
      'cell.split',
      'Split the cell at the caret',
      (tab) => tab.split(),
      (tab) => tab.editorOf(tab.active) !== null,
    ),
    command('Cell', 'cell.merge', 'Merge with the next cell', (tab) => tab.merge()),
    toType('cell.toCode', 'Make it code', 'code'),
    toType('cell.toMarkdown', 'Make it markdown', 'markdown'),
    toType('cell.toRaw', 'Make it raw text', 'raw'),
    command('Cell', 'cell.toggleOutputs', 'Fold or unfold outputs', (tab) => tab.toggleOutputs()),
    command(
      'Cell',
      'cell.clearOutputs',
      'Clear outputs',
      (tab) => tab.clearOutputs(),
      (tab) => hasOutputs(tab, tab.selected),
    ),
    command(
      'Cell',
      'notebook.loadOutputs',
      'Load the outputs',
      (tab) => tab.client.outputs.load(),
      (tab) => tab.client.outputs.hasHeld,
    ),
    command(
      'Cell',
      'notebook.clearOutputs',
      'Clear all outputs',
      (tab) => tab.clearOutputs(tab.client.keys),
      (tab) => hasOutputs(tab, tab.client.keys),
    ),
    command(
      'File',
      'notebook.trust',
      'Trust this notebook',
      (tab) => void tab.kernel.trust(),
      (tab) => !tab.client.document.trusted,
    ),

    unlisted(command('Select', 'select.previous', 'Previous cell', (tab) => tab.step(-1, false))),
    unlisted(command('Select', 'select.next', 'Next cell', (tab) => tab.step(1, false))),
    unlisted(command('Select', 'select.extendUp', 'Extend the selection up', (tab) => tab.step(-1, true))),
    unlisted(command('Select', 'select.extendDown', 'Extend the selection down', (tab) => tab.step(1, true))),
    command('Select', 'select.first', 'First cell', (tab) => tab.step(-tab.client.keys.length, false)),
    command('Select', 'select.last', 'Last cell', (tab) => tab.step(tab.client.keys.length, false)),
    command('Select', 'select.all', 'Select all cells', (tab) => tab.selectAll()),
  ];
}
