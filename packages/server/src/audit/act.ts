/**
 * The audit log says who did what, on what, from where and when. An act and its record are one transaction, so the log
 * names exactly the acts that took place.
 *
 * A route says in its `config` which act it is, and a service carries the act out in `act`, in the place of a transaction
 * of its own. What has no context, such as a sign-in, calls `record` in its transaction.
 *
 * A record never holds a value that a caller gave, except names and such details as a role; of other changes it holds
 * the names of the changed fields.
 */
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import { isKeyLeft, isSessionLeft, lockAccount, roleOf } from '../db/account.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { forbidden, unauthorized } from '../errors.ts';
import type { AuditAction } from '../model/audit.ts';
import { ROLES, type Role } from '../model/role.ts';
import { newId } from '../util.ts';
import * as store from './store.ts';

export interface ActTarget {
  readonly id: string;
  readonly name: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The record belongs to this organization; without it, to that of the caller. */
  readonly organizationId?: string;
}

/** This part of the context says who asks, and can be sent to another thread. */
export type Caller = Pick<Ctx, 'session' | 'key' | 'account' | 'role'> & {
  readonly organization: Pick<Ctx['organization'], 'id'>;
};

interface Actor {
  readonly type: 'user' | 'api_key' | 'operator';
  readonly id: string | null;
  readonly name: string | null;
  /** This is the e-mail of the account, which for a key is that of its maker. */
  readonly email: string | null;
}

export interface RecordedAct {
  readonly action: AuditAction;
  readonly actor: Actor;
  /** The request came from this address of the network; null for an act without a request. */
  readonly address: string | null;
  readonly target: Omit<ActTarget, 'organizationId'>;
}

/**
 * Runs the work in a transaction, with the record of the act if the route names one. The work says what it acts on by
 * its second parameter; it leaves that out when it changes nothing.
 */
export function act<Result>(
  db: Kysely<Schema>,
  ctx: Ctx,
  work: (tx: Tx, on: (target: ActTarget) => void) => Promise<Result>,
): Promise<Result> {
  const { action } = ctx;
  return db.transaction().execute(async (tx) => {
    let found: ActTarget | undefined;
    await holdCaller(tx, ctx);
    const result = await work(tx, (target) => {
      found = target;
    });
    if (found && action !== null) {
      const { organizationId = ctx.organization.id, ...target } = found;
      const { address } = ctx;
      await record(tx, [organizationId], { action, actor: actorOf(ctx), address, target });
    }
    return result;
  });
}

/**
 * Throws a 401 or a 403 when what the caller has proved has ended since the request came, because a body may arrive
 * minutes after its head. Until the transaction ends, nobody else ends the session.
 */
export async function holdCaller(
  tx: Tx,
  { session, key, account, organization, role }: Caller,
): Promise<void> {
  // A caller with a token of the operator's issuer has neither: its rights end with the token.
  if (session === undefined && key === undefined) return;
  if (session !== undefined) {
    await lockAccount(tx, account.id);
    if (!(await isSessionLeft(tx, session)))
      throw unauthorized('this session has ended: sign in again');
  }
  if (key !== undefined && !(await isKeyLeft(tx, key)))
    throw unauthorized('this API key was revoked or rotated: use another one');
  await needRole(tx, { accountId: account.id, organizationId: organization.id, role });
}

/** Throws a 403 when the account no longer has at least this role in the organization. */
export async function needRole(
  tx: Tx,
  { role, ...member }: { readonly role: Role; readonly accountId: string; organizationId: string },
): Promise<void> {
  const now = await roleOf(tx, member);
  if (now === undefined || ROLES.indexOf(now) < ROLES.indexOf(role))
    throw forbidden(`you no longer have the role ${role} in this organization`);
}

/** Writes the act into the log of each organization. */
export async function record(
  tx: Tx,
  organizationIds: readonly string[],
  { action, actor, address, target }: RecordedAct,
): Promise<void> {
  const [targetType = ''] = action.split('.');
  const row = {
    created_at: Date.now(),
    action,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    actor_email: actor.email,
    target_type: targetType,
    target_id: target.id,
    target_name: target.name,
    address,
    details: JSON.stringify(target.details ?? {}),
  };
  await store.insert(
    tx,
    organizationIds.map((organization_id) => ({ ...row, id: newId(), organization_id })),
  );
}

/** The operator has no account. */
export const OPERATOR: Actor = { type: 'operator', id: null, name: null, email: null };

function actorOf({ key, account, isOperator }: Ctx): Actor {
  if (isOperator) return OPERATOR;
  return key === undefined
    ? { type: 'user', id: account.id, name: null, email: account.email }
    : { type: 'api_key', id: key.id, name: key.name, email: account.email };
}

/** Returns the names of the fields that a patch changes. */
export const changedFields = (patch: object): { readonly fields: string[] } => ({
  fields: Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : [name])),
});
