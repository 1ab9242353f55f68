/** A person who has proved who it is gets a session, and learns what its account reaches. */
import type { Db, Tx } from '../db/schema.ts';
import { forbidden } from '../errors.ts';
import { newId } from '../util.ts';
import { recordOwnAct } from './own-acts.ts';
import type { Me } from './schema.ts';
import { makeToken } from './secret-token.ts';
import * as store from './session-store.ts';

/** The person signs in from this address of the network, by this browser. */
export interface Device {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** The token is for the cookie of the browser. */
export interface OpenedSession {
  readonly token: string;
  readonly me: Me;
}

const MAX_USER_AGENT = 300;

interface SessionOpening extends Device {
  readonly way: ProofOfPerson;
  /** The person begins in this organization; without it, in that of the oldest membership. */
  readonly organization_id?: string;
}

/** A person has proved who it is by one of these. */
type ProofOfPerson = 'password' | 'invitation' | 'link' | 'issuer';

export async function openSession(
  tx: Tx,
  userId: string,
  { address, userAgent, way, organization_id }: SessionOpening,
): Promise<OpenedSession> {
  const { token, hash } = makeToken();
  const now = Date.now();
  const id = newId();
  const me = await describeAccount(tx, userId, organization_id);
  await store.insert(tx, {
    id,
    user_id: userId,
    hash,
    created_at: now,
    last_used_at: now,
    address,
    user_agent: userAgent?.toWellFormed().slice(0, MAX_USER_AGENT) ?? null,
  });
  const target = { id, name: null, details: { way } };
  await recordOwnAct(tx, userId, { action: 'session.opened', address, target });
  return { token, me };
}

/** Without an organization, the account acts in that of its oldest membership. */
export async function describeAccount(
  db: Db,
  userId: string,
  organizationId?: string,
): Promise<Me> {
  const user = await store.accountById(db, userId);
  const joined = await store.membershipsOf(db, userId);
  const current =
    organizationId === undefined ? joined[0] : joined.find(({ id }) => id === organizationId);
  if (!current)
    throw forbidden('this account belongs to no organization; ask an admin to invite it again');
  return {
    user: {
      id: user.id,
      email: user.email,
      name: user.name,
      has_password: user.password_hash !== null,
    },
    organization: { id: current.id, name: current.name },
    role: current.role,
    organizations: joined.map(({ id, name, role }) => ({ id, name, role })),
  };
}
