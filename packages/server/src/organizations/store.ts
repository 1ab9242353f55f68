/** This file has the queries on organizations and their members. A deleted organization counts as absent. */
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, MembershipTable, OrganizationTable, Tx, UserTable } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';

export type OrganizationRow = Selectable<OrganizationTable>;

export const insert = (tx: Tx, row: Insertable<OrganizationTable>) =>
  tx.insertInto('organizations').values(row).execute();

export const insertMembership = (tx: Tx, row: MembershipTable) =>
  tx.insertInto('memberships').values(row).execute();

/** Inserts the account. Returns false when another account has the e-mail. */
export async function insertUser(tx: Tx, row: Insertable<UserTable>): Promise<boolean> {
  const result = await tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const existing = (db: Db) =>
  db.selectFrom('organizations').where('organizations.deleted_at', 'is', null);

const ofAccount = (db: Db, accountId: string) =>
  existing(db)
    .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .where('memberships.user_id', '=', accountId);

/**
 * Returns the organizations in which the account is a member, the newest first; `only` restricts the list to one
 * organization.
 */
export async function list(
  db: Db,
  accountId: string,
  { only, skip, limit }: Page & { readonly only: string | undefined },
): Promise<Listed<OrganizationRow>> {
  let mine = ofAccount(db, accountId);
  if (only !== undefined) mine = mine.where('organizations.id', '=', only);
  const { total } = await mine
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await mine
    .selectAll('organizations')
    .orderBy('organizations.created_at', 'desc')
    .orderBy('organizations.id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** Returns the organization with the role of the account in it. */
export const find = (db: Db, accountId: string, id: string) =>
  ofAccount(db, accountId)
    .selectAll('organizations')
    .select('memberships.role')
    .where('organizations.id', '=', id)
    .executeTakeFirst();

export const update = (tx: Tx, id: string, changes: Updateable<OrganizationTable>) =>
  tx.updateTable('organizations').set(changes).where('id', '=', id).execute();

/** Locks all organizations, in the order of their ids, for a change that depends on several of them. */
export async function lockAll(tx: Tx, kind: DatabaseKind): Promise<void> {
  // SQLite allows one writing transaction at a time, so this transaction already locks everything.
  if (kind === 'sqlite') return;
  await tx.selectFrom('organizations').select('id').orderBy('id').forNoKeyUpdate().execute();
}

export async function count(db: Db): Promise<number> {
  const { total } = await existing(db)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** After the commit, nothing in the organization can be reached. */
export const markDeleted = (tx: Tx, id: string) =>
  tx.updateTable('organizations').set({ deleted_at: Date.now() }).where('id', '=', id).execute();

/** Returns the oldest organization, or the one with this id, with the admin who has been in it longest. */
export function withAdmin(db: Db, id: string | undefined) {
  const administered = existing(db)
    .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .where('memberships.role', '=', 'admin');
  return (id === undefined ? administered : administered.where('organizations.id', '=', id))
    .select(['organizations.id', 'organizations.name', 'memberships.user_id'])
    .orderBy('organizations.created_at')
    .orderBy('organizations.id')
    .orderBy('memberships.created_at')
    .orderBy('memberships.user_id')
    .limit(1)
    .executeTakeFirst();
}

/** Returns ids and names, the oldest organization first. */
export const names = (db: Db, limit: number) =>
  existing(db).select(['id', 'name']).orderBy('created_at').orderBy('id').limit(limit).execute();
