/** This file has the queries on how much organizations were used on each day, in UTC by the clock of the database. */
import { type Kysely, sql } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Schema, Tx } from '../db/schema.ts';
import { chunked } from '../util.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS_KEPT = 366;

export interface SearchCounts {
  readonly searches: number;
  readonly agenticSearches: number;
}

const today = (kind: DatabaseKind) => sql<number>`${nowMs(kind)} / ${sql.lit(DAY_MS)}`;

/** A statement takes a limited number of parameters. */
const ORGANIZATIONS_PER_STEP = 500;

/** Adds the counts to those of today. An organization that was deleted meanwhile gets none. */
export async function addSearches(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  counts: ReadonlyMap<string, SearchCounts>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const some of chunked([...counts], ORGANIZATIONS_PER_STEP))
      await addSome(tx, kind, new Map(some));
  });
}

async function addSome(
  tx: Tx,
  kind: DatabaseKind,
  counts: ReadonlyMap<string, SearchCounts>,
): Promise<void> {
  const existing = await tx
    .updateTable('organizations')
    .set({ name: sql`name` })
    .where('id', 'in', [...counts.keys()])
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute();
  const rows = existing.flatMap(({ id }) => {
    const one = counts.get(id);
    return one ? [{ id, ...one }] : [];
  });
  if (rows.length === 0) return;
  await tx
    .insertInto('usage_days')
    .values(
      rows.map(({ id, searches, agenticSearches }) => ({
        organization_id: id,
        day: today(kind),
        searches,
        agentic_searches: agenticSearches,
        records: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'day']).doUpdateSet((eb) => ({
        searches: eb('usage_days.searches', '+', eb.ref('excluded.searches')),
        agentic_searches: eb(
          'usage_days.agentic_searches',
          '+',
          eb.ref('excluded.agentic_searches'),
        ),
      })),
    )
    .execute();
}

/** Notes how many records each organization has now, as the number of today. */
export async function noteRecords(db: Db, kind: DatabaseKind): Promise<void> {
  await sql`
    insert into usage_days (organization_id, day, searches, agentic_searches, records)
    select o.id, ${today(kind)}, 0, 0, coalesce(sum(k.count), 0)
    from organizations as o
    left join connections as c on c.organization_id = o.id
    left join entity_counts as k on k.connection_id = c.id
    where o.deleted_at is null
    group by o.id
    on conflict (organization_id, day) do update set records = excluded.records`.execute(db);
}

export const forgetUsage = async (db: Db, kind: DatabaseKind): Promise<void> => {
  await db
    .deleteFrom('usage_days')
    .where('day', '<=', sql<number>`${today(kind)} - ${sql.lit(DAYS_KEPT)}`)
    .execute();
};

export type UsageRow = Awaited<ReturnType<typeof lastDays>>['rows'][number];

/** Returns the rows of the last days, today included, the oldest first, and the number of today. */
export async function lastDays(
  db: Db,
  kind: DatabaseKind,
  { organizationId, days }: { readonly organizationId: string; readonly days: number },
) {
  const { rows } = await sql<{ day: number }>`select ${today(kind)} as day`.execute(db);
  const last = Number(rows[0]?.day);
  const found = await db
    .selectFrom('usage_days')
    .select(['day', 'searches', 'agentic_searches', 'records'])
    .where('organization_id', '=', organizationId)
    .where('day', '>', last - days)
    .where('day', '<=', last)
    .orderBy('day')
    .execute();
  return { last, rows: found };
}
