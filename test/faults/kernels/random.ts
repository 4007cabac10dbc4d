/**
 * Random numbers with a seed, so that a try that failed can be made again. The instants at which faults fall are drawn from it; what the
 * machine does at that instant is its own.
 */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [from, to]. */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
}

/** Small and even enough for instants (a Weyl sequence, scrambled). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return { next, between, pick: (values) => values[between(0, values.length - 1)]! };
}
