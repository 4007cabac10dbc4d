import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closingQuestion, closingSentence, whoAsks } from '../../../main/window/closing.ts';
import { menuTemplate, sentCommands } from '../../../main/window/menu.ts';
import { BACKGROUND } from '../../../main/window/theme-look.ts';
import { besideState, DEFAULT_STATE, fitState, MIN_SIZE, type WindowState } from '../../../main/window/window-bounds.ts';
import { isCommandId } from '../../../renderer/shell/command-ids.ts';

const laptop = { x: 0, y: 25, width: 1440, height: 875 };
const external = { x: 1440, y: 0, width: 2560, height: 1440 };
const state = (change: Partial<WindowState>): WindowState => ({ ...DEFAULT_STATE, x: 100, y: 100, width: 1000, height: 700, ...change });

describe('a remembered window', () => {
  it('comes back where it was', () => {
    expect(fitState(state({}), [laptop])).toEqual(state({}));
    expect(fitState(state({ x: 2000, y: 200 }), [laptop, external])).toEqual(state({ x: 2000, y: 200 }));
  });

  it.each([
    ['on a screen that is gone', { x: 2000, y: 200 }],
    ['left of every screen', { x: -990, y: 100 }],
    ['above the screen, where it can not be moved', { x: 100, y: -300 }],
    ['below the screen', { x: 100, y: 899 }],
    ['without a place', { x: null, y: null }],
  ])('%s is placed by the system', (_, change) => {
    expect(fitState(state(change), [laptop])).toEqual(state({ x: null, y: null }));
  });

  it('is never larger than its screen nor smaller than the least', () => {
    expect(fitState(state({ width: 5000, height: 5000, x: 0, y: 25 }), [laptop])).toMatchObject({ width: 1440, height: 875 });
    expect(fitState(state({ width: 10, height: 10 }), [laptop])).toMatchObject(MIN_SIZE);
    expect(fitState(state({ width: 10, height: 10 }), [{ x: 0, y: 0, width: 300, height: 200 }])).toMatchObject({
      width: 300,
      height: 200,
    });
  });

  it('half outside stays, as long as it can be moved', () => {
    expect(fitState(state({ x: -800 }), [laptop])).toEqual(state({ x: -800 }));
  });

  it('knows what to do without any screen', () => {
    expect(fitState(state({}), [])).toMatchObject({ x: null, y: null });
  });

  it('is not covered whole by the next', () => {
    expect(besideState(state({ maximized: true }))).toEqual(state({ x: 128, y: 128 }));
    expect(besideState(DEFAULT_STATE)).toMatchObject({ x: null, y: null });
  });
});

describe('the question before closing', () => {
  const notebook = (docId: string, dirty: boolean, running: boolean) => ({ docId, title: `${docId}.ipynb`, dirty, running });

  it('is not asked when nothing is lost', () => {
    expect(closingQuestion({ notebooks: [], agents: [] })).toBeNull();
    expect(closingQuestion({ notebooks: [notebook('a', false, false)], agents: [] })).toBeNull();
  });

  it('names what is unsaved and what runs', () => {
    const agents = [{ name: 'refactor', folder: 'project' }];
    const notebooks = [notebook('a', true, false), notebook('b', false, true), notebook('c', true, true)];
    const question = closingQuestion({ notebooks, agents });
    expect(closingQuestion({ notebooks: [], agents })).toEqual({ unsaved: [], running: [], agents });
    expect(question).toEqual({
      unsaved: [
        { docId: 'a', title: 'a.ipynb' },
        { docId: 'c', title: 'c.ipynb' },
      ],
      running: [
        { docId: 'b', title: 'b.ipynb' },
        { docId: 'c', title: 'c.ipynb' },
      ],
      agents,
    });
  });

  it.each([
    [['a'], [], [], 'a.ipynb has unsaved changes.'],
    [['a', 'b'], [], [], 'a.ipynb and b.ipynb have unsaved changes.'],
    [['a', 'b', 'c', 'd'], ['a'], [], 'a.ipynb, b.ipynb and 2 more have unsaved changes. a.ipynb is still running.'],
    [[], [], ['refactor'], 'The agent refactor is running Python code.'],
    [[], ['a'], ['refactor', 'plots'], 'a.ipynb is still running. The agents refactor and plots are running Python code.'],
  ])('%s unsaved, %s running and agents %s', (unsaved, running, agents, sentence) => {
    const named = (ids: string[]) => ids.map((docId) => ({ docId, title: `${docId}.ipynb` }));
    expect(
      closingSentence({ unsaved: named(unsaved), running: named(running), agents: agents.map((name) => ({ name, folder: 'project' })) }),
    ).toBe(sentence);
  });

  it('is asked by the system when the page can not ask', () => {
    const page = { loaded: true, responsive: true, crashed: false };
    expect(whoAsks(page)).toBe('page');
    expect(whoAsks({ ...page, loaded: false })).toBe('dialog');
    expect(whoAsks({ ...page, responsive: false })).toBe('dialog');
    expect(whoAsks({ ...page, crashed: true })).toBe('dialog');
  });
});

describe('the menu', () => {
  const sent: string[] = [];
  const template = (platform: NodeJS.Platform) =>
    menuTemplate({
      platform,
      appName: 'Cellwright',
      send: (id) => sent.push(id),
      newWindow: () => sent.push('new window'),
      showLogs: () => {},
    });

  it.each(['linux', 'darwin', 'win32'] as const)('sends commands that the palette knows, each once (%s)', (platform) => {
    const commands = sentCommands(template(platform));
    expect(commands.filter((command) => !isCommandId(command))).toEqual([]);
    expect(new Set(commands).size).toBe(commands.length);
    for (const command of ['file.save', 'edit.undo', 'run.all', 'kernel.interrupt', 'view.palette', 'theme.dark']) {
      expect(commands).toContain(command);
    }
  });

  it('leaves the keys of typing to the page', () => {
    const entries = template('linux').flatMap((menu) => (Array.isArray(menu.submenu) ? menu.submenu : []));
    for (const id of ['edit.undo', 'edit.redo', 'run.cell', 'run.advance']) {
      expect(entries.find((entry) => entry.id === id)?.registerAccelerator, id).toBe(false);
    }
  });
});

it('a window opens in the colour that its page will have', () => {
  const tokens = readFileSync(new URL('../../../renderer/shell/tokens.css', import.meta.url), 'utf8');
  const backgrounds = [...tokens.matchAll(/--color-bg: (#[0-9a-f]{6});/g)].map((match) => match[1]);
  expect(Object.values(BACKGROUND)).toEqual(backgrounds);
});
