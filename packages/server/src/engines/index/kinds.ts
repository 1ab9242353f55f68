/**
 * Lists the pairs of a connection and a type of entities of which an asker may see at least one entity. For an asker
 * with principals, this reads the entities of each pair until one is visible, and all of them when none is. So the
 * answer is remembered until the collection changes.
 */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Db } from '../../db/schema.ts';
import { visibleTo } from '../../db/visible.ts';
import { sha256 } from '../../model/hash.ts';
import type { ConnectionEntityType, SearchIndex, Sight } from '../ports.ts';
import { dialectOf } from './dialect.ts';

/** The answers to this many pairs of an asker and a collection are remembered; each is a list of a few names. */
const REMEMBERED = 1000;

export async function readKinds(
  db: Db,
  database: DatabaseKind,
  { collectionId, sight }: Pick<At, 'collectionId' | 'sight'>,
): Promise<readonly ConnectionEntityType[]> {
  const { live, principals } = sight;
  const lists = dialectOf(database);
  const { rows: stored } = await sql<ConnectionEntityType>`
    select k.connection_id as "connectionId", k.entity_type as "entityType" from entity_counts as k
    where k.connection_id in ${lists.texts(live)} and k.count > 0
    order by k.connection_id, k.entity_type`.execute(db);
  if (principals === null || stored.length === 0) return stored;
  const asked = stored.map(({ connectionId, entityType }) => ({
    of_connection: connectionId,
    of_type: entityType,
  }));
  // PostgreSQL would turn `exists` into a join, and might read all entities for it.
  const { rows: seen } = await sql<ConnectionEntityType>`
    select of_connection as "connectionId", of_type as "entityType"
    from ${lists.rowsOf(asked, { of_connection: 'text', of_type: 'text' })}
    where 1 = (select 1 from entities as e
      where e.collection_id = ${collectionId} and e.connection_id = of_connection
        and e.entity_type = of_type and not e.is_hidden and ${visibleTo(database, principals, 'e')}
      limit 1)
    order by of_connection, of_type`.execute(db);
  return seen;
}

/** An answer is valid for one version of a collection and one asker. */
interface At {
  readonly collectionId: string;
  readonly version: number;
  readonly sight: Sight;
}

/** A question without principals reads only a few rows, so its answer is never remembered. */
export function rememberingKinds(database: DatabaseKind): SearchIndex['kinds'] {
  const known = new LRUCache<string, readonly ConnectionEntityType[]>({ max: REMEMBERED });
  return async (db, collectionId, sight) => {
    const read = () => readKinds(db, database, { collectionId, sight });
    if (sight.principals === null) return read();
    const row = await db
      .selectFrom('indexes')
      .select('version')
      .where('collection_id', '=', collectionId)
      .executeTakeFirst();
    if (!row) return [];
    // The answer may be newer than the version, but then no later question has this version.
    const key = keyOf({ collectionId, version: row.version, sight });
    const kinds = known.get(key) ?? (await read());
    known.set(key, kinds);
    return kinds;
  };
}

/** An asker may have thousands of principals, so a digest stands for them. */
const keyOf = ({ collectionId, version, sight: { live, principals } }: At): string =>
  sha256(JSON.stringify([collectionId, version, live, principals?.toSorted()]));
