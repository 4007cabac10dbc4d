/** The calls about the app itself: start, dialogs, links, theme, folders, and the answer to a closing question. */
import path from 'node:path';
import type { StartInfo, ThemeChoice } from '../../preload/contract.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { RecentFiles } from '../settings/recent-files.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { EXAMPLES } from './examples.ts';
import { ActionError } from './failure.ts';
import { listFolder } from './folder-list.ts';
import type { CallHandlers, PostHandlers } from './ipc-router.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { Desktop, PageWindow } from './page-window.ts';
import { mayOpenExternal } from './permissions.ts';

export interface AppCallsOptions {
  version: string;
  platform: StartInfo['platform'];
  home: string;
  /** Where the app was started: the side bar's folder until another is chosen. */
  startFolder: string;
  /** How an agent is connected, as one line for the start view. */
  agentCommand: string;
  settings: SettingsStore;
  recent: RecentFiles;
  /** What the person should know about settings, told to the first window. */
  notices: string[];
  notebooks: OpenNotebooks;
  desktop: Desktop;
  log: Log;
}

type AppCalls = Pick<
  CallHandlers<PageWindow>,
  Extract<keyof CallHandlers<PageWindow>, `app.${string}` | `files.${string}` | `window.${string}`>
>;

export function appCalls(options: AppCallsOptions): AppCalls {
  const { settings, desktop, log } = options;
  return {
    'app.start': (window) => startInfo(options, window),
    'app.openDialog': async (window) => ({ paths: await window.askForNotebooks() }),
    'app.openExternal': async (_window, { url }) => {
      const verdict = mayOpenExternal(url);
      if (!verdict.allow) throw new ActionError('forbidden', 'This link was not opened.', verdict.why);
      await desktop.openExternal(url);
      return null;
    },
    'app.setTheme': (_window, { theme }) => {
      desktop.setTheme(theme);
      remember(settings.set('theme', theme), log);
      return null;
    },
    'app.copyText': (_window, { text }) => {
      desktop.copyText(text);
      return null;
    },
    'files.list': (_window, { folder }) => {
      if (!path.isAbsolute(folder)) throw new ActionError('bad-path', 'The folder’s path is not absolute.');
      return listFolder(folder);
    },
    'files.chooseFolder': async (window) => {
      const folder = await window.askForFolder(settings.get('folder') ?? options.startFolder);
      if (folder !== null) remember(settings.set('folder', folder), log);
      return { folder };
    },
    'window.close': (window, { proceed }) => {
      window.answerClose(proceed);
      return null;
    },
  };
}

/** What a window says about its tabs, kept for its next load. */
export function tabPosts(): Pick<PostHandlers<PageWindow>, 'window.tabs'> {
  return {
    'window.tabs': (window, tabs) => {
      window.tabs = tabs;
    },
  };
}

async function startInfo(options: AppCallsOptions, window: PageWindow): Promise<StartInfo> {
  const { version, platform, home, startFolder, agentCommand, settings, recent, notebooks } = options;
  const shown = tabOrder(
    window.tabs.open,
    notebooks.shownBy(window).map((notebook) => notebook.id),
  );
  return {
    version,
    platform,
    folder: settings.get('folder') ?? startFolder,
    home,
    recent: await recent.list(),
    examples: EXAMPLES.map(({ name, title, description }) => ({ name, title, description })),
    theme: settings.get('theme') satisfies ThemeChoice,
    open: [...shown, ...window.takeFiles()],
    active: window.tabs.active !== null && shown.includes(window.tabs.active) ? window.tabs.active : null,
    agentCommand,
    notices: options.notices.splice(0),
  };
}

/** The notebooks that are still shown, in the order the window last told; those it never told come last. */
export function tabOrder(told: readonly string[], shown: readonly string[]): string[] {
  return [...told.filter((id) => shown.includes(id)), ...shown.filter((id) => !told.includes(id))];
}

/** The change holds for this start even when the disk refuses it. */
function remember(writing: Promise<void>, log: Log): void {
  writing.catch((error: unknown) => log.warn('settings.write-failed', errorFields(error)));
}
