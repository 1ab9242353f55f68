/** The random numbers are the same in every run (mulberry32). */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
}

export function random(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return { next, below, pick: (items) => items[below(items.length)]! };
}
