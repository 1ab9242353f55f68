/**
 * A query for something that a caller names must contain the condition of this file, which limits it to what the caller
 * may reach.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Reach } from '../model/reach.ts';

/** Maps a table to its column with the id of the collection. */
const COLLECTION = {
  collections: 'collections.id',
  connections: 'connections.collection_id',
  entities: 'entities.collection_id',
} as const;

/** Returns a condition that is true for the rows of the table within the reach. */
export function within(
  { organizationId, collections }: Reach,
  table: keyof typeof COLLECTION,
): RawBuilder<boolean> {
  const own = sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${organizationId}`;
  if (collections === null) return own;
  // SQL does not allow an empty list in parentheses.
  if (collections.length === 0) return sql<boolean>`1 = 0`;
  return sql<boolean>`(${own} and ${sql.ref(COLLECTION[table])} in (${sql.join(collections)}))`;
}
