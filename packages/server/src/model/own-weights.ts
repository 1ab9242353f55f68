/** A collection may have weights of its own for the built-in reranker, which `quarry eval --fit` stores. */
export interface OwnWeights {
  /** The names are those of the features that the reranker had when the weights were fitted. */
  readonly weights: Readonly<Record<string, number>>;
  /** The weights were fitted on vectors of this embedder. With another embedder they are outdated. */
  readonly embedder: string;
  /** This is the time of the fit in milliseconds since 1970. */
  readonly fittedAt: number;
  /** The weights were fitted on this many queries. */
  readonly queries: number;
  /** This is the gain of nDCG@10 on queries that the fit had not seen: the mean and its 95 % interval. */
  readonly gain: { readonly mean: number; readonly low: number; readonly high: number };
}
