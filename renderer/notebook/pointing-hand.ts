/**
 * Where the person's hand points in a list, of which nothing may move under it. A pointer that only lies there is no hand: a window that opens below it
 * would scroll away from its first cell as outputs above the pointer come to their size.
 */

/** A move of less is a shake of the table. Pixels of the screen. */
const MOVED = 3;

/** What of a pointer event counts. On the screen, because a window may move under the pointer as well. */
export interface PointerPlace {
  clientY: number;
  screenX: number;
  screenY: number;
}

export class PointingHand {
  #first: { x: number; y: number } | null = null;
  #hasMoved = false;
  #y: number | null = null;

  /** From the top edge of the list, or null when no hand points at it. */
  get y(): number | null {
    return this.#hasMoved ? this.#y : null;
  }

  /** `top` is the list's upper edge in the window. */
  moved(to: PointerPlace, top: number): void {
    this.#first ??= { x: to.screenX, y: to.screenY };
    this.#hasMoved ||= Math.hypot(to.screenX - this.#first.x, to.screenY - this.#first.y) > MOVED;
    this.#y = to.clientY - top;
  }

  left(): void {
    this.#y = null;
    // Whoever comes back has moved.
    if (this.#first) this.#hasMoved = true;
  }
}
