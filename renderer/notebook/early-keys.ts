/**
 * Keys that are pressed while a cell is to be edited and its editor does not have the keyboard yet: right after the start, when editors are still being
 * loaded, or while the cell is scrolled to. They reach the editor in their order as soon as it is there; taken for commands they would change cells.
 */

/** What decides what a key press is. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
  getModifierState(name: string): boolean;
}

export interface Typing<P extends Press> {
  /** Whether what is typed still goes into the editor: an earlier key may have led out of it. */
  hasFocus(): boolean;
  type(text: string): void;
  /** Presses a key where the keyboard is now. */
  press(press: P): void;
}

export class EarlyKeys<P extends Press> {
  #kept: P[] = [];

  /** False when the person no longer waits: a second Escape, with the one before still kept. */
  keep(press: P): boolean {
    const givesUp = press.key === 'Escape' && this.#kept.at(-1)?.key === 'Escape';
    if (givesUp) this.drop();
    else this.#kept.push(press);
    return !givesUp;
  }

  drop(): void {
    this.#kept = [];
  }

  /** Nothing is kept afterwards but what is pressed meanwhile. */
  replay(typing: Typing<P>, mac: boolean): void {
    const kept = this.#kept;
    this.drop();
    for (const press of kept) {
      const text = typing.hasFocus() ? textOf(press, mac) : null;
      if (text === null) typing.press(press);
      else typing.type(text);
    }
  }
}

/** What a text field would take from this key; null when it is no text. */
export function textOf(press: Press, mac: boolean): string | null {
  if (press.key === 'Enter') return press.ctrlKey || press.altKey || press.shiftKey || press.metaKey ? null : '\n';
  if ([...press.key].length !== 1) return null;
  if (press.getModifierState('AltGraph')) return press.key;
  return press.ctrlKey || press.metaKey || (press.altKey && !mac) ? null : press.key;
}
