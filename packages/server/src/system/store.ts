/** These queries read the state of the database, and what an organization has in the index and in the queue. */
import { sql } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db } from '../db/schema.ts';
import { outdatedKinds, WITHOUT_PARSER } from '../documents/kinds.ts';
import { LIVE_TASK_STATUSES } from '../model/maintenance-status.ts';
import { UNFINISHED } from '../model/sync-status.ts';

/** A list has at most this many elements. */
const SHOWN = 100;

/** The version and the size are those that the database itself reports. */
export async function database(db: Db, kind: DatabaseKind) {
  const facts =
    kind === 'sqlite'
      ? sql<{ version: string; size: number }>`
          select sqlite_version() as version, page_count * page_size as size
          from pragma_page_count, pragma_page_size`
      : sql<{ version: string; size: number }>`
          select current_setting('server_version') as version,
            pg_database_size(current_database()) as size`;
  const newest = sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1`;
  const [about] = (await facts.execute(db)).rows;
  const [migration] = (await newest.execute(db)).rows;
  if (!about || !migration) throw new Error('the database did not say what it is');
  return {
    version: about.version,
    size_bytes: Number(about.size),
    newest_migration: migration.name,
  };
}

/** The stored counters make this cheap whatever the size of the organization. */
export async function indexed(db: Db, organizationId: string) {
  const entities = await liveConnections(db, organizationId)
    .innerJoin('entity_counts as k', 'k.connection_id', 'c.id')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('k.count'), sql.lit(0)).as('count'))
    .executeTakeFirstOrThrow();
  const chunks = await db
    .selectFrom('collections as c')
    .innerJoin('indexes as i', 'i.collection_id', 'c.id')
    .where('c.organization_id', '=', organizationId)
    .where('c.deleted_at', 'is', null)
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('i.chunks'), sql.lit(0)).as('count'))
    .executeTakeFirstOrThrow();
  return { records: Number(entities.count), passages: Number(chunks.count) };
}

/**
 * Returns the collections of which some records have no vectors. A partial index has only these records, which are
 * usually none.
 */
export async function withoutVectors(db: Db, organizationId: string) {
  const rows = await liveConnections(db, organizationId)
    .innerJoin('entities as e', 'e.connection_id', 'c.id')
    .innerJoin('collections as l', 'l.id', 'c.collection_id')
    .where('e.chunk_version', '=', sql.lit(''))
    .select((eb) => ['l.readable_id', eb.fn.countAll<number>().as('records')])
    .groupBy('l.readable_id')
    .orderBy('l.readable_id')
    .limit(SHOWN)
    .execute();
  return rows.map(({ readable_id, records }) => ({
    collection_readable_id: readable_id,
    records: Number(records),
  }));
}

/**
 * Counts the documents whose text was extracted by an earlier version of a converter, by kind. A document with others
 * inside of it counts once for each such kind. Pushed documents do not count: nobody can be asked for them again. A
 * partial index has only records with a converter.
 */
export async function toExtract(db: Db, organizationId: string) {
  const rows = await liveConnections(db, organizationId)
    .innerJoin('entities as e', 'e.connection_id', 'c.id')
    .where('e.extract_version', '<>', sql.lit(WITHOUT_PARSER))
    .where('e.origin', 'is', null)
    .where('c.short_name', '<>', 'push')
    .select((eb) => ['e.extract_version', eb.fn.countAll<number>().as('records')])
    .groupBy('e.extract_version')
    .execute();
  const kinds = new Map<string, number>();
  for (const { extract_version, records } of rows)
    for (const kind of outdatedKinds(extract_version))
      kinds.set(kind, (kinds.get(kind) ?? 0) + Number(records));
  return [...kinds].map(([kind, records]) => ({ kind, records }));
}

/** Counts unfinished syncs. A sync that waits for its source keeps its status, so both are looked at. */
export async function syncs(db: Db, organizationId: string) {
  const rows = await db
    .selectFrom('sync_jobs as j')
    .innerJoin('connections as c', 'c.id', 'j.connection_id')
    .where('j.organization_id', '=', organizationId)
    .where('j.status', 'in', UNFINISHED)
    .where('c.deleted_at', 'is', null)
    .select((eb) => [
      'j.status',
      sql<number>`case when j.waits_for is null then 0 else 1 end`.as('waits'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy(['j.status', 'waits'])
    .execute();
  const isWaiting = ({ status, waits }: (typeof rows)[number]) =>
    status === 'PENDING' || Number(waits) === 1;
  const total = (some: typeof rows) => some.reduce((sum, { count }) => sum + Number(count), 0);
  return {
    syncs_running: total(rows.filter((row) => !isWaiting(row))),
    syncs_waiting: total(rows.filter(isWaiting)),
  };
}

/** Lists unfinished runs, the oldest first. A run works as soon as one of its tasks has begun. */
export async function maintenance(db: Db, organizationId: string) {
  const isLive = sql`case when t.status in (${sql.join(LIVE_TASK_STATUSES)}) then 1 else 0 end`;
  const rows = await db
    .selectFrom('maintenance_runs as r')
    .innerJoin('maintenance_tasks as t', 't.run_id', 'r.id')
    .innerJoin('collections as c', 'c.id', 'r.collection_id')
    .where('c.organization_id', '=', organizationId)
    .where('c.deleted_at', 'is', null)
    .groupBy(['r.id', 'r.kind', 'c.readable_id'])
    .having(sql<boolean>`sum(${isLive}) > 0`)
    .select((eb) => [
      'r.id',
      'r.kind',
      'c.readable_id',
      sql<number>`sum(case when t.status = 'PENDING' then 0 else 1 end)`.as('begun'),
      eb.fn.sum<number>('t.total').as('total'),
      eb.fn.sum<number>('t.done').as('done'),
    ])
    .orderBy('r.id')
    .limit(SHOWN)
    .execute();
  return rows.map(({ id, kind, readable_id, begun, total, done }) => ({
    ...{ id, kind, collection_readable_id: readable_id },
    status: Number(begun) > 0 ? ('RUNNING' as const) : ('PENDING' as const),
    entities_total: Number(total),
    entities_done: Number(done),
  }));
}

const liveConnections = (db: Db, organizationId: string) =>
  db
    .selectFrom('connections as c')
    .where('c.organization_id', '=', organizationId)
    .where('c.deleted_at', 'is', null);
