/**
 * What the page of a notebook keeps between drawings, and while its tab is at the back: scroll place, carets, the pointer's cell. The list of
 * cells registers its handle here while it is drawn, because most cells are not drawn at all.
 */
import type { CaretPlace } from '../cells/editor/cell-editor.ts';
import { createStore } from '../shell/store.ts';

export interface ListHandle {
  /** Brings a cell into view with the least movement. */
  reveal(key: string): void;
  /** Brings a line into view that is at these heights on the screen. */
  revealLine(top: number, bottom: number): void;
  /** Begins to move cells with the pointer. */
  startDrag(key: string, event: PointerEvent): void;
}

export class PageState {
  list: ListHandle | null = null;
  /** Where the page was scrolled to when the tab went to the back, and the heights known then. */
  scrollMemory: { offset: number; measurements: unknown } | null = null;
  /** When the page was last scrolled (`performance.now()`): what can wait until it rests does. */
  scrolledAt = 0;
  /** The cell the pointer is on, and the one on whose source it has come to rest. */
  readonly pointed = createStore<string | null>(null);
  readonly restedOn = createStore<string | null>(null);
  /** Where the caret goes when the next cell takes the focus in edit mode. */
  caret: CaretPlace = 'keep';
  /** Where the caret was in cells that have no editor now. */
  readonly carets = new Map<string, number>();
  /** The last request for the focus that a cell has followed: a cell that is drawn again must not take it a second time. */
  focusServed = 0;
  /** Notices about the file that the person has put away. */
  noticesPutAway: readonly string[] = [];
}
