/**
 * All windows: which there are, which one a file opens in, and how the app quits. Quitting is the hard part: Electron closes the windows
 * one after another, each may ask its question, and a single `no` stops it; only a later answer can take it up again.
 */
import { app, dialog, ipcMain, nativeTheme, screen, type WebContents, type WebFrameMain } from 'electron';
import { CALL_CHANNEL, POST_CHANNEL, TAKEN_CHANNEL } from '../../preload/channels.ts';
import type { EventName, Events, ThemeChoice } from '../../preload/contract.ts';
import { errorFields, type Log } from '../log/log.ts';
import { JsonFile } from '../settings/json-file.ts';
import { AppWindow } from './app-window.ts';
import { type Closing, type ClosingSubject, closingQuestion, closingSentence, type WorkingAgent } from './closing.ts';
import { frameUrl, isTopFrame } from './frame-facts.ts';
import type { IpcRouter } from './ipc-router.ts';
import type { OpenNotebook } from './open-notebook.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';
import { maySendIpc } from './permissions.ts';
import { applyTheme, lookNow } from './theme.ts';
import { BACKGROUND } from './theme-look.ts';
import { besideState, DEFAULT_STATE, fitState, type WindowState, windowStateSchema } from './window-bounds.ts';

export interface WindowsOptions {
  notebooks: OpenNotebooks;
  /** Agents whose Python code runs now. */
  agents: () => WorkingAgent[];
  preload: string;
  icon: string;
  /** Remembers where the last window was. */
  stateFile: string;
  theme: ThemeChoice;
  /** The last window is gone. */
  onLastClosed: () => void;
  log: Log;
}

export class Windows {
  readonly #options: WindowsOptions;
  readonly #windows = new Map<number, AppWindow>();
  readonly #stateFile: JsonFile<WindowState>;
  #state: WindowState = DEFAULT_STATE;
  #theme: ThemeChoice;
  #quitting = false;
  /** Who asks about what ends with the app, or has asked; null while that is still to be asked. */
  #asksForAll: AppWindow | 'dialog' | null = null;

  constructor(options: WindowsOptions) {
    this.#options = options;
    this.#theme = options.theme;
    this.#stateFile = new JsonFile(options.stateFile, windowStateSchema);
  }

  /** Call once, after the app is ready. */
  async start(router: IpcRouter<PageWindow>): Promise<void> {
    ipcMain.handle(CALL_CHANNEL, (event, name, args) => router.call(this.#sender(event.sender, event.senderFrame), name, args));
    ipcMain.on(POST_CHANNEL, (event, name, payload) => router.post(this.#sender(event.sender, event.senderFrame), name, payload));
    ipcMain.on(TAKEN_CHANNEL, (event) => this.#sender(event.sender, event.senderFrame)?.taken());
    applyTheme(this.#theme);
    nativeTheme.on('updated', () => this.#showTheme());
    app.on('before-quit', (event) => {
      this.#quitting = true;
      const question = this.#windows.size > 0 || this.#asksForAll !== null ? null : closingQuestion(this.#behind());
      if (!question) return;
      event.preventDefault();
      void this.#askToQuit(question);
    });
    app.on('window-all-closed', () => {
      // On a Mac an app without windows stays; unless it is quitting and the last window's question held it up.
      if (process.platform !== 'darwin' || this.#quitting) app.quit();
    });
    app.on('activate', () => {
      if (this.#windows.size === 0) this.open();
    });
    this.#state = (await this.#stateFile.read(DEFAULT_STATE)).value;
  }

  /** Opens a window; `files` are shown in it. */
  open(files: string[] = []): AppWindow {
    const last = [...this.#windows.values()].at(-1);
    const wanted = last ? besideState(last.state()) : this.#state;
    const { preload, icon, log } = this.#options;
    const window = new AppWindow({
      state: fitState(wanted, workAreas()),
      theme: this.#theme,
      preload,
      icon,
      files,
      closing: (view) => this.#closing(view),
      onKept: () => {
        this.#quitting = false;
        this.#asksForAll = null;
      },
      onClosed: (closed) => this.#closed(closed),
      log,
    });
    this.#windows.set(window.id, window);
    window.browser.on('close', () => {
      this.#state = window.state();
    });
    return window;
  }

  /** Shows files in the window in front, or in a new one. Without files it brings that window to the front. */
  openFiles(files: readonly string[]): void {
    const window = this.#inFront();
    if (!window) {
      this.open([...files]);
      return;
    }
    for (const file of files) window.openFile(file);
    window.bringToFront();
  }

  sendToFront<N extends EventName>(name: N, payload: Events[N]): void {
    this.#inFront()?.send(name, payload);
  }

  /** The windows that are open. */
  all(): Iterable<AppWindow> {
    return this.#windows.values();
  }

  setTheme(theme: ThemeChoice): void {
    this.#theme = theme;
    applyTheme(theme);
    this.#showTheme();
  }

  /** Closes every window without a question. */
  closeAll(): void {
    for (const window of this.#windows.values()) window.closeNow();
  }

  /** At the app's end: remembers the last window, if there still is one. Windows that the end closes are not remembered any more. */
  async end(): Promise<void> {
    const last = [...this.#windows.values()].at(-1);
    if (last) this.#remember(last.state());
    await this.#stateFile.end();
  }

  /** What ends with the window alone, and where the app ends with it, what runs behind all windows. */
  #closing(window: AppWindow): Closing {
    const shown = this.#options.notebooks.shownOnlyBy(window).map(subjectOf);
    if (!this.#endsApp(window)) return { notebooks: shown, agents: [] };
    const { notebooks, agents } = this.#behind();
    return { notebooks: [...shown, ...notebooks], agents };
  }

  /** Once for all windows: when the app quits, the first of them asks for what they have in common. */
  #endsApp(window: AppWindow): boolean {
    const isLast = process.platform !== 'darwin' && [...this.#windows.values()].every((other) => other === window || other.leaving);
    if (!this.#quitting && !isLast) return false;
    this.#asksForAll ??= window;
    return this.#asksForAll === window;
  }

  /** What goes on without being in a window: notebooks that agents run, and their Python. */
  #behind(): Closing {
    const { notebooks, agents } = this.#options;
    const unseen = notebooks.opened().filter(({ feed, running }) => feed.views.size === 0 && running);
    // What agents left unsaved is saved without a question.
    return { notebooks: unseen.map((each) => ({ ...subjectOf(each), dirty: false })), agents: agents() };
  }

  /** Without a window there is no page that could ask. */
  async #askToQuit(question: Events['window.closing']): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: 'Quit Cellwright?',
      detail: closingSentence(question),
      buttons: ['Keep running', 'Stop and quit'],
      defaultId: 0,
      cancelId: 0,
    });
    this.#quitting = response === 1;
    this.#asksForAll = response === 1 ? 'dialog' : null;
    if (response === 1) app.quit();
  }

  #showTheme(): void {
    const look = lookNow(this.#theme);
    for (const window of this.#windows.values()) {
      window.browser.setBackgroundColor(BACKGROUND[look]);
      window.send('theme.changed', { theme: this.#theme, dark: look !== 'light' });
    }
  }

  #closed(window: AppWindow): void {
    const { notebooks } = this.#options;
    this.#windows.delete(window.id);
    this.#remember(this.#state);
    void notebooks.viewGone(window);
    if (this.#windows.size === 0) this.#options.onLastClosed();
    // A window that asked stopped the quit it was part of; it goes on now that the person has agreed.
    if (this.#quitting && this.#windows.size > 0) app.quit();
  }

  #remember(state: WindowState): void {
    const { log } = this.#options;
    this.#stateFile.write(state).catch((error: unknown) => log.warn('window.state-not-written', errorFields(error)));
  }

  #inFront(): AppWindow | undefined {
    const all = [...this.#windows.values()];
    return all.find((window) => window.browser.isFocused()) ?? all.at(-1);
  }

  /** The window that a message comes from, or null when it is not one of our pages. */
  #sender(contents: WebContents, frame: WebFrameMain | null): AppWindow | null {
    const window = this.#windows.get(contents.id);
    const verdict = maySendIpc({
      knownWindow: window !== undefined,
      topFrame: isTopFrame(frame, contents),
      url: frameUrl(frame),
    });
    return verdict.allow && window ? window : null;
  }
}

function subjectOf({ id, document, running }: OpenNotebook): ClosingSubject {
  return { docId: id, title: document.title, dirty: document.dirty, running };
}

/** Work areas of the screens, the primary one first. */
function workAreas() {
  const primary = screen.getPrimaryDisplay();
  return [primary, ...screen.getAllDisplays().filter((display) => display.id !== primary.id)].map((display) => display.workArea);
}
