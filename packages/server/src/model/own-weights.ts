/** A collection may have weights of its own for the built-in reranker, which `quarry eval --fit` has stored. */
export interface OwnWeights {
  /** The names are those of the features that the reranker had at that time. */
  readonly weights: Readonly<Record<string, number>>;
  /** The cosines that the weights are made for are those of this embedder. */
  readonly embedder: string;
  /** This is the time of the fit in milliseconds since 1970. */
  readonly fittedAt: number;
  /** The weights were fitted on this many queries. */
  readonly queries: number;
  /** This is the gain of nDCG@10 on queries that the fit had not seen: the mean and its 95 % interval. */
  readonly gain: { readonly mean: number; readonly low: number; readonly high: number };
}
