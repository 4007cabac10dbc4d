/** A cell's buttons, in one place at its upper right: run, move, delete, and the rest in a menu. */
import { ArrowDown, ArrowUp, Ellipsis, Play, Trash2 } from 'lucide-react';
import type { JSX } from 'react';
import { useState } from 'react';
import type { CellRun } from '../../preload/contract.ts';
import type { CellType } from '../../preload/notebook-model.ts';
import type { CellKind } from '../notebook/notebook-client.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useApp } from '../shell/app.ts';
import type { CommandId } from '../shell/command-ids.ts';
import { IconButton } from '../shell/icon-button.tsx';
import { CommandItem, Menu, MenuChoice, MenuLine } from '../shell/menu.tsx';
import styles from './cell-toolbar.module.css';

const TYPES: readonly { value: CellType; label: string }[] = [
  { value: 'code', label: 'Code' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'raw', label: 'Raw text' },
];

interface CellToolbarProps {
  controller: NotebookController;
  cellKey: string;
  kind: CellKind;
  run: CellRun;
  pointer: 'here' | 'elsewhere' | 'away';
}

export function CellToolbar({ controller, cellKey, kind, run, pointer }: CellToolbarProps): JSX.Element {
  const { commands } = useApp();
  const [open, setOpen] = useState(false);
  // A button works on this cell, also when another one is selected.
  const here = (id: CommandId) => () => {
    if (!controller.selected.includes(cellKey)) controller.select(cellKey, { focus: false });
    commands.run(id);
  };
  const busy = run.state === 'running' || run.state === 'queued';
  return (
    <div
      className={styles.toolbar}
      role="toolbar"
      aria-label="Cell"
      data-shown={open || pointer === 'here'}
      data-elsewhere={pointer === 'elsewhere'}
    >
      <IconButton
        className={styles.button}
        icon={Play}
        size={14}
        label={kind.type === 'code' ? 'Run' : 'Render'}
        command="run.cell"
        side="top"
        disabled={busy || kind.type === 'raw'}
        onClick={here('run.cell')}
      />
      <IconButton
        className={styles.button}
        icon={ArrowUp}
        size={14}
        label="Move up"
        command="cell.moveUp"
        side="top"
        onClick={here('cell.moveUp')}
      />
      <IconButton
        className={styles.button}
        icon={ArrowDown}
        size={14}
        label="Move down"
        command="cell.moveDown"
        side="top"
        onClick={here('cell.moveDown')}
      />
      <IconButton
        className={styles.button}
        icon={Trash2}
        size={14}
        label="Delete"
        command="cell.delete"
        side="top"
        onClick={here('cell.delete')}
      />
      <Menu
        label="More"
        onOpenChange={(opens) => {
          if (opens && !controller.selected.includes(cellKey)) controller.select(cellKey, { focus: false });
          setOpen(opens);
        }}
        onClosed={() => controller.refocus()}
        trigger={
          <button type="button" className={`${styles.button} ${styles.more}`} aria-label="More">
            <Ellipsis size={14} strokeWidth={1.75} aria-hidden="true" />
          </button>
        }
      >
        <MenuChoice label="Type" value={kind.type} options={TYPES} onChange={(type) => controller.changeType(type)} />
        <MenuLine />
        <CommandItem id="run.above" />
        <CommandItem id="run.below" />
        <MenuLine />
        <CommandItem id="cell.split" label="Split at the caret" />
        <CommandItem id="cell.merge" />
        <CommandItem id="cell.cut" label="Cut" />
        <CommandItem id="cell.copy" label="Copy" />
        <CommandItem id="cell.paste" label="Paste below" />
        <MenuLine />
        <CommandItem id="cell.toggleOutputs" />
        <CommandItem id="cell.clearOutputs" />
      </Menu>
    </div>
  );
}
