/** Queries on transformers of organizations. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, TransformerTable, Tx } from '../db/schema.ts';
import type { Listed } from '../http/lists.ts';

export type TransformerRow = Selectable<TransformerTable>;

const of = (db: Db, organizationId: string) =>
  db.selectFrom('transformers').where('organization_id', '=', organizationId);

export const insert = (tx: Tx, row: Insertable<TransformerTable>) =>
  tx.insertInto('transformers').values(row).execute();

export const find = (
  db: Db,
  organizationId: string,
  id: string,
): Promise<TransformerRow | undefined> =>
  of(db, organizationId).selectAll().where('id', '=', id).executeTakeFirst();

export async function byIds(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, TransformerRow>> {
  if (ids.length === 0) return new Map();
  const rows = await of(db, organizationId).selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Newest first. A negative `limit` is none. */
export async function list(
  db: Db,
  organizationId: string,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Listed<TransformerRow>> {
  const { total } = await of(db, organizationId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (limit <= 0) return { total: Number(total), rows: [] };
  const rows = await of(db, organizationId)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** False when it is no longer as `before`, or gone. */
export async function update(
  tx: Tx,
  before: TransformerRow,
  changes: Updateable<TransformerTable>,
): Promise<boolean> {
  const result = await tx
    .updateTable('transformers')
    .set(changes)
    .where('organization_id', '=', before.organization_id)
    .where('id', '=', before.id)
    .where('modified_at', '=', before.modified_at)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Makes who deletes it and who begins to use it wait for each other. False when one is gone. */
export async function hold(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<boolean> {
  const own = [...new Set(ids)];
  if (own.length === 0) return true;
  const result = await tx
    .updateTable('transformers')
    .set({ modified_at: sql`modified_at` })
    .where('organization_id', '=', organizationId)
    .where('id', 'in', own)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === own.length;
}

export const remove = (tx: Tx, organizationId: string, id: string) =>
  tx
    .deleteFrom('transformers')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();

/** Name of a living connection that uses it. */
export async function userOf(
  db: Db,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const rows = await db
    .selectFrom('connections')
    .innerJoin('collections', 'collections.id', 'connections.collection_id')
    .where('connections.organization_id', '=', organizationId)
    .where('connections.deleted_at', 'is', null)
    .where('collections.deleted_at', 'is', null)
    .where(sql<string>`cast(connections.transformers as text)`, 'like', `%${id}%`)
    .select('connections.name')
    .limit(1)
    .execute();
  return rows[0]?.name;
}
