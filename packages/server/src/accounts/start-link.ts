/**
 * A start link signs an account in once, without a password. Whoever sees what the service prints on its machine, or runs
 * a command there, can read and change all data anyway, so nothing else is asked.
 *
 * Each link is a row of its own. Processes that share a database therefore keep the links of each other, and the start
 * of an embedded database, which only one process uses, ends the links of earlier starts.
 */
import type { Kysely } from 'kysely';
import { record } from '../audit/act.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { explained } from '../db/unavailable.ts';
import { unauthorized } from '../errors.ts';
import { sha256 } from '../model/hash.ts';
import { newId } from '../util.ts';
import { forgetProofs } from './forget-proofs.ts';
import { type Device, type OpenedSession, openSession } from './open-session.ts';
import { makeToken } from './secret-token.ts';
import { membershipsOf } from './session-store.ts';
import * as store from './start-link-store.ts';
import type { Throttle } from './throttle.ts';

const LINK_MS = 24 * 3_600_000;

export interface StartLink {
  readonly url: string;
  readonly hasPassword: boolean;
}

interface LinkOptions {
  /** The link signs this account in. */
  readonly email: string;
  /** Browsers reach the service at this origin. */
  readonly origin: string;
  /** If true, all earlier links end. */
  readonly endsOthers: boolean;
  /** If true, the account has no password afterwards, so the person can set one without knowing the present one. */
  readonly forgetsPassword?: boolean;
}

/** Returns null when no member of an organization has the e-mail. */
export const makeStartLink = (
  db: Kysely<Schema>,
  { email, origin, endsOthers, forgetsPassword = false }: LinkOptions,
): Promise<StartLink | null> =>
  db.transaction().execute(async (tx) => {
    if (endsOthers) await store.removeAll(tx);
    const account = await store.memberWith(tx, email);
    if (!account) return null;
    if (forgetsPassword) await forgetPassword(tx, { id: account.id, email });
    const { token, hash } = makeToken();
    const expires_at = Date.now() + LINK_MS;
    await store.insert(tx, { id: newId(), user_id: account.id, hash, expires_at });
    // A browser does not send what is behind the #, so the token is in no log of a proxy.
    const url = `${origin}/start#token=${token}`;
    return { url, hasPassword: account.password_hash !== null && !forgetsPassword };
  });

interface PrintedLinkOptions {
  readonly email: string;
  readonly origin: string;
  /** It is true when this start has made the first organization. */
  readonly isFirst: boolean;
  readonly isEmbedded: boolean;
  readonly isReachable: boolean;
}

/**
 * Makes the link that a start prints. Many people read the logs of a service that others reach, and not all of them may sign
 * in. So the start makes no link when the owner has a password, and on PostgreSQL only the first start makes one. Throws an
 * error with a message for users when the database takes no writes.
 */
export async function linkOfStart(
  db: Kysely<Schema>,
  { email, origin, isFirst, isEmbedded, isReachable }: PrintedLinkOptions,
): Promise<StartLink | null> {
  if (!isEmbedded && !isFirst) return null;
  try {
    if (isReachable && !isFirst && (await hasPassword(db, email))) return null;
    return await makeStartLink(db, { email, origin, endsOthers: isEmbedded });
  } catch (error) {
    throw explained(error);
  }
}

async function hasPassword(db: Kysely<Schema>, email: string): Promise<boolean> {
  const account = await store.memberWith(db, email);
  return account !== undefined && account.password_hash !== null;
}

/** The sessions and links of the account end too, because somebody else may know the password. */
async function forgetPassword(
  tx: Tx,
  { id, email }: { readonly id: string; readonly email: string },
) {
  await forgetProofs(tx, id);
  const joined = await membershipsOf(tx, id);
  await record(
    tx,
    joined.map((one) => one.id),
    {
      action: 'password.changed',
      actor: { type: 'operator', id: null, name: null, email: null },
      address: null,
      target: { id, name: email, details: { forgotten: true } },
    },
  );
}

export type StartSignIn = ReturnType<typeof createStartSignIn>;

interface StartDeps {
  readonly db: Kysely<Schema>;
  readonly throttle: Throttle;
}

/** Returns a function that uses a link up, and opens a session of its account. */
export const createStartSignIn =
  ({ db, throttle }: StartDeps) =>
  async (token: string, device: Device): Promise<OpenedSession> => {
    const opened = await throttle.guess({ address: device.address }, () =>
      db.transaction().execute(async (tx) => {
        const userId = await store.use(tx, sha256(token));
        return userId === undefined
          ? undefined
          : openSession(tx, userId, { ...device, way: 'link' });
      }),
    );
    if (!opened)
      throw unauthorized(
        'this link has been used or replaced, or is too old: on the machine of the service, start it again or run quarry sign-in-link, and open the new link',
      );
    return opened;
  };
