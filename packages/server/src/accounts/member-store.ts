/** This file has the queries on the members of an organization and on those who are invited. */
import { type Insertable, sql } from 'kysely';
import type { Db, InvitationTable, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { Role } from '../model/role.ts';

export interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly created_at: number;
  /** It is null for somebody who is a member already. */
  readonly expires_at: number | null;
  /** The account that made the invitation; null where it is not known, and for a member. */
  readonly inviter_id: string | null;
  readonly inviter_name: string | null;
  readonly inviter_email: string | null;
}

const noText = () => sql<string | null>`cast(null as text)`;

const membersOf = (db: Db, organizationId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('memberships.organization_id', '=', organizationId)
    .select([
      'users.id',
      'users.email',
      'users.name',
      'memberships.role',
      'memberships.created_at',
      sql<number | null>`cast(null as bigint)`.as('expires_at'),
      noText().as('inviter_id'),
      noText().as('inviter_name'),
      noText().as('inviter_email'),
    ]);

const invitedTo = (db: Db, organizationId: string) =>
  db
    .selectFrom('invitations')
    .leftJoin('users as inviters', 'inviters.id', 'invitations.invited_by')
    .where('invitations.organization_id', '=', organizationId)
    .where('invitations.expires_at', '>', Date.now())
    .select([
      'invitations.id',
      'invitations.email',
      noText().as('name'),
      'invitations.role',
      'invitations.created_at',
      sql<number | null>`invitations.expires_at`.as('expires_at'),
      'inviters.id as inviter_id',
      'inviters.name as inviter_name',
      'inviters.email as inviter_email',
    ]);

const everyone = (db: Db, organizationId: string) =>
  membersOf(db, organizationId).unionAll(invitedTo(db, organizationId));

/** Returns a page of members and invitations, the newest first. */
export async function list(db: Db, organizationId: string, page: Page): Promise<Listed<MemberRow>> {
  const all = everyone(db, organizationId).as('everyone');
  const { total } = await db
    .selectFrom(all)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom(all)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(page.skip)
    .limit(page.limit)
    .execute();
  return { total: Number(total), rows };
}

export const find = (db: Db, organizationId: string, id: string): Promise<MemberRow | undefined> =>
  db
    .selectFrom(everyone(db, organizationId).as('everyone'))
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();

export async function isMember(db: Db, organizationId: string, email: string): Promise<boolean> {
  const row = await membersOf(db, organizationId)
    .where('users.email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}

/** An earlier invitation for the same e-mail ends, so its link opens nothing. */
export async function invite(tx: Tx, row: Insertable<InvitationTable>): Promise<void> {
  const { organization_id, email } = row;
  await tx
    .deleteFrom('invitations')
    .where('organization_id', '=', organization_id)
    .where('email', '=', email)
    .execute();
  await tx.insertInto('invitations').values(row).execute();
}

/** Ends the invitations of somebody who may not invite any more: this person has their links, and could come back by them. */
const withdrawInvitationsBy = (tx: Tx, organizationId: string, accountId: string) =>
  tx
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('invited_by', '=', accountId)
    .execute();

/** Changes the role of the member or invitation. Invitations that a member made end with the role of an admin. */
export async function setRole(
  tx: Tx,
  organizationId: string,
  { id, role }: { readonly id: string; readonly role: Role },
): Promise<void> {
  await tx
    .updateTable('memberships')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', id)
    .execute();
  await tx
    .updateTable('invitations')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  if (role !== 'admin') await withdrawInvitationsBy(tx, organizationId, id);
}

/**
 * Removes the membership or invitation, the keys of the account in the organization, which would open it again if the
 * person ever came back, and the invitations that the person made.
 */
export async function remove(tx: Tx, organizationId: string, id: string): Promise<void> {
  for (const [table, column] of [
    ['api_keys', 'user_id'],
    ['memberships', 'user_id'],
    ['invitations', 'id'],
  ] as const)
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where(sql.ref(column), '=', id)
      .execute();
  await withdrawInvitationsBy(tx, organizationId, id);
}

/** Tells whether an admin of the organization can sign in by a password. */
export async function hasAdminWithPassword(db: Db, organizationId: string): Promise<boolean> {
  const row = await membersOf(db, organizationId)
    .where('memberships.role', '=', 'admin')
    .where('users.password_hash', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const openInvitations = (db: Db) =>
  db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .where('organizations.deleted_at', 'is', null)
    .where('invitations.expires_at', '>', Date.now());

/** Returns the invitation while its organization exists and its time has not ended. */
export const invitationOf = (db: Db, hash: string) =>
  openInvitations(db)
    .where('invitations.hash', '=', hash)
    .selectAll('invitations')
    .executeTakeFirst();

/** Returns what whoever has the link may know of the invitation. */
export const invitationTermsOf = (db: Db, hash: string) =>
  openInvitations(db)
    .leftJoin('users as inviters', 'inviters.id', 'invitations.invited_by')
    .where('invitations.hash', '=', hash)
    .select([
      'organizations.name as organization',
      'invitations.email',
      'invitations.role',
      'invitations.expires_at',
      'inviters.name as inviter_name',
      'inviters.email as inviter_email',
    ])
    .executeTakeFirst();

/** The limit bounds the memory. It is higher than the number of organizations that invite one person. */
const MAX_INVITATIONS = 1000;

/** Returns the open invitations of the person, in the order of their organizations. */
export const invitationsFor = (db: Db, email: string) =>
  openInvitations(db)
    .where('invitations.email', '=', email)
    .select(['invitations.id', 'invitations.organization_id', 'invitations.role'])
    .orderBy('invitations.organization_id')
    .limit(MAX_INVITATIONS)
    .execute();

/**
 * Uses up the invitation and returns its role, which an admin may have changed since the invitation was read. Returns
 * undefined when another request has used or withdrawn the invitation.
 */
export async function useInvitation(tx: Tx, id: string): Promise<Role | undefined> {
  const used = await tx
    .deleteFrom('invitations')
    .where('id', '=', id)
    .returning('role')
    .executeTakeFirst();
  return used?.role;
}
