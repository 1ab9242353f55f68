/**
 * These measures say how good a ranking of documents is for one query, each as a number from 0 to 1, and how two ways
 * to rank compare.
 */
import { createRandom } from './random.ts';

export interface Quality {
  /** The gain by grade, discounted by rank, is divided by the best gain that ten results could reach. */
  readonly ndcg10: number;
  /** The recall is the share of the relevant documents that are among the first hundred. */
  readonly recall100: number;
  /** It is one over the rank of the first relevant document among the first hundred, and 0 without one. */
  readonly mrr: number;
}

/** The `ranked` documents come best first, each once; at least one document is `relevant`. */
export function qualityOf(
  ranked: readonly string[],
  relevant: ReadonlyMap<string, number>,
): Quality {
  const gain = (grade: number, rank: number) => grade / Math.log2(rank + 2);
  const ideal = [...relevant.values()].toSorted((a, b) => b - a).slice(0, 10);
  const best = ideal.reduce((sum, grade, rank) => sum + gain(grade, rank), 0);
  const found = ranked
    .slice(0, 10)
    .reduce((sum, document, rank) => sum + gain(relevant.get(document) ?? 0, rank), 0);
  const first = ranked.slice(0, 100).findIndex((document) => relevant.has(document));
  const hits = ranked.slice(0, 100).filter((document) => relevant.has(document)).length;
  return {
    ndcg10: found / best,
    recall100: hits / relevant.size,
    mrr: first < 0 ? 0 : 1 / (first + 1),
  };
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the value at this share of the sorted list, such as the median for 0.5; 0 for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** This is a mean difference with its 95 % interval. */
export interface Gain extends Interval {
  readonly mean: number;
}

const DRAWS = 2000;

/**
 * Returns the 95 % interval of the mean difference `b - a` by a paired bootstrap over the queries, in which all sets
 * have equal weight. Each set gives the values of both, query by query. The same input gives the same interval.
 */
export function differenceInterval(
  sets: readonly { readonly a: readonly number[]; readonly b: readonly number[] }[],
): Interval {
  const random = createRandom(1);
  const differences = sets.map(({ a, b }) => b.map((value, i) => value - a[i]!));
  const draws = Array.from({ length: DRAWS }, () =>
    mean(
      differences.map((of) => {
        let sum = 0;
        for (let i = 0; i < of.length; i++) sum += of[Math.floor(random() * of.length)]!;
        return sum / of.length;
      }),
    ),
  ).sort((a, b) => a - b);
  return { low: draws[Math.floor(DRAWS * 0.025)]!, high: draws[Math.floor(DRAWS * 0.975)]! };
}
