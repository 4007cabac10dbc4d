/** The registry is whole: every name has a command, every key and every menu item leads to one. */
import { describe, expect, it } from 'vitest';
import { menuTemplate } from '../../../main/window/menu.ts';
import { KEYMAP } from '../../../renderer/notebook/keymap.ts';
import type { App } from '../../../renderer/shell/app.ts';
import { COMMAND_IDS, isCommandId } from '../../../renderer/shell/command-ids.ts';
import { createCommands } from '../../../renderer/shell/commands.ts';
import { Questions } from '../../../renderer/shell/questions.ts';
import { createStore } from '../../../renderer/shell/store.ts';

/** A window without a notebook in front: as much of the app as the registry reads. */
const app = {
  workspace: { active: null, activateBeside: () => {} },
  layout: createStore({ files: true, outline: true }),
  overlay: createStore('none'),
} as unknown as App;
const commands = createCommands(app);

describe('the registry', () => {
  it('has exactly one command for every name', () => {
    expect(commands.all.map(({ id }) => id).sort()).toEqual([...COMMAND_IDS].sort());
  });

  it('has names that tell commands apart', () => {
    const titles = commands.all.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('enables nothing on a notebook when none is open', () => {
    expect(commands.enabled('run.all')).toBe(false);
    expect(commands.enabled('file.save')).toBe(false);
    expect(commands.enabled('kernel.restart')).toBe(false);
    expect(commands.enabled('file.open')).toBe(true);
    expect(() => commands.run('run.all')).not.toThrow();
    expect(() => commands.run('no.such.command')).not.toThrow();
  });

  it('runs by name', () => {
    commands.run('view.palette');
    expect(app.overlay.get()).toBe('commands');
  });
});

it('gives keys only to commands that are there', () => {
  for (const { command } of KEYMAP) expect(isCommandId(command), command).toBe(true);
});

it.each(['linux', 'darwin', 'win32'] as const)('knows every command of the application menu on %s', (platform) => {
  const sent: string[] = [];
  const visit = (items: ReturnType<typeof menuTemplate>): void => {
    for (const item of items) {
      if (Array.isArray(item.submenu)) visit(item.submenu);
      else if (item.id && !item.id.startsWith('window.')) item.click?.({} as never, undefined, {} as never);
    }
  };
  visit(menuTemplate({ platform, appName: 'Cellwright', send: (id) => sent.push(id), newWindow: () => {}, showLogs: () => {} }));
  expect(sent.length).toBeGreaterThan(20);
  expect(sent.filter((id) => !isCommandId(id))).toEqual([]);
});

describe('questions', () => {
  it('are asked one after the other', async () => {
    const questions = new Questions();
    const first = questions.ask({ title: 'First', body: '', choices: [] });
    const second = questions.ask({ title: 'Second', body: '', choices: [] });
    expect(questions.current.get()?.title).toBe('First');
    questions.current.get()?.answer('yes');
    expect(questions.current.get()?.title).toBe('Second');
    questions.current.get()?.answer(null);
    expect(await Promise.all([first, second])).toEqual(['yes', null]);
    expect(questions.current.get()).toBeNull();
  });
});
