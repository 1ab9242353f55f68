/** This file has the queries on accounts that sign in and on their sessions. */
import type { Insertable, Kysely } from 'kysely';
import type { Db, Schema, SessionTable, Tx } from '../db/schema.ts';

/** The times are in milliseconds since 1970. */
export interface SessionEnds {
  /** A session that began before this time has ended. */
  readonly begunAfter: number;
  /** A session that has not been used since this time has ended. */
  readonly usedAfter: number;
}

export const insert = (db: Db, row: Insertable<SessionTable>) =>
  db.insertInto('sessions').values(row).execute();

const open = (db: Db, { begunAfter, usedAfter }: SessionEnds) =>
  db
    .selectFrom('sessions')
    .where('sessions.created_at', '>', begunAfter)
    .where('sessions.last_used_at', '>', usedAfter);

/** Returns the open session with its account. */
export const byHash = (db: Db, hash: string, ends: SessionEnds) =>
  open(db, ends)
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.hash', '=', hash)
    .select(['sessions.id', 'sessions.last_used_at', 'users.id as user_id', 'users.email'])
    .executeTakeFirst();

export const noteUse = (db: Kysely<Schema>, id: string, at: number) =>
  // A write without a transaction would be given up while it waits for a standby (db/deadline.ts).
  db
    .transaction()
    .execute((tx) =>
      tx.updateTable('sessions').set({ last_used_at: at }).where('id', '=', id).execute(),
    );

/** Returns the open sessions of the account, the last used first. */
export const list = (db: Db, userId: string, ends: SessionEnds) =>
  open(db, ends)
    .where('sessions.user_id', '=', userId)
    .selectAll()
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
export type SessionRow = Awaited<ReturnType<typeof list>>[number];

/** Returns the removed session, or undefined when the account has no such session. */
export const remove = (db: Db, userId: string, id: string) =>
  db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** Returns the removed session, or undefined when it does not exist. */
export const removeByHash = (tx: Tx, hash: string) =>
  tx.deleteFrom('sessions').where('hash', '=', hash).returningAll().executeTakeFirst();

/** Ends the sessions of the account, except the one with the id `but`. */
export const removeOthers = (tx: Tx, userId: string, but: string) =>
  tx.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', but).execute();

/** Ends all sessions of the account. */
export const removeAllOf = (tx: Tx, userId: string) =>
  tx.deleteFrom('sessions').where('user_id', '=', userId).execute();

/** The limit bounds the memory. It is higher than the number of organizations of a person. */
const MAX_ORGANIZATIONS = 1000;

/** Returns the organizations of the account, the oldest membership first. */
export const membershipsOf = (db: Db, userId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .where('memberships.user_id', '=', userId)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'organizations.id',
      'organizations.name',
      'organizations.feature_flags',
      'organizations.quotas',
      'memberships.role',
    ])
    .orderBy('memberships.created_at')
    .orderBy('organizations.id')
    .limit(MAX_ORGANIZATIONS)
    .execute();

/** The e-mails of accounts that sign in are in lower case. */
export const accountOf = (db: Db, email: string) =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

export const accountById = (db: Db, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The issuer vouches for the e-mail of the account since this time. */
export const setVouched = (tx: Tx, id: string, at: number) =>
  tx.updateTable('users').set({ vouched_at: at }).where('id', '=', id).execute();

/** The account has no password when the hash is null. */
export const setPassword = (tx: Tx, id: string, hash: string | null) =>
  tx.updateTable('users').set({ password_hash: hash }).where('id', '=', id).execute();
