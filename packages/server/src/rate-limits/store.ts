/** These queries read and write the configured limits of an organization. */
import type { Selectable } from 'kysely';
import type { Db, SourceRateLimitTable, Tx } from '../db/schema.ts';
import { newId } from '../util.ts';

export type RateLimitRow = Selectable<SourceRateLimitTable>;

export const list = (db: Db, organizationId: string): Promise<RateLimitRow[]> =>
  db
    .selectFrom('source_rate_limits')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .execute();

/** Creates the limit, or changes an existing one. The caller has locked the organization. */
export async function put(
  tx: Tx,
  organizationId: string,
  limit: Pick<RateLimitRow, 'source_short_name' | 'max_requests' | 'window_seconds'>,
): Promise<RateLimitRow> {
  const now = Date.now();
  const { max_requests, window_seconds } = limit;
  return tx
    .insertInto('source_rate_limits')
    .values({
      id: newId(),
      organization_id: organizationId,
      ...limit,
      created_at: now,
      modified_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'source_short_name'])
        .doUpdateSet({ max_requests, window_seconds, modified_at: now }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns false when the organization has no such limit. */
export async function remove(db: Db, organizationId: string, shortName: string): Promise<boolean> {
  const result = await db
    .deleteFrom('source_rate_limits')
    .where('organization_id', '=', organizationId)
    .where('source_short_name', '=', shortName)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export interface LimitRow {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Returns the limits by the short names of their sources. */
export async function limitsOf(db: Db, organizationId: string): Promise<Map<string, LimitRow>> {
  const rows = await list(db, organizationId);
  return new Map(
    rows.map((row) => [
      row.source_short_name,
      { limit: row.max_requests, windowSeconds: row.window_seconds },
    ]),
  );
}

/** A deleted organization has no flags. */
export async function featureFlags(db: Db, organizationId: string): Promise<readonly string[]> {
  const row = await db
    .selectFrom('organizations')
    .select('feature_flags')
    .where('id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.feature_flags ?? [];
}
