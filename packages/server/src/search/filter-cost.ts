/**
 * Judges a filter before the database works on it: a filter of many conditions on a large collection would keep
 * all searches waiting. A database checks every condition on every chunk once, which takes about a microsecond
 * each.
 */
import type { Db } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import { everything, type Filter } from '../model/filter.ts';
import { compileFilter } from './filter.ts';
import type { StandardFilter } from './filter-schema.ts';
import { chunkCount } from './store.ts';

/** Conditions times chunks may reach this number, which takes about two seconds. */
const MOST_WORK = 2_000_000;
/** A filter with this many conditions is accepted for a collection of any size. */
const ALWAYS_TAKEN = 10;

/** Throws a 422 when the filter has too many conditions for the size of the collection. */
export type JudgeFilter = (
  collectionId: string,
  filter: StandardFilter | null | undefined,
) => Promise<void>;

export const createFilterJudge =
  ({ db }: { readonly db: Db }): JudgeFilter =>
  async (collectionId, filter) => {
    const conditions = conditionsIn(filter ? compileFilter(filter) : everything);
    if (conditions <= ALWAYS_TAKEN) return;
    if (conditions * roughly(await chunkCount(db, collectionId)) <= MOST_WORK) return;
    throw invalid(
      `the filter has ${conditions} conditions, too many for a collection of this size: use fewer; match.any takes a list of values as one condition`,
      { loc: ['body', 'filter'] },
    );
  };

/** Returns the next power of two, so that accepting or refusing a filter does not tell how many chunks exist. */
const roughly = (chunks: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, chunks)));

function conditionsIn(filter: Filter): number {
  if ('all' in filter) return sumOf(filter.all);
  if ('any' in filter) return sumOf(filter.any);
  if ('not' in filter) return conditionsIn(filter.not);
  if ('some' in filter) return 1 + conditionsIn(filter.some);
  return 1;
}

const sumOf = (filters: readonly Filter[]): number =>
  filters.reduce((sum, one) => sum + conditionsIn(one), 0);
