/**
 * Answers questions about several collections as if all of their chunks were in one collection. BM25 weighs a word by
 * how many of all these chunks have it, and every part weighs words by the same numbers. So the scores of
 * different parts can be compared, and the best of all are among the best of each.
 */
import { must } from '../../util.ts';
import type { CosineRange, IndexLook, IndexQuery, IndexScope, Sight, Totals } from '../ports.ts';
import { distinctTerms } from './askable.ts';
import { NOTHING, statisticsOf } from './masks.ts';
import { endNumber, firstNumber } from './numbers.ts';

/** This is the number of a chunk, with the score by which an arm orders it. */
export interface ScoredNumber {
  readonly n: number;
  readonly score: number;
}

/** Words have these weights in a look at several collections. */
export interface CommonWeights {
  readonly totals: Totals;
  /** The frequencies say how many of the chunks have each term. */
  readonly frequencies: ReadonlyMap<string, number>;
}

export interface PartQuery extends IndexScope {
  /** The terms are distinct. Without `common`, they are weighed by the chunks of this collection alone. */
  readonly arm:
    | { readonly vector: Float32Array }
    | { readonly terms: readonly string[]; readonly common: CommonWeights | undefined };
  readonly depth: number;
}

/** A part is one collection of a look. */
export interface LookPart {
  readonly collectionId: string;
  /** This is the number of the collection's row in `indexes`. */
  readonly index: number;
  readonly version: number;
  readonly chunks: number;
  readonly cosines: CosineRange | null;
  /** Returns numbers of chunks, best first; ties are in the order of numbers. */
  candidates(query: PartQuery): Promise<readonly ScoredNumber[]>;
  count(scope: IndexScope): Promise<number>;
  /** Returns the totals of the chunks that the asker may see. */
  totals(sight: Sight): Promise<Totals>;
  /** Returns how many of these chunks have each of the (distinct) terms. */
  frequencies(terms: readonly string[], sight: Sight): Promise<ReadonlyMap<string, number>>;
}

/** Collections that do not exist have no part, so they answer like empty ones. */
export function unionOf(parts: readonly LookPart[]): IndexLook {
  const byIndex = new Map(parts.map((part) => [part.index, part]));
  const perIndex = endNumber(0) - firstNumber(0);

  async function totalsOf(sight: Sight): Promise<Totals> {
    let totals = NOTHING;
    for (const part of parts) {
      const { chunks, terms } = await part.totals(sight);
      totals = { chunks: totals.chunks + chunks, terms: totals.terms + terms };
    }
    return totals;
  }

  /** The terms are distinct. */
  async function frequenciesOf(
    terms: readonly string[],
    sight: Sight,
  ): Promise<Map<string, number>> {
    const all = new Map(terms.map((term) => [term, 0]));
    for (const part of parts)
      for (const [term, having] of await part.frequencies(terms, sight))
        all.set(term, must(all.get(term)) + having);
    return all;
  }

  async function armOf(
    { terms: asked }: { readonly terms: readonly string[] },
    { live, principals }: Sight,
  ): Promise<PartQuery['arm']> {
    const terms = distinctTerms(asked);
    if (parts.length === 1) return { terms, common: undefined };
    const sight = { live, principals };
    const common = {
      totals: await totalsOf(sight),
      frequencies: await frequenciesOf(terms, sight),
    };
    return { terms, common };
  }

  return {
    versionOf: (n) => byIndex.get(Math.floor(n / perIndex))?.version ?? 0,
    collectionOf: (n) => byIndex.get(Math.floor(n / perIndex))?.collectionId,
    cosines: commonRange(parts),

    async candidates(query: IndexQuery) {
      const { arm, depth } = query;
      const asked = { ...query, arm: 'vector' in arm ? arm : await armOf(arm, query) };
      const lists: (readonly ScoredNumber[])[] = [];
      for (const part of parts) lists.push(await part.candidates(asked));
      return bestOfAll(lists, depth).map(({ n }) => n);
    },

    async count(scope) {
      let count = 0;
      for (const part of parts) count += await part.count(scope);
      return count;
    },

    async statistics(terms, sight) {
      const frequencies = await frequenciesOf(distinctTerms(terms), sight);
      const having = terms.map((term) => frequencies.get(term) ?? 0);
      return statisticsOf(await totalsOf(sight), having);
    },
  };
}

function bestOfAll(
  lists: readonly (readonly ScoredNumber[])[],
  depth: number,
): readonly ScoredNumber[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length <= 1) return filled[0] ?? [];
  return filled
    .flat()
    .sort((a, b) => b.score - a.score || a.n - b.n)
    .slice(0, depth);
}

/**
 * Returns the mean and the standard deviation of the cosines of all parts together, each of which counts as much as it
 * has chunks.
 */
function commonRange(parts: readonly LookPart[]): CosineRange | null {
  const known = parts.flatMap(({ chunks, cosines }) => (cosines ? [{ chunks, ...cosines }] : []));
  const [first] = known;
  if (!first || known.length === 1)
    return first ? { mean: first.mean, spread: first.spread } : null;
  const total = known.reduce((sum, { chunks }) => sum + chunks, 0);
  const average = (partOf: (one: (typeof known)[number]) => number) =>
    known.reduce((sum, one) => sum + (one.chunks * partOf(one)) / total, 0);
  const mean = average((one) => one.mean);
  const spread = Math.sqrt(average((one) => one.spread ** 2 + (one.mean - mean) ** 2));
  return { mean, spread };
}
