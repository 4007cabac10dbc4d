/**
 * Who owns notebooks, as agents see it: the app's windows, or a program without any. Both give a notebook with its document and its session,
 * and keep it for as long as somebody holds it.
 */
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { NotebookSession } from '../execution/notebook-session.ts';
import type { WidgetOutputs } from './widget-outputs.ts';

export interface OwnedNotebook {
  readonly document: NotebookDocument;
  readonly session: NotebookSession;
  readonly artifactFolder: string;
  /** A window shows it now: what is unsaved in it is the person's to save. */
  readonly isShown?: boolean;
  readonly widgets: WidgetOutputs;
}

export interface NotebookHold<N extends OwnedNotebook = OwnedNotebook> {
  readonly notebook: N;
  /** Lets go. The last one to go ends the kernel and forgets the document, unless a window shows it. Idempotent. */
  release(): Promise<void>;
}

export interface NotebookOwner {
  /** The live notebook of this file, opened if need be; no window shows it for that. Throws NotebookOpenError. */
  hold(filePath: string): Promise<NotebookHold>;
  /** A notebook that is open already, by its document's id; null when none is. */
  holdOpen(docId: string): NotebookHold | null;
  /** Every notebook that is open, by whomever. */
  opened(): readonly OwnedNotebook[];
}
