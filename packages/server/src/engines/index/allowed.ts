/** Asks the database which chunks of a collection a filter and the principals of an asker allow. */
import { sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import { visibleTo } from '../../db/visible.ts';
import type { Filter } from '../../model/filter.ts';
import { filterSql } from './filter-sql.ts';
import { endNumber, firstNumber } from './numbers.ts';

export interface Restriction {
  readonly filter: Filter;
  readonly principals: readonly string[] | null;
}

/** Returns false when the restriction allows every chunk, so that the database need not be asked. */
export const isRestricted = ({ filter, principals }: Restriction): boolean =>
  principals !== null || !('all' in filter && filter.all.length === 0);

/** Returns one key for all restrictions with the same filter and the same principals, in any order. */
export const restrictionKey = ({ filter, principals }: Restriction): string =>
  JSON.stringify([filter, principals && [...principals].sort()]);

/** Returns the numbers (column n) of the chunks of this collection that satisfy the filter and that the principals may see. */
export const allowedNumbers = (
  kind: DatabaseKind,
  { id, index }: { readonly id: string; readonly index: number },
  restriction: Restriction,
) =>
  sql<{ n: number }>`
    select c.n from chunks as c
    join entities as e on e.id = c.entity
    join connections as s on s.id = c.connection_id
    where c.collection_id = ${id} and e.collection_id = ${id}
      and c.n >= ${firstNumber(index)} and c.n < ${endNumber(index)}
      and ${visibleTo(kind, restriction.principals, 'e')} and ${filterSql(kind, restriction.filter)}`;
