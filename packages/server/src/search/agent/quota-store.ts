/** Counts agentic searches by clock hour in the database, so that every process counts the same. */
import { type Kysely, sql } from 'kysely';
import { databaseTime, nowMs } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import { lockOrganization } from '../../db/organization.ts';
import type { Schema } from '../../db/schema.ts';

const HOUR_MS = 3_600_000;

/**
 * Counts another search and returns true, if fewer than `limit` searches (null: any number) have been counted in this
 * hour. It is one statement, so that searches at the same time cannot exceed the limit. When an hour begins while
 * another statement waits for the row, the newer hour stays. An organization that was just deleted gets true, and
 * nothing is counted.
 */
export async function countQuery(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  { organizationId, limit }: { readonly organizationId: string; readonly limit: number | null },
): Promise<boolean> {
  const hour = sql`${nowMs(kind)} / ${sql.lit(HOUR_MS)}`;
  const hasRoom = limit === null ? sql`1 = 1` : sql`q.count < ${limit}`;
  const allowsAny = limit === null ? sql`1 = 1` : sql`${limit} > 0`;
  const { rows } = await db.transaction().execute(async (tx) => {
    if (!(await lockOrganization(tx, organizationId))) return { rows: [{ count: 0 }] };
    return sql<{ count: number }>`
      insert into agentic_queries as q (organization_id, hour, count)
      select ${organizationId}, ${hour}, 1 where ${allowsAny}
      on conflict (organization_id) do update set
        count = case when q.hour < excluded.hour then 1 else q.count + 1 end,
        hour = case when q.hour < excluded.hour then excluded.hour else q.hour end
      where q.hour < excluded.hour or ${hasRoom}
      returning count`.execute(tx);
  });
  return rows.length > 0;
}

/** Returns the seconds until the next full hour, by the clock of the database. */
export async function restOfHour(db: Kysely<Schema>, kind: DatabaseKind): Promise<number> {
  const now = await databaseTime(db, kind);
  return Math.ceil((HOUR_MS - (now.getTime() % HOUR_MS)) / 1000);
}
