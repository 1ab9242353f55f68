/** This file has the queries on links that sign somebody in once. */
import type { Insertable } from 'kysely';
import type { Db, Schema, Tx } from '../db/schema.ts';

export const insert = (db: Db, row: Insertable<Schema['start_links']>) =>
  db.insertInto('start_links').values(row).execute();

/** All earlier links end. */
export const removeAll = (tx: Tx) => tx.deleteFrom('start_links').execute();

/** The links of the account end. */
export const removeLinksOf = (tx: Tx, userId: string) =>
  tx.deleteFrom('start_links').where('user_id', '=', userId).execute();

/** Removes the link, and returns its account. Returns undefined when the link is unknown, used or too old. */
export async function use(tx: Tx, hash: string): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('start_links')
    .where('hash', '=', hash)
    .where('expires_at', '>', Date.now())
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

/** Returns the account with this e-mail while it is a member of an organization. */
export const memberWith = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .where('organizations.deleted_at', 'is', null)
    .where('users.email', '=', email)
    .select(['users.id', 'users.password_hash'])
    .limit(1)
    .executeTakeFirst();
