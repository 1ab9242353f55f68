/** These queries write and find the sign-in links of connections. All times come from the clock of the database. */
import { type Selectable, sql } from 'kysely';
import { nowMs } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { ConnectionTable, Db, Schema, Tx } from '../../db/schema.ts';
import type { TokenDatabase } from '../token-store.ts';

const LINK_MS = 10 * 60_000;
/** A person may have to look for a password, a second factor or an administrator. */
const STATE_MS = 30 * 60_000;

export type BrowserSignInRow = Selectable<Schema['browser_sign_ins']>;

export interface NewLink {
  readonly connectionId: string;
  readonly redirectUri: string | null;
  readonly startsSync: boolean;
  readonly email: string;
  readonly linkHash: string;
}

/** Stores the new link in the place of an earlier one. The earlier link and its state cannot be used any more. */
export async function putLink(tx: Tx, kind: DatabaseKind, link: NewLink): Promise<void> {
  const values = {
    redirect_uri: link.redirectUri,
    starts_sync: link.startsSync,
    email: link.email,
    link_hash: link.linkHash,
    link_expires_at: sql<number>`${nowMs(kind)} + ${LINK_MS}`,
    opened_at: null,
    state_hash: null,
    browser_hash: null,
    state_expires_at: null,
    used_at: null,
    failure_code: null,
    failure_message: null,
  };
  await tx
    .insertInto('browser_sign_ins')
    .values({ connection_id: link.connectionId, ...values })
    .onConflict((conflict) => conflict.column('connection_id').doUpdateSet(values))
    .execute();
}

export const ofConnection = (db: Db, connectionId: string) =>
  db
    .selectFrom('browser_sign_ins')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .executeTakeFirst();

export const findByLink = (db: Db, linkHash: string) =>
  db
    .selectFrom('browser_sign_ins')
    .selectAll()
    .where('link_hash', '=', linkHash)
    .executeTakeFirst();

export const findByState = (db: Db, stateHash: string) =>
  db
    .selectFrom('browser_sign_ins')
    .selectAll()
    .where('state_hash', '=', stateHash)
    .executeTakeFirst();

/** Uses the link up. Returns false when it was used before or has expired. */
export async function openLink(
  { db, kind }: TokenDatabase,
  linkHash: string,
  hashes: { readonly stateHash: string; readonly browserHash: string },
): Promise<boolean> {
  const result = await db
    .updateTable('browser_sign_ins')
    .set({
      opened_at: nowMs(kind),
      state_hash: hashes.stateHash,
      browser_hash: hashes.browserHash,
      state_expires_at: sql<number>`${nowMs(kind)} + ${STATE_MS}`,
    })
    .where('link_hash', '=', linkHash)
    .where('opened_at', 'is', null)
    .where('link_expires_at', '>', nowMs(kind))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Uses the state up. Returns false when it was used before or has expired. */
export async function takeState({ db, kind }: TokenDatabase, stateHash: string): Promise<boolean> {
  const result = await db
    .updateTable('browser_sign_ins')
    .set({ used_at: nowMs(kind) })
    .where('state_hash', '=', stateHash)
    .where('used_at', 'is', null)
    .where('state_expires_at', '>', nowMs(kind))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Notes why the sign-in with this link has failed. Writes nothing when a newer link of the connection has replaced this
 * one.
 */
export const noteFailure = (
  { db }: Pick<TokenDatabase, 'db'>,
  linkHash: string,
  { code, message }: { readonly code: string; readonly message: string },
) =>
  db
    .updateTable('browser_sign_ins')
    .set({ failure_code: code, failure_message: message })
    .where('link_hash', '=', linkHash)
    .execute();

export type SigningInConnection = Selectable<ConnectionTable>;

export const connectionOf = (db: Db, id: string): Promise<SigningInConnection | undefined> =>
  db
    .selectFrom('connections')
    .innerJoin('collections', 'collections.id', 'connections.collection_id')
    .selectAll('connections')
    .where('connections.id', '=', id)
    .where('connections.deleted_at', 'is', null)
    .where('collections.deleted_at', 'is', null)
    .executeTakeFirst();

/** Locks the connection until the transaction ends. Returns its current row, or undefined when it has been deleted. */
export async function lockConnection(tx: Tx, id: string): Promise<SigningInConnection | undefined> {
  await tx
    .updateTable('connections')
    .set({ generation: sql`generation` })
    .where('id', '=', id)
    .execute();
  return connectionOf(tx, id);
}

/** Notes that somebody has signed in. The caller has locked the row of the connection. */
export const markSignedIn = (
  tx: Tx,
  id: string,
  { account, at }: { readonly account: string | null; readonly at: number },
) =>
  tx
    .updateTable('connections')
    .set({ account, authenticated_at: at, refused_at: null })
    .where('id', '=', id)
    .execute();
