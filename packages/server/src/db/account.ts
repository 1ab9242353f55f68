/**
 * Transactions lock an account before they change what proves that somebody is its person, such as its password, or
 * rely on that. They lock it before any organization, so that they do not wait for each other in a circle.
 */
import { type Selectable, sql } from 'kysely';
import type { Role } from '../model/role.ts';
import type { Tx, UserTable } from './schema.ts';

export type AccountRow = Selectable<UserTable>;

const locking = (tx: Tx) => tx.updateTable('users').set({ email: sql`email` });

/** Locks the account until the transaction ends. Returns its current row. */
export const lockAccount = (tx: Tx, id: string): Promise<AccountRow> =>
  locking(tx).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Locks the account with the e-mail. Returns undefined when there is none. */
export const lockAccountWith = (tx: Tx, email: string): Promise<AccountRow | undefined> =>
  locking(tx).where('email', '=', email).returningAll().executeTakeFirst();

/** Returns true when nobody has ended the session. The account must be locked. */
export async function isSessionLeft(tx: Tx, sessionId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns true when the key was not revoked and has this value still. */
export async function isKeyLeft(
  tx: Tx,
  { id, hash }: { readonly id: string; readonly hash: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the role of the account in the organization, and undefined for an account that is not a member. */
export async function roleOf(
  tx: Tx,
  { accountId, organizationId }: { readonly accountId: string; readonly organizationId: string },
): Promise<Role | undefined> {
  const row = await tx
    .selectFrom('memberships')
    .select('role')
    .where('user_id', '=', accountId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row?.role;
}
