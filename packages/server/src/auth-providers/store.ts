/** These queries read and write the auth providers of an organization. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { AuthProviderTable, Db, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';

export type AuthProviderRow = Selectable<AuthProviderTable>;

/** Returns undefined when the readable_id is taken. The caller has locked the organization. */
export const insert = (
  tx: Tx,
  row: Insertable<AuthProviderTable>,
): Promise<AuthProviderRow | undefined> =>
  tx
    .insertInto('auth_providers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'readable_id']).doNothing())
    .returningAll()
    .executeTakeFirst();

export const find = (
  db: Db,
  organizationId: string,
  readableId: string,
): Promise<AuthProviderRow | undefined> =>
  db
    .selectFrom('auth_providers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('readable_id', '=', readableId)
    .executeTakeFirst();

export async function list(
  db: Db,
  organizationId: string,
  { skip, limit }: Page,
): Promise<Listed<AuthProviderRow>> {
  const own = db.selectFrom('auth_providers').where('organization_id', '=', organizationId);
  const { total } = await own
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await own
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** Returns the changed row, or undefined when the provider has been deleted. */
export const update = (
  tx: Tx,
  id: string,
  changes: Updateable<AuthProviderTable>,
): Promise<AuthProviderRow | undefined> =>
  tx
    .updateTable('auth_providers')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** Locks the provider until the transaction ends. Returns false when it has been deleted. */
export async function lock(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('auth_providers')
    .set({ name: sql`name` })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Counts the connections whose credentials come from the provider, and names a few. A deleted one counts no more. */
export async function usersOf(
  tx: Tx,
  id: string,
): Promise<{ readonly total: number; readonly names: readonly string[] }> {
  const users = tx
    .selectFrom('connections')
    .where('auth_provider_id', '=', id)
    .where('deleted_at', 'is', null);
  const { total } = await users
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await users.select('name').orderBy('id').limit(3).execute();
  return { total: Number(total), names: rows.map(({ name }) => name) };
}

export const remove = (tx: Tx, id: string) =>
  tx.deleteFrom('auth_providers').where('id', '=', id).execute();

/** Returns what opens the credentials of a provider, or undefined when it has been deleted. */
export const sealedCredentials = (
  db: Db,
  id: string,
): Promise<Pick<AuthProviderRow, 'credentials' | 'credentials_key'> | undefined> =>
  db
    .selectFrom('auth_providers')
    .select(['credentials', 'credentials_key'])
    .where('id', '=', id)
    .executeTakeFirst();
