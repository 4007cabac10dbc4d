/**
 * Windows that fall behind: a page that hangs takes no events, and what is sent to it piles up in memory while a kernel prints. Such a
 * window is sent no changes of outputs; when it has caught up it gets the cells that it missed as a whole. Pure bookkeeping.
 */

export interface Paceable {
  /** More events are on their way to the page than it takes. */
  readonly behind: boolean;
}

export interface Plan {
  /** Cells whose changes fit what the window has. */
  changes: string[];
  /** Cells of which it missed something. */
  whole: string[];
}

export class Backlogs<View extends Paceable> {
  readonly #missed = new Map<View, Set<string>>();

  /** What to send to a view now that these cells changed. */
  plan(view: View, changed: Iterable<string>): Plan {
    const missed = this.#missed.get(view);
    if (view.behind) {
      this.#missed.set(view, new Set([...(missed ?? []), ...changed]));
      return { changes: [], whole: [] };
    }
    this.#missed.delete(view);
    return { changes: [...changed].filter((key) => !missed?.has(key)), whole: [...(missed ?? [])] };
  }

  /** Some view has missed something that it can't be given yet. */
  get pending(): boolean {
    return this.#missed.size > 0;
  }

  /** Forgets views that are gone. */
  keepOnly(views: ReadonlySet<View>): void {
    for (const view of this.#missed.keys()) if (!views.has(view)) this.#missed.delete(view);
  }
}
