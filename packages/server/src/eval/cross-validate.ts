/**
 * Cross-validation says what a fit gains on queries that it has not seen: the queries are divided into folds, and each
 * fold is measured with the weights that were fitted on the other folds.
 */
import { createRandom, shuffled } from './random.ts';

export const FOLDS = 5;

/**
 * Returns the number of the fold of each query. Queries of the same text share a fold, because the fit would otherwise
 * know the answer. The same texts and seed give the same folds.
 */
export function foldsOf(texts: readonly string[], seed: number): number[] {
  const fold = (text: string) => text.trim().toLowerCase();
  const distinct = shuffled([...new Set(texts.map(fold))], createRandom(seed));
  const foldOf = new Map(distinct.map((text, i) => [text, i % FOLDS]));
  return texts.map((text) => foldOf.get(fold(text))!);
}

export interface Validated<Fitted> {
  /** The list has what was fitted without each of the folds. */
  readonly fits: readonly Fitted[];
  /** The list has the measured value of each query. */
  readonly values: readonly number[];
}

export interface Validation<Query, Fitted> {
  readonly fit: (queries: readonly Query[]) => Fitted | Promise<Fitted>;
  /** Measures a query that the fit has not seen. */
  readonly measure: (query: Query, fitted: Fitted) => number | Promise<number>;
}

/** The query at a position has the fold at that position. */
export async function crossValidate<Query, Fitted>(
  queries: readonly Query[],
  folds: readonly number[],
  { fit, measure }: Validation<Query, Fitted>,
): Promise<Validated<Fitted>> {
  const fits: Fitted[] = [];
  const values: number[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const fitted = await fit(queries.filter((_, i) => folds[i] !== fold));
    fits.push(fitted);
    for (const [i, query] of queries.entries())
      if (folds[i] === fold) values[i] = await measure(query, fitted);
  }
  return { fits, values };
}
