/** Keeps the best few of many scored positions. In a tie, the position that was offered first is better. */

export interface ScoredPosition {
  readonly position: number;
  readonly score: number;
}

export interface Best {
  /**
   * Only a greater score than this would be kept, so callers compare with it before they do a costly test of the position. It
   * changes only when a position is added.
   */
  least(): number;
  /** Positions must come in ascending order. */
  add(position: number, score: number): void;
  /** Returns the positions, best first, each with its score. */
  take(): ScoredPosition[];
}

/** This is a binary heap with the worst of the kept positions at its root. */
export function bestOf(depth: number): Best {
  const positions = new Float64Array(depth);
  const scores = new Float64Array(depth);
  let size = 0;

  const isWorse = (score: number, position: number, than: number) =>
    score < scores[than]! || (score === scores[than] && position > positions[than]!);
  const put = (at: number, position: number, score: number) => {
    positions[at] = position;
    scores[at] = score;
  };
  /** Parents move down into the place of the added position until one is worse than it. */
  const rise = (position: number, score: number) => {
    let at = size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isWorse(score, position, parent)) break;
      put(at, positions[parent]!, scores[parent]!);
      at = parent;
    }
    put(at, position, score);
  };
  /** Children move up into the place of the worst position until none is worse than the added one. */
  const sink = (position: number, score: number) => {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      const right = child + 1;
      if (right < size && isWorse(scores[right]!, positions[right]!, child)) child = right;
      if (isWorse(score, position, child)) break;
      put(at, positions[child]!, scores[child]!);
      at = child;
    }
    put(at, position, score);
  };

  return {
    least: () => {
      if (size < depth) return Number.NEGATIVE_INFINITY;
      return depth > 0 ? scores[0]! : Number.POSITIVE_INFINITY;
    },
    add(position, score) {
      if (size < depth) rise(position, score);
      else sink(position, score);
    },
    take: () =>
      Array.from({ length: size }, (_, i) => i)
        .sort((a, b) => (isWorse(scores[a]!, positions[a]!, b) ? 1 : -1))
        .map((i) => ({ position: positions[i]!, score: scores[i]! })),
  };
}
