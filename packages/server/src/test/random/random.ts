import { createRandom } from '../../eval/random.ts';

/** The random numbers of a test are the same in every run. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
}

export function random(seed: number): Random {
  const next = createRandom(seed);
  const below = (count: number) => Math.floor(next() * count);
  return { next, below, pick: (items) => items[below(items.length)]! };
}
