/** The app's windows from start to end: files, second starts, closing with unsaved work, crashes, settings. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DocumentState } from '../../../preload/contract.ts';
import { editSource, sourceOf } from './edit-source.ts';
import {
  call,
  codeCell,
  collect,
  endOf,
  makePlace,
  must,
  type RunningApp,
  ready,
  received,
  removePlace,
  startApp,
  startBeside,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from './start-app.ts';

let place: TestPlace;
let app: RunningApp;
let a: string;
let b: string;

beforeEach(async () => {
  place = await makePlace();
  a = await writeNotebook(path.join(place.folder, 'a.ipynb'), [codeCell('1 + 1')]);
  b = await writeNotebook(path.join(place.folder, 'b.ipynb'), [codeCell('2 + 2')]);
});

afterEach(async () => {
  await stopApp(app);
  await removePlace(place);
});

/** Paths of the notebooks that a window shows. */
async function shown(page: Page): Promise<string[]> {
  const { open } = await must(page, 'app.start', undefined);
  const paths = await Promise.all(open.map(async (each) => (await must(page, 'doc.open', { path: each })).document.path));
  return paths.filter((each) => each !== null);
}

async function openDirty(page: Page): Promise<DocumentState> {
  const snapshot = await must(page, 'doc.open', { path: a });
  await editSource(page, snapshot, 0, 'edited');
  return until(async () => {
    const { document } = await must(page, 'doc.attach', { docId: snapshot.document.docId });
    return document.dirty && document;
  });
}

async function openWindow(): Promise<Page> {
  const opened = app.electron.waitForEvent('window');
  await app.electron.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('window.new')?.click());
  const page = await opened;
  await ready(page);
  return page;
}

function closeWindow(index = 0): Promise<void> {
  return app.electron.evaluate(({ BrowserWindow }, at) => BrowserWindow.getAllWindows()[at]?.close(), index);
}

/** Says yes to the closing question; the page is gone before an answer could come back. */
function agree(): Promise<void> {
  return app.page.evaluate(() => void setTimeout(() => void window.cellwright.call('window.close', { proceed: true })));
}

/** What the system's message boxes answer from now on, and what they said. */
async function answerDialogs(response: number): Promise<() => Promise<string[]>> {
  await app.electron.evaluate(({ dialog }, chosen) => {
    const said: string[] = [];
    Object.assign(globalThis, { said });
    const answer = (...args: unknown[]) => {
      said.push((args.at(-1) as { message: string }).message);
      return Promise.resolve({ response: chosen, checkboxChecked: false });
    };
    Object.assign(dialog, { showMessageBox: answer });
  }, response);
  return () => app.electron.evaluate(() => (globalThis as unknown as { said: string[] }).said);
}

describe('starting', () => {
  it('shows the files of the command line in their order', async () => {
    app = await startApp(place, [a, 'b.ipynb']);
    expect(await until(async () => ((await shown(app.page)).length === 2 ? shown(app.page) : null))).toEqual([a, b]);
  });

  it('a second time hands its files to the first and ends', async () => {
    app = await startApp(place, [a]);
    await collect(app.page, ['app.openFile']);
    const second = startBeside(place, [b]);
    expect(await endOf(second)).toEqual({ code: 0, signal: null });
    const event = await until(async () => (await received(app.page))[0]);
    expect(event).toEqual(['app.openFile', { path: b }]);
    expect(app.electron.windows()).toHaveLength(1);
  });

  it('beside an app of another profile is a start of its own', async () => {
    app = await startApp(place);
    const other = await makePlace();
    const second = await startApp(other);
    expect((await must(second.page, 'app.start', undefined)).version).toMatch(/^\d+\./);
    await stopApp(second);
    await removePlace(other);
  });

  it('comes back with the settings and the size it had', async () => {
    app = await startApp(place);
    await collect(app.page, ['theme.changed']);
    await must(app.page, 'app.setTheme', { theme: 'dark' });
    await until(async () => (await received(app.page)).some(([, payload]) => payload.dark === true));
    await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 60, width: 900, height: 700 }),
    );
    await closeWindow();
    await endOf(app.child);
    app = await startApp(place);
    expect((await must(app.page, 'app.start', undefined)).theme).toBe('dark');
    expect(await app.page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true);
    const state = await app.electron.evaluate(({ BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows()[0]!;
      return { bounds: window.getNormalBounds(), background: window.getBackgroundColor() };
    });
    expect(state.bounds).toMatchObject({ width: 900, height: 700 });
    expect(state.background.toLowerCase()).toBe('#1c1b1a');
  });

  it('with settings that can not be read says so and keeps them', async () => {
    const file = path.join(place.profile, 'settings.json');
    await writeFile(file, '{"theme": "dark",');
    app = await startApp(place);
    expect(await readFile(`${file}.unreadable-1`, 'utf8')).toBe('{"theme": "dark",');
    expect((await must(app.page, 'app.start', undefined)).theme).toBe('system');
  });

  it('can be told a theme for once', async () => {
    app = await startApp(place, ['--theme=dark']);
    expect((await must(app.page, 'app.start', undefined)).theme).toBe('dark');
    await expect(readFile(path.join(place.profile, 'settings.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('two windows', () => {
  it('share one document, and each is told only what the other does', async () => {
    app = await startApp(place);
    const second = await openWindow();
    const first = await must(app.page, 'doc.open', { path: a });
    const same = await must(second, 'doc.open', { path: a });
    expect(same.document.docId).toBe(first.document.docId);
    await collect(app.page, ['doc.update', 'doc.state']);
    await collect(second, ['doc.update', 'doc.state']);
    await editSource(app.page, first, 0, 'from the first');
    await until(async () => (await received(second)).some(([name]) => name === 'doc.update'));
    await until(async () => (await received(app.page)).some(([name, payload]) => name === 'doc.state' && payload.dirty === true));
    expect((await received(app.page)).filter(([name]) => name === 'doc.update')).toEqual([]);
    expect(sourceOf(await must(second, 'doc.attach', { docId: first.document.docId }), 0)).toBe('from the first');
    await second.close();
    expect(await call(app.page, 'doc.save', { docId: first.document.docId })).toMatchObject({ ok: true });
    expect(await readFile(a, 'utf8')).toContain('from the first');
  });

  it('close without a question what the other still shows', async () => {
    app = await startApp(place);
    const second = await openWindow();
    await openDirty(app.page);
    await must(second, 'doc.open', { path: a });
    const gone = second.waitForEvent('close');
    await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find((window) => window.webContents.id === 2)
        ?.close(),
    );
    await gone;
    expect(app.electron.windows()).toHaveLength(1);
  });
});

describe('closing', () => {
  it('without unsaved work ends the app', async () => {
    app = await startApp(place, [a]);
    await closeWindow();
    expect(await endOf(app.child)).toEqual({ code: 0, signal: null });
  });

  it('asks about unsaved work, and a no changes nothing', async () => {
    app = await startApp(place);
    const { docId, title } = await openDirty(app.page);
    await collect(app.page, ['window.closing']);
    for (const _ of [1, 2]) {
      const before = (await received(app.page)).length;
      await closeWindow();
      await until(async () => (await received(app.page)).length > before);
      await must(app.page, 'window.close', { proceed: false });
    }
    expect((await received(app.page)).map(([, payload]) => payload)).toEqual(
      Array(2).fill({ unsaved: [{ docId, title }], running: [], agents: [] }),
    );
    expect((await must(app.page, 'doc.attach', { docId })).document.dirty).toBe(true);
    expect(sourceOf(await must(app.page, 'doc.attach', { docId }), 0)).toBe('edited');
  });

  it('goes on after a yes, and leaves the file as it was', async () => {
    const before = await readFile(a, 'utf8');
    app = await startApp(place);
    await openDirty(app.page);
    await collect(app.page, ['window.closing']);
    await closeWindow();
    await until(async () => (await received(app.page)).length > 0);
    const ended = endOf(app.child);
    await agree();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await readFile(a, 'utf8')).toBe(before);
  });

  it('a yes that nobody asked for does nothing', async () => {
    app = await startApp(place);
    await must(app.page, 'window.close', { proceed: true });
    expect((await must(app.page, 'app.start', undefined)).version).toBeTruthy();
  });

  it('a tab with unsaved work needs a word, too', async () => {
    app = await startApp(place);
    const { docId } = await openDirty(app.page);
    expect(await call(app.page, 'doc.close', { docId, discard: false, stop: false })).toMatchObject({
      ok: false,
      error: { code: 'unsaved' },
    });
    await must(app.page, 'doc.close', { docId, discard: true, stop: true });
    expect(await call(app.page, 'doc.save', { docId })).toMatchObject({ ok: false, error: { code: 'not-open' } });
    expect(sourceOf(await must(app.page, 'doc.open', { path: a }), 0)).toBe('1 + 1');
  });

  it('every window by quitting asks each, and one no keeps that one', async () => {
    app = await startApp(place);
    const second = await openWindow();
    await must(second, 'doc.open', { path: b });
    await openDirty(app.page);
    await collect(app.page, ['window.closing']);
    const gone = second.waitForEvent('close');
    await app.electron.evaluate(({ app: electron }) => electron.quit());
    await gone;
    await until(async () => (await received(app.page)).length > 0);
    await must(app.page, 'window.close', { proceed: false });
    await app.electron.evaluate(({ app: electron }) => electron.quit());
    await until(async () => (await received(app.page)).length > 1);
    const ended = endOf(app.child);
    await agree();
    expect((await ended).code).toBe(0);
  });

  it('by a signal asks nobody', async () => {
    app = await startApp(place);
    await openDirty(app.page);
    app.child.kill('SIGTERM');
    expect(await endOf(app.child)).toEqual({ code: 143, signal: null });
  });
});

describe('a page that fails', () => {
  it('is loaded again after a crash, with its notebooks and unsaved work', async () => {
    app = await startApp(place);
    const { docId } = await openDirty(app.page);
    const said = await answerDialogs(0);
    const loaded = app.electron.evaluate(
      ({ BrowserWindow }) =>
        new Promise<void>((resolve) => {
          const { webContents } = BrowserWindow.getAllWindows()[0]!;
          webContents.once('did-finish-load', () => resolve());
          webContents.forcefullyCrashRenderer();
        }),
    );
    await loaded;
    expect(await said()).toEqual(['This window’s page ended unexpectedly.']);
    const ask = (script: string) =>
      app.electron.evaluate(({ BrowserWindow }, text) => BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(text), script);
    const start = await ask('window.cellwright.call("app.start")');
    expect(start.value.open).toEqual([docId]);
    const attached = await ask(`window.cellwright.call("doc.attach", { docId: "${docId}" }).then((answer) => answer.value.document.dirty)`);
    expect(attached).toBe(true);
  });

  it('does not keep the window from being closed', async () => {
    app = await startApp(place);
    await openDirty(app.page);
    const said = await answerDialogs(1);
    const ended = endOf(app.child);
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.forcefullyCrashRenderer());
    expect((await ended).code).toBe(0);
    await expect(said()).rejects.toThrow();
  });
});

describe('the menu', () => {
  it('sends its command to the page once', async () => {
    app = await startApp(place);
    await collect(app.page, ['menu.command']);
    await app.electron.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('run.all')?.click());
    await until(async () => (await received(app.page)).length > 0);
    expect(await received(app.page)).toEqual([['menu.command', { id: 'run.all' }]]);
  });
});

describe('a key', () => {
  const press = (keyCode: string, modifiers: ('control' | 'shift')[]) =>
    app.electron.evaluate(
      ({ BrowserWindow }, [code, held]) => {
        const { webContents } = BrowserWindow.getAllWindows()[0]!;
        webContents.focus();
        for (const type of ['keyDown', 'keyUp'] as const) webContents.sendInputEvent({ type, keyCode: code, modifiers: held });
      },
      [keyCode, modifiers] as const,
    );
  const tabs = async () => (await must(app.page, 'app.start', undefined)).open.length;

  it.runIf(process.platform !== 'darwin')('that page and menu both know is obeyed once', async () => {
    app = await startApp(place);
    for (const count of [1, 2]) {
      await press('N', ['control']);
      await until(async () => (await tabs()) >= count);
      await app.page.waitForTimeout(500);
      expect(await tabs()).toBe(count);
    }
  });

  it.runIf(process.platform !== 'darwin')('that the menu alone knows is obeyed', async () => {
    app = await startApp(place);
    const opened = app.electron.waitForEvent('window');
    await press('N', ['control', 'shift']);
    await ready(await opened);
    expect(app.electron.windows()).toHaveLength(2);
  });
});

describe('the examples', () => {
  it('open as files of the person’s own, unchanged and without a question', async () => {
    app = await startApp(place);
    const { examples } = await must(app.page, 'app.start', undefined);
    expect(examples).toHaveLength(2);
    for (const { name } of examples) {
      const { document } = await must(app.page, 'doc.example', { name });
      expect(document).toMatchObject({ dirty: false, readOnly: false, notices: [] });
      expect(document.path).toContain(place.profile);
    }
    expect((await must(app.page, 'app.start', undefined)).recent).toEqual([]);
    await closeWindow();
    expect((await endOf(app.child)).code).toBe(0);
  });
});

it('the files in the side bar and the recent ones are those on disk', async () => {
  app = await startApp(place);
  expect((await must(app.page, 'files.list', { folder: place.folder })).map(({ name, kind }) => [name, kind])).toEqual([
    ['a.ipynb', 'notebook'],
    ['b.ipynb', 'notebook'],
  ]);
  await must(app.page, 'doc.open', { path: b });
  await must(app.page, 'doc.open', { path: a });
  const { recent, folder } = await must(app.page, 'app.start', undefined);
  expect(recent.map((file) => file.path)).toEqual([a, b]);
  expect(folder).toBe(place.folder);
  expect(await call(app.page, 'files.list', { folder: '/nowhere' })).toMatchObject({ ok: false, error: { code: 'enoent' } });
  expect(await call(app.page, 'files.list', { folder: 'relative' })).toMatchObject({ ok: false, error: { code: 'bad-path' } });
});
