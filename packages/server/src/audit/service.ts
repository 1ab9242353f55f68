/** Admins read the audit log of their organization. */
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import type { Listed } from '../http/lists.ts';
import { instant } from '../util.ts';
import type { AuditEvent, AuditQuery } from './schema.ts';
import * as store from './store.ts';

export type AuditLog = ReturnType<typeof createAuditLog>;

export const createAuditLog = (db: Kysely<Schema>) => ({
  async list(ctx: Ctx, { since, action, actor, ...page }: AuditQuery): Promise<Listed<AuditEvent>> {
    const { total, rows } = await store.list(db, ctx.organization.id, {
      ...page,
      action,
      actor,
      since: since === undefined ? undefined : Date.parse(since),
    });
    return { total, rows: rows.map(toAuditEvent) };
  },
});

const toAuditEvent = (row: store.AuditRow): AuditEvent => ({
  id: row.id,
  action: row.action,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name, email: row.actor_email },
  target: { type: row.target_type, id: row.target_id, name: row.target_name },
  address: row.address,
  details: row.details,
  created_at: instant(row.created_at),
});
