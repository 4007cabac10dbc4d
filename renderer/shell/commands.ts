/**
 * Every command of the window in one registry: the palette lists it, keys, menus and buttons run it by id. A command that makes no sense
 * now is not enabled, and running it does nothing, so that no caller has to ask twice.
 */
import type { App } from './app.ts';
import type { CommandId } from './command-ids.ts';
import { isCommandId } from './command-ids.ts';
import { kernelCommands } from './commands-kernel.ts';
import { notebookCommands } from './commands-notebook.ts';
import { windowCommands } from './commands-window.ts';

export interface Command {
  id: CommandId;
  title: string;
  group: 'File' | 'Edit' | 'Run' | 'Cell' | 'Select' | 'Kernel' | 'View' | 'Theme';
  /** Absent: always. */
  enabled?: () => boolean;
  run: () => void;
  /** Commands that only make sense by their key are not listed in the palette. */
  listed?: false;
}

export interface Commands {
  readonly all: readonly Command[];
  get(id: CommandId): Command;
  enabled(id: CommandId): boolean;
  /** Runs a command by the id that a key, a button or the application menu gave; unknown ids are ignored. */
  run(id: string): void;
}

export function createCommands(app: App): Commands {
  const all = [...windowCommands(app), ...notebookCommands(app), ...kernelCommands(app)];
  const byId = new Map(all.map((command) => [command.id, command]));
  const enabled = (id: CommandId) => byId.get(id)?.enabled?.() ?? byId.has(id);
  return {
    all,
    get: (id) => {
      const command = byId.get(id);
      if (!command) throw new Error(`The command ${id} has a name but nothing to do.`);
      return command;
    },
    enabled,
    run: (id) => {
      if (isCommandId(id) && enabled(id)) byId.get(id)?.run();
    },
  };
}
