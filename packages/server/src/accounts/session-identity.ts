/**
 * A session turns its cookie into the identity of a person. The person may do what the membership of the organization
 * allows, which is read for each request, so a member who is removed reaches nothing more.
 *
 * An admin sees everything, as with a key. Anybody else sees what a search as that person finds.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { NO_RIGHTS } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { notFound, unauthorized } from '../errors.ts';
import type { Identity } from '../http/auth.ts';
import { createLastUse } from '../http/last-use.ts';
import { sha256 } from '../model/hash.ts';
import { toOrganization } from '../organizations/key-store.ts';
import { endsAt } from './session-ends.ts';
import * as store from './session-store.ts';

type IdentifySession = (token: string, organizationId: string | undefined) => Promise<Identity>;

interface SessionIdentity {
  readonly identify: IdentifySession;
  /** Waits until the last-used time of a session that is being written has been written. */
  readonly settled: () => Promise<void>;
}

export function createSessionIdentity(db: Kysely<Schema>, log: Logger): SessionIdentity {
  const lastUse = createLastUse(
    (id, at) => store.noteUse(db, id, at),
    (error) => log.warn({ err: error }, 'the use of a session was not noted'),
  );

  const identify: IdentifySession = async (token, organizationId) => {
    const now = Date.now();
    const session = await store.byHash(db, sha256(token), endsAt(now));
    if (!session) throw unauthorized('this session has ended: sign in again');
    const joined = await store.membershipsOf(db, session.user_id);
    const current =
      organizationId === undefined ? joined[0] : joined.find(({ id }) => id === organizationId);
    if (!current && organizationId !== undefined) throw notFound('organization', organizationId);
    if (!current) throw unauthorized('this account is no member of an organization any more');
    lastUse.note({ id: session.id, lastUsedAt: session.last_used_at }, now);
    const isAdmin = current.role === 'admin';
    return {
      ...NO_RIGHTS,
      allOrganizations: isAdmin,
      account: { id: session.user_id, email: session.email },
      organization: toOrganization(current.id, current),
      role: current.role,
      session: session.id,
      ...(!isAdmin && { person: `user:${session.email}` }),
    };
  };
  return { identify, settled: lastUse.settled };
}
