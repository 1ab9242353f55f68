/**
 * Refuses a filter of many conditions on a large collection, which would keep all searches waiting: the database
 * checks every condition on every chunk, and each check takes about a microsecond.
 */
import type { Db } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import { everything, type Filter } from '../model/filter.ts';
import { compileFilter } from './filter.ts';
import type { StandardFilter } from './filter-schema.ts';
import { chunkCount } from './store.ts';

/** Conditions times chunks may reach this number, which takes about two seconds. */
const MAX_CHECKS = 2_000_000;
/** A filter with this many conditions is accepted for a collection of any size. */
const ALWAYS_ACCEPTED = 10;

/** Throws a 422 when the filter has too many conditions for the size of the collections together. */
export type CheckFilterCost = (
  collectionIds: readonly string[],
  filter: StandardFilter | null | undefined,
) => Promise<void>;

export const createFilterCostCheck =
  ({ db }: { readonly db: Db }): CheckFilterCost =>
  async (collectionIds, filter) => {
    const conditions = conditionsIn(filter ? compileFilter(filter) : everything);
    if (conditions <= ALWAYS_ACCEPTED) return;
    if (conditions * roundedUp(await chunkCount(db, collectionIds)) <= MAX_CHECKS) return;
    throw invalid(
      `the filter has ${conditions} conditions, too many for collections of this size: use fewer; match.any takes a list of values as one condition`,
      { loc: ['body', 'filter'] },
    );
  };

/** Returns the next power of two, so that accepting or refusing a filter does not tell how many chunks exist. */
const roundedUp = (chunks: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, chunks)));

function conditionsIn(filter: Filter): number {
  if ('all' in filter) return sumOf(filter.all);
  if ('any' in filter) return sumOf(filter.any);
  if ('not' in filter) return conditionsIn(filter.not);
  if ('some' in filter) return 1 + conditionsIn(filter.some);
  return 1;
}

const sumOf = (filters: readonly Filter[]): number =>
  filters.reduce((sum, one) => sum + conditionsIn(one), 0);
