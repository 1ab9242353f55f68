/** Keeps the best few of many scored positions. In a tie, the position that was offered first is better. */

export interface ScoredPosition {
  readonly position: number;
  readonly score: number;
}

export interface Best {
  /**
   * Returns whether a position with this score would be kept. Callers check it before they do a costly test of the
   * position.
   */
  takes(score: number): boolean;
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

  const worse = (a: number, b: number) =>
    scores[a]! < scores[b]! || (scores[a] === scores[b] && positions[a]! > positions[b]!);
  const swap = (a: number, b: number) => {
    [positions[a], positions[b]] = [positions[b]!, positions[a]!];
    [scores[a], scores[b]] = [scores[b]!, scores[a]!];
  };
  const rise = (from: number) => {
    for (let child = from, parent = (child - 1) >> 1; child > 0 && worse(child, parent); ) {
      swap(child, parent);
      child = parent;
      parent = (child - 1) >> 1;
    }
  };
  const sink = () => {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      const right = left + 1;
      let worst = parent;
      if (left < size && worse(left, worst)) worst = left;
      if (right < size && worse(right, worst)) worst = right;
      if (worst === parent) return;
      swap(parent, worst);
      parent = worst;
    }
  };

  return {
    takes: (score) => size < depth || (depth > 0 && score > scores[0]!),
    add(position, score) {
      const at = size < depth ? size : 0;
      positions[at] = position;
      scores[at] = score;
      if (size < depth) rise(size++);
      else sink();
    },
    take: () =>
      Array.from({ length: size }, (_, i) => i)
        .sort((a, b) => (worse(a, b) ? 1 : -1))
        .map((i) => ({ position: positions[i]!, score: scores[i]! })),
  };
}
