/** Time as the pool sees it, so that tests need not wait for it. */

export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Calls again and again; returns the function that ends it. */
  every(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  every: (ms, call) => {
    const timer = setInterval(call, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
