/**
 * These counts say how many shown entities of a connection have each field, by type. Each commit changes the counts
 * together with the entities.
 */
import { sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Db, Tx } from '../../db/schema.ts';
import { isNameable } from '../../model/filter.ts';
import { chunked } from '../../util.ts';
import { type FieldCount, sumOf } from './fields.ts';

const IDS = 500;
const ROWS = 100;

/** Counts the fields of the stored entities of the collection with these row ids. */
export async function fieldsOf(
  db: Db,
  { kind, collectionId }: { readonly kind: DatabaseKind; readonly collectionId: string },
  ids: readonly string[],
): Promise<FieldCount[]> {
  const keys =
    kind === 'postgres'
      ? sql`jsonb_object_keys(e.metadata) as f(key)`
      : sql`json_each(e.metadata) as f`;
  const found: FieldCount[] = [];
  for (const some of chunked(ids, IDS)) {
    const { rows } = await sql<FieldCount>`
      select e.entity_type as type, f.key as field, count(*) as count,
        sum(case when e.viewers is null or e.is_public then 1 else 0 end) as open
      from entities as e cross join ${keys}
      where e.collection_id = ${collectionId} and e.id in (${sql.join([...some])})
      group by e.entity_type, f.key`.execute(db);
    found.push(...rows.filter(({ field }) => isNameable(field)));
  }
  return sumOf(found);
}

/** `count` and `open` may be negative. */
export async function addToFields(
  tx: Tx,
  connectionId: string,
  deltas: readonly FieldCount[],
): Promise<void> {
  for (const some of chunked(deltas, ROWS))
    await tx
      .insertInto('entity_fields')
      .values(
        some.map(({ type, ...delta }) => ({
          connection_id: connectionId,
          entity_type: type,
          ...delta,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['connection_id', 'entity_type', 'field']).doUpdateSet((row) => ({
          count: sql<number>`entity_fields.count + ${row.ref('excluded.count')}`,
          open: sql<number>`entity_fields.open + ${row.ref('excluded.open')}`,
        })),
      )
      .execute();
  if (!deltas.some(({ count }) => count < 0)) return;
  await tx
    .deleteFrom('entity_fields')
    .where('connection_id', '=', connectionId)
    .where('count', '=', 0)
    .where('open', '=', 0)
    .execute();
}

export const storedFields = (db: Db, connectionId: string): Promise<FieldCount[]> =>
  db
    .selectFrom('entity_fields')
    .select(['entity_type as type', 'field', 'count', 'open'])
    .where('connection_id', '=', connectionId)
    .execute();
