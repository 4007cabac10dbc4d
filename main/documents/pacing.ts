/**
 * Long work in slices: main owns kernels and windows and must answer them while a large notebook is read or written.
 * Slices on one thread rather than a worker, because the work is mostly copying and a worker would first need a copy of the file.
 */

/** Longest time in milliseconds that a slice may hold the event loop; well under one frame. */
const SLICE_MS = 3;

/** Gives other work its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns a function to be called between small steps: it waits a turn when the present slice is used up, else returns null at once. */
export function pacer(): () => Promise<void> | null {
  let started = performance.now();
  return () => {
    if (performance.now() - started < SLICE_MS) return null;
    return nextTurn().then(() => {
      started = performance.now();
    });
  };
}

/** Work that is written once, in small steps, to be done in slices or at once. */
export type Steps<T> = Generator<undefined, T>;

/** Does the steps, with a turn for others before the first and whenever a slice is used up. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  await nextTurn();
  const breathe = pacer();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const turn = breathe();
    if (turn) await turn;
  }
}

/** The same at once, for what is surely little. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
