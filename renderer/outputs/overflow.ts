/**
 * Which boxes hold more than they show. One observer for all of them, told by the browser once it has laid out the page: a box that asked
 * for its size while it is mounted would have the page laid out in the middle of the frame, and once more for each drawing that follows.
 */

/** A little more than the box is shown whole by a box without a limit; one pixel is rounding. */
const ROUNDING = 1;

interface Watched {
  box: Element;
  report: (overflows: boolean) => void;
}

/** By the box and by its content: either may change its size alone. */
const watched = new Map<Element, Watched>();
let observer: ResizeObserver | null = null;

/** Reports whether `content` is higher than the box around it: soon, and whenever one of their sizes has changed. Returns how to end that. */
export function watchOverflow(box: Element, content: Element, report: (overflows: boolean) => void): () => void {
  observer ??= new ResizeObserver(measure);
  const entry = { box, report };
  for (const element of [box, content]) {
    watched.set(element, entry);
    observer.observe(element);
  }
  return () => {
    for (const element of [box, content]) {
      watched.delete(element);
      observer?.unobserve(element);
    }
  };
}

/** All sizes are read before the first report, which may change the page. */
function measure(entries: readonly ResizeObserverEntry[]): void {
  const changed = new Set(entries.map(({ target }) => watched.get(target)).filter((each) => each !== undefined));
  const found = [...changed].map(({ box, report }) => ({ report, overflows: box.scrollHeight > box.clientHeight + ROUNDING }));
  for (const { report, overflows } of found) report(overflows);
}
