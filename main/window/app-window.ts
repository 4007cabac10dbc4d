/**
 * One window of the app: its page, its look before the page has painted, the question before it closes, and what happens when the page
 * crashes or hangs. A reload keeps the object, so documents and kernels stay attached to it; only `closed` ends it.
 */
import { BrowserWindow, dialog, type Event } from 'electron';
import { EVENT_CHANNEL } from '../../preload/channels.ts';
import type { EventName, Events, ThemeChoice } from '../../preload/contract.ts';
import type { Log } from '../log/log.ts';
import { type Closing, closingQuestion, closingSentence, whoAsks } from './closing.ts';
import { LOCKED_DOWN } from './locked-down.ts';
import type { ExportKind, PageWindow, Tabs } from './page-window.ts';
import { APP_ORIGIN } from './permissions.ts';
import { lookNow } from './theme.ts';
import { BACKGROUND } from './theme-look.ts';
import { MIN_SIZE, type WindowState } from './window-bounds.ts';

/** About half a second of messages; each may carry up to a megabyte, so this bounds what a hanging page costs. */
const MAX_UNTAKEN_EVENTS = 32;

const NOTEBOOKS = [{ name: 'Jupyter notebooks', extensions: ['ipynb'] }];

export interface AppWindowOptions {
  state: WindowState;
  theme: ThemeChoice;
  preload: string;
  icon: string;
  files: string[];
  /** What ends with this window. */
  closing: (window: AppWindow) => Closing;
  /** The person kept the window open. */
  onKept: () => void;
  onClosed: (window: AppWindow) => void;
  log: Log;
}

export class AppWindow implements PageWindow {
  readonly id: number;
  readonly browser: BrowserWindow;
  tabs: Tabs = { open: [], active: null };
  readonly #options: AppWindowOptions;
  #files: string[];
  #page = { loaded: false, responsive: true, crashed: false };
  #mayClose = false;
  #asking = false;
  #untaken = 0;
  /** What was said in this turn of the event loop. */
  #unsent: [EventName, unknown][] = [];
  /** The person had a hanging page ended in order to reload it. */
  #reloadWhenGone = false;

  constructor(options: AppWindowOptions) {
    this.#options = options;
    this.#files = [...options.files];
    const { x, y, width, height, maximized } = options.state;
    const look = lookNow(options.theme);
    this.browser = new BrowserWindow({
      ...(x !== null && y !== null ? { x, y } : {}),
      width,
      height,
      minWidth: MIN_SIZE.width,
      minHeight: MIN_SIZE.height,
      title: 'Cellwright',
      icon: options.icon,
      show: false,
      backgroundColor: BACKGROUND[look],
      autoHideMenuBar: true,
      webPreferences: {
        preload: options.preload,
        ...LOCKED_DOWN,
      },
    });
    this.id = this.browser.webContents.id;
    if (maximized) this.browser.maximize();
    this.#watch();
    void this.browser.loadURL(`${APP_ORIGIN}/index.html?theme=${look}`).catch(() => {});
  }

  send<N extends EventName>(name: N, payload: Events[N]): void {
    // Between a crash and the next load there is no page to send to; a page that loads asks for everything anew.
    if (this.browser.isDestroyed() || this.#page.crashed) return;
    // Large content comes as several events of one kind; those stay apart, so that the page can draw in between.
    if (this.#unsent.some(([earlier]) => earlier === name)) this.#sendNow();
    // Not later than in this turn: what is said before a call's answer must arrive before it.
    if (this.#unsent.push([name, payload]) === 1) queueMicrotask(() => this.#sendNow());
  }

  /** As one message: the page draws once for all of it. */
  #sendNow(): void {
    const events = this.#unsent;
    this.#unsent = [];
    if (events.length === 0 || this.browser.isDestroyed() || this.#page.crashed) return;
    this.#untaken += 1;
    this.browser.webContents.send(EVENT_CHANNEL, events);
  }

  get behind(): boolean {
    return this.#untaken > MAX_UNTAKEN_EVENTS;
  }

  /** The page has taken one message. */
  taken(): void {
    this.#untaken = Math.max(0, this.#untaken - 1);
  }

  takeFiles(): string[] {
    return this.#files.splice(0);
  }

  /** Opens a file in this window: at once when the page is there, else with its start. */
  openFile(path: string): void {
    if (this.#page.loaded) this.send('app.openFile', { path });
    else this.#files.push(path);
  }

  bringToFront(): void {
    if (this.browser.isMinimized()) this.browser.restore();
    this.browser.show();
    this.browser.focus();
  }

  answerClose(proceed: boolean): void {
    if (!this.#asking) return;
    this.#asking = false;
    if (proceed) this.closeNow();
    else this.#options.onKept();
  }

  /** Closes without a question: everything was asked, or the app must end. */
  closeNow(): void {
    this.#mayClose = true;
    this.browser.close();
  }

  async askForNotebooks(): Promise<string[]> {
    const answer = await dialog.showOpenDialog(this.browser, { properties: ['openFile', 'multiSelections'], filters: NOTEBOOKS });
    return answer.canceled ? [] : answer.filePaths;
  }

  async askForFolder(present: string): Promise<string | null> {
    const answer = await dialog.showOpenDialog(this.browser, { properties: ['openDirectory', 'createDirectory'], defaultPath: present });
    return answer.canceled ? null : (answer.filePaths[0] ?? null);
  }

  async askForSavePath(suggested: string): Promise<string | null> {
    const answer = await dialog.showSaveDialog(this.browser, { defaultPath: suggested, filters: NOTEBOOKS });
    if (answer.canceled || !answer.filePath) return null;
    return /\.ipynb$/i.test(answer.filePath) ? answer.filePath : `${answer.filePath}.ipynb`;
  }

  async askForExportPath(suggested: string, { label, extension }: ExportKind): Promise<string | null> {
    const answer = await dialog.showSaveDialog(this.browser, {
      defaultPath: suggested,
      filters: [{ name: label, extensions: [extension] }],
    });
    return answer.canceled || !answer.filePath ? null : answer.filePath;
  }

  /** It closes, and nothing will be asked any more. */
  get leaving(): boolean {
    return this.#mayClose;
  }

  /** Where the window is when it is not maximized, and whether it is. */
  state(): WindowState {
    return { ...this.browser.getNormalBounds(), maximized: this.browser.isMaximized() };
  }

  #watch(): void {
    const { browser } = this;
    const contents = browser.webContents;
    browser.once('ready-to-show', () => browser.show());
    browser.on('close', (event) => this.#beforeClose(event));
    browser.on('closed', () => this.#options.onClosed(this));
    browser.on('unresponsive', () => void this.#offerEnd());
    browser.on('responsive', () => {
      this.#page.responsive = true;
    });
    contents.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) {
        this.#page = { loaded: false, responsive: true, crashed: false };
        this.#untaken = 0;
        // The page that was asked is gone with its question.
        if (this.#asking) this.answerClose(false);
      }
    });
    contents.on('did-finish-load', () => {
      this.#page.loaded = true;
      // What was sent before there was a page to take it is never said to be taken.
      this.#untaken = 0;
      // A page that can't load never becomes ready to show; it must be seen all the same.
      if (!browser.isVisible()) browser.show();
    });
    contents.on('render-process-gone', (_event, details) => this.#pageGone(details.reason));
    contents.on('preload-error', (_event, _path, error) => this.#options.log.error('window.preload-failed', { message: error.message }));
  }

  #beforeClose(event: Event): void {
    if (this.#mayClose) return;
    const question = closingQuestion(this.#options.closing(this));
    if (!question) {
      this.#mayClose = true;
      return;
    }
    event.preventDefault();
    this.#asking = true;
    this.bringToFront();
    if (whoAsks(this.#page) === 'page') this.send('window.closing', question);
    else void this.#askByDialog(closingSentence(question));
  }

  async #askByDialog(detail: string): Promise<void> {
    const { response } = await dialog.showMessageBox(this.browser, {
      type: 'warning',
      message: 'Close this window?',
      detail,
      buttons: ['Keep open', 'Close and lose it'],
      defaultId: 0,
      cancelId: 0,
    });
    this.answerClose(response === 1);
  }

  #pageGone(reason: string): void {
    if (reason === 'clean-exit') return;
    this.#page.crashed = true;
    this.#options.log.error('window.crashed', { reason });
    if (this.#reloadWhenGone) this.browser.webContents.reload();
    else void this.#offerReload();
    this.#reloadWhenGone = false;
  }

  async #offerReload(): Promise<void> {
    const { response } = await dialog.showMessageBox(this.browser, {
      type: 'error',
      message: 'This window’s page ended unexpectedly.',
      detail: 'Your notebooks and kernels are not affected: what runs goes on, and unsaved changes are kept. Reload to see them again.',
      buttons: ['Reload', 'Close window'],
      defaultId: 0,
    });
    if (this.browser.isDestroyed()) return;
    if (response === 0) this.browser.webContents.reload();
    else this.browser.close();
  }

  async #offerEnd(): Promise<void> {
    this.#page.responsive = false;
    this.#options.log.warn('window.unresponsive');
    const { response } = await dialog.showMessageBox(this.browser, {
      type: 'warning',
      message: 'This window’s page does not answer.',
      detail: 'What runs goes on. Wait a little, or reload the page: notebooks, kernels and unsaved changes are kept.',
      buttons: ['Wait', 'Reload'],
      defaultId: 0,
      cancelId: 0,
    });
    if (response === 0 || this.browser.isDestroyed() || this.#page.responsive) return;
    // A page that hangs can't be reloaded: its process has to end first.
    this.#reloadWhenGone = true;
    this.browser.webContents.forcefullyCrashRenderer();
  }
}
