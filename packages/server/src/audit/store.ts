/** This file has the queries on the audit log. */
import type { Insertable } from 'kysely';
import type { AuditEventTable, Db, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { AuditAction } from '../model/audit.ts';

const KEPT_MS = 365 * 24 * 3_600_000;
const ROWS_PER_STEP = 500;

export async function insert(tx: Tx, rows: readonly Insertable<AuditEventTable>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('audit_events').values(rows).execute();
}

export interface AuditFilter extends Page {
  readonly action: AuditAction | undefined;
  /** The id or e-mail of the account, or the id of the key. */
  readonly actor: string | undefined;
  /** The time is in milliseconds since 1970. */
  readonly since: number | undefined;
}

const found = (db: Db, organizationId: string, { action, actor, since }: AuditFilter) => {
  let query = db.selectFrom('audit_events').where('organization_id', '=', organizationId);
  if (action !== undefined) query = query.where('action', '=', action);
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (actor === undefined) return query;
  return query.where((eb) => eb.or([eb('actor_id', '=', actor), eb('actor_email', '=', actor)]));
};

/** Returns a page of the log, the newest act first. */
export async function list(db: Db, organizationId: string, filter: AuditFilter) {
  const { total } = await found(db, organizationId, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await found(db, organizationId, filter)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(filter.skip)
    .limit(filter.limit)
    .execute();
  return { total: Number(total), rows } satisfies Listed<unknown>;
}
export type AuditRow = Awaited<ReturnType<typeof list>>['rows'][number];

/** Counts the invitations to the address, or of the organization, since the time. Counts no more than `most`. */
export async function countInvitations(
  db: Db,
  {
    since,
    most,
    ...of
  }: { readonly since: number; readonly most: number } & (
    | { readonly email: string }
    | { readonly organizationId: string }
  ),
): Promise<number> {
  const invited = db
    .selectFrom('audit_events')
    .where('action', '=', 'member.invited')
    .where('created_at', '>', since);
  const counted =
    'email' in of
      ? invited.where('target_name', '=', of.email)
      : invited.where('organization_id', '=', of.organizationId);
  return (await counted.select('id').limit(most).execute()).length;
}

/** Removes records that are older than 365 days, a few at a time. Yields after each step. */
export async function* forgetActs(db: Db, now: number): AsyncGenerator<void> {
  for (;;) {
    // This query takes no lock. Only the deletion may block other writers, so it runs only when it is needed.
    const old = await db
      .selectFrom('audit_events')
      .select('id')
      .where('created_at', '<=', now - KEPT_MS)
      .orderBy('created_at')
      .limit(ROWS_PER_STEP)
      .execute();
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    await db.deleteFrom('audit_events').where('id', 'in', ids).execute();
    yield;
  }
}
