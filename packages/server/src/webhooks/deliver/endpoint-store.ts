/**
 * These statements write to subscriptions what the outcomes of attempts say about their endpoints. A statement leaves
 * out rows that already have the new values.
 */
import { sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import { isRestOver } from '../../db/endpoint-rest.ts';
import type { Db, Tx } from '../../db/schema.ts';
import { stopPending } from '../store.ts';

/**
 * Returns the URL of each subscription. When `locked` is true, no other transaction can change the URLs before this
 * transaction ends.
 */
export async function urlsOf(
  tx: Tx,
  kind: DatabaseKind,
  { ids, locked }: { readonly ids: readonly string[]; readonly locked: boolean },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const those = tx
    .selectFrom('webhook_subscriptions')
    .select(['id', 'url'])
    .where('id', 'in', ids)
    .orderBy('id');
  const rows = await (locked && kind === 'postgres' ? those.forNoKeyUpdate() : those).execute();
  return new Map(rows.map(({ id, url }) => [id, url]));
}

export async function noteSuccess(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('webhook_subscriptions')
    .set({ failing_since: null })
    .where('id', 'in', ids)
    .where('failing_since', 'is not', null)
    .execute();
}

export async function noteFailure(tx: Tx, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('webhook_subscriptions')
    .set({ failing_since: now })
    .where('id', 'in', ids)
    .where('failing_since', 'is', null)
    .execute();
}

/** Stores for each subscription the time before which nothing is sent to its endpoint. */
export async function notePauses(tx: Tx, until: ReadonlyMap<string, number>): Promise<void> {
  if (until.size === 0) return;
  const rows = [...until].map(([id, at]) => sql`(${id}, cast(${at} as bigint))`);
  await sql`
    update webhook_subscriptions set rest_until = asked.column2
    from (values ${sql.join(rows)}) as asked
    where id = asked.column1 and ${isRestOver(sql`asked.column2`)}`.execute(tx);
}

/** Returns those of the subscriptions whose endpoints have failed since `before` or longer, without a success. */
export async function failingSince(
  db: Db,
  ids: readonly string[],
  before: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('webhook_subscriptions')
    .select('id')
    .where('id', 'in', ids)
    .where('failing_since', '<=', before)
    .execute();
  return rows.map(({ id }) => id);
}

interface EndpointsToDisable {
  readonly ids: readonly string[];
  readonly at: number;
  readonly reason: string;
}

/** Disables the subscriptions and stops their waiting deliveries. */
export async function disable(
  tx: Tx,
  kind: DatabaseKind,
  { ids, at, reason }: EndpointsToDisable,
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('webhook_subscriptions')
    .set({ disabled_at: at, disabled_reason: reason, modified_at: at })
    .where('id', 'in', ids)
    .where('disabled_at', 'is', null)
    .execute();
  await stopPending(tx, kind, ids);
}
