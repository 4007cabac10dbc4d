/**
 * What the handlers of calls need of a window and of the desktop, without Electron: so that every call can be tried in plain Node, with
 * real notebooks and real kernels.
 */
import type { ThemeChoice } from '../../preload/contract.ts';
import type { View } from './notebook-feed.ts';

/** The notebooks of a window in tab order, and the one in front. */
export interface Tabs {
  open: string[];
  active: string | null;
}

/** A kind of file that something is exported to, as the dialog names it. */
export interface ExportKind {
  label: string;
  extension: string;
}

export interface PageWindow extends View {
  tabs: Tabs;
  /** Files given on the command line that this window has not been told yet; asked for once. */
  takeFiles(): string[];
  /** The person's answer to the question that `window.closing` asked. */
  answerClose(proceed: boolean): void;
  askForNotebooks(): Promise<string[]>;
  askForFolder(present: string): Promise<string | null>;
  /** Where to save; null when the person cancels. */
  askForSavePath(suggested: string): Promise<string | null>;
  /** Where to put an export; null when the person cancels. */
  askForExportPath(suggested: string, kind: ExportKind): Promise<string | null>;
}

export interface Desktop {
  openExternal(url: string): Promise<void>;
  copyText(text: string): void;
  /** Sets the theme of every window. */
  setTheme(theme: ThemeChoice): void;
}
