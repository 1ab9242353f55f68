/** This file has the queries on transformers of organizations. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, TransformerTable, Tx } from '../db/schema.ts';
import type { Listed } from '../http/lists.ts';

/** The configurations of one connection may have a megabyte, so pages are small. */
const USERS_PER_PAGE = 20;

export type TransformerRow = Selectable<TransformerTable>;

const ofOrganization = (db: Db, organizationId: string) =>
  db.selectFrom('transformers').where('organization_id', '=', organizationId);

export const insert = (tx: Tx, row: Insertable<TransformerTable>) =>
  tx.insertInto('transformers').values(row).execute();

export const find = (
  db: Db,
  organizationId: string,
  id: string,
): Promise<TransformerRow | undefined> =>
  ofOrganization(db, organizationId).selectAll().where('id', '=', id).executeTakeFirst();

export async function byIds(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, TransformerRow>> {
  if (ids.length === 0) return new Map();
  const rows = await ofOrganization(db, organizationId)
    .selectAll()
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the newest transformers first. With a `limit` of 0 or less, returns only the total. */
export async function list(
  db: Db,
  organizationId: string,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Listed<TransformerRow>> {
  const { total } = await ofOrganization(db, organizationId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (limit <= 0) return { total: Number(total), rows: [] };
  const rows = await ofOrganization(db, organizationId)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** Returns false when the row was changed since `before` was read, or was deleted. */
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

/**
 * Locks these transformers until the end of the transaction, so that a change or a deletion waits for a connection
 * that begins to use them. Returns the time of the last change of each existing one, in milliseconds.
 */
export async function lock(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .updateTable('transformers')
    .set({ modified_at: sql`modified_at` })
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .returning(['id', 'modified_at'])
    .execute();
  return new Map(rows.map(({ id, modified_at }) => [id, modified_at]));
}

export const remove = (tx: Tx, organizationId: string, id: string) =>
  tx
    .deleteFrom('transformers')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();

/** Yields the connections that use the transformer, page by page. Connections that are being deleted are left out. */
export async function* usersOf(db: Db, organizationId: string, id: string) {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('connections')
      .innerJoin('collections', 'collections.id', 'connections.collection_id')
      .where('connections.organization_id', '=', organizationId)
      .where('connections.deleted_at', 'is', null)
      .where('collections.deleted_at', 'is', null)
      .where('connections.id', '>', after)
      .where(sql<string>`cast(connections.transformers as text)`, 'like', `%${id}%`)
      .select(['connections.id', 'connections.name', 'connections.transformers'])
      .orderBy('connections.id')
      .limit(USERS_PER_PAGE)
      .execute();
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < USERS_PER_PAGE) return;
    after = last.id;
  }
}
