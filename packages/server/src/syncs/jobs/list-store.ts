/**
 * These queries read sync jobs for callers. A job can be reached only through its connection, and only until the
 * connection is deleted.
 */
import { sql } from 'kysely';
import { within } from '../../db/reach.ts';
import type { Db, SyncConfig } from '../../db/schema.ts';
import type { Page } from '../../http/lists.ts';
import type { Reach } from '../../model/reach.ts';
import { SYNC_STATUSES, type SyncStatus, UNFINISHED } from '../../model/sync-status.ts';
import { STATUS_WORDS, type SyncJob } from '../schema.ts';
import type { JobRow } from './job-store.ts';
import { newestIds } from './newest-store.ts';
import type { NamedJobRow } from './view.ts';

/** Triggers keep these counts in each commit, so a list of a million rows knows its total without counting. */
const TOTAL = sql<number>`coalesce(sum(job_counts.count), 0)`.as('total');

const named = (db: Db) =>
  db
    .selectFrom('sync_jobs')
    .innerJoin('connections', 'connections.id', 'sync_jobs.connection_id')
    .innerJoin('collections', 'collections.id', 'connections.collection_id')
    .selectAll('sync_jobs')
    .select(['connections.name as sync_name', 'collections.readable_id as readable_collection_id'])
    .where('connections.deleted_at', 'is', null);

/** Lists the newest job first. An index alone gives the ids of the page, and only the rows of the page are read. */
export async function ofOrganization(
  db: Db,
  reach: Reach,
  query: { skip: number; limit: number; statuses: readonly SyncJob['status'][] },
): Promise<{ total: number; rows: NamedJobRow[] }> {
  const statuses = query.statuses.length > 0 ? storedStatuses(query.statuses) : null;
  const without = await deleted(db, reach.organizationId);
  const found = idsOf(db, reach, { ...query, statuses, without });
  if (!found) return { total: 0, rows: [] };
  const total = await countWithin(db, reach, statuses);
  const rows = await named(db)
    .where('sync_jobs.id', 'in', db.selectFrom(found.as('page')).select('id'))
    .orderBy('sync_jobs.id', 'desc')
    .execute();
  return { total, rows };
}

const storedStatuses = (words: readonly SyncJob['status'][]) =>
  SYNC_STATUSES.filter((status) => words.includes(STATUS_WORDS[status]));

interface IdsQuery extends Page {
  /** The value null stands for all statuses. */
  readonly statuses: readonly SyncStatus[] | null;
  /** The jobs of these connections are left out. */
  readonly without: readonly string[];
}

/**
 * Builds the query for the ids of a page. Returns undefined when no job can have one of the statuses. Each status is
 * read in the order of its index, and the results are merged.
 */
function idsOf(db: Db, reach: Reach, { statuses, without, skip, limit }: IdsQuery) {
  const ordered = () =>
    db
      .selectFrom('sync_jobs')
      .select('id')
      .where('organization_id', '=', reach.organizationId)
      .$if(without.length > 0, (jobs) => jobs.where('connection_id', 'not in', without))
      // A condition on connections would keep the database from reading in the order of the index, so it is left out
      // for a caller who reaches all collections.
      .$if(reach.collections !== null, (jobs) =>
        jobs.where('connection_id', 'in', living(db, reach).select('connections.id')),
      )
      .orderBy('id', 'desc');
  const few = (jobs: ReturnType<typeof ordered>) =>
    db.selectFrom(jobs.limit(skip + limit).as('few')).select('id');
  const [first, ...rest] = statuses
    ? statuses.map((status) => few(ordered().where('status', '=', status)))
    : [few(ordered())];
  return rest
    .reduce((all, one) => all?.unionAll(one), first)
    ?.orderBy('id', 'desc')
    .offset(skip)
    .limit(limit);
}

/** Finds deleted connections whose jobs may still exist. They are few, because their rows are being removed. */
async function deleted(db: Db, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('connections')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

const living = (db: Db, reach: Reach) =>
  db
    .selectFrom('connections')
    .where(within(reach, 'connections'))
    .where('connections.deleted_at', 'is', null);

async function countWithin(
  db: Db,
  reach: Reach,
  statuses: readonly SyncStatus[] | null,
): Promise<number> {
  let counts = living(db, reach).innerJoin(
    'job_counts',
    'job_counts.connection_id',
    'connections.id',
  );
  if (statuses) counts = counts.where('job_counts.status', 'in', statuses);
  return (await counts.select(TOTAL).executeTakeFirstOrThrow()).total;
}

/** Returns undefined when the caller reaches no collection with this readable_id. */
export async function collectionId(
  db: Db,
  reach: Reach,
  readableId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('collections')
    .select('id')
    .where(within(reach, 'collections'))
    .where('readable_id', '=', readableId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
}

export const find = (db: Db, reach: Reach, id: string): Promise<NamedJobRow | undefined> =>
  named(db).where(within(reach, 'connections')).where('sync_jobs.id', '=', id).executeTakeFirst();

export async function ofConnection(db: Db, connectionId: string, { skip, limit }: Page) {
  const { total } = await db
    .selectFrom('job_counts')
    .select(TOTAL)
    .where('connection_id', '=', connectionId)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('sync_jobs')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total, rows };
}

/** Finds the jobs that still exist. */
export const withIds = async (db: Db, ids: readonly string[]): Promise<JobRow[]> =>
  ids.length === 0 ? [] : db.selectFrom('sync_jobs').selectAll().where('id', 'in', ids).execute();

export const findOfConnection = (db: Db, connectionId: string, id: string) =>
  db
    .selectFrom('sync_jobs')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('id', '=', id)
    .executeTakeFirst();

export async function newest(db: Db, connectionIds: readonly string[]): Promise<JobRow[]> {
  if (connectionIds.length === 0) return [];
  const ids = newestIds(db, connectionIds);
  return db.selectFrom('sync_jobs').selectAll().where('id', 'in', ids).execute();
}

/** Finds the newest completed full job of each of the connections. */
export async function newestCompletedFull(db: Db, connectionIds: readonly string[]) {
  if (connectionIds.length === 0) return [];
  const ids = newestIds(db, connectionIds, (jobs) =>
    jobs.where('sync_jobs.status', '=', 'COMPLETED').where('sync_jobs.full', '=', true),
  );
  return db
    .selectFrom('sync_jobs')
    .select(['id', 'connection_id', 'started_at', 'completed_at', 'encountered', 'left_out'])
    .where('id', 'in', ids)
    .execute();
}

/** Returns the connections that have an unfinished job. */
export async function busy(db: Db, connectionIds: readonly string[]): Promise<Set<string>> {
  if (connectionIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('sync_jobs')
    .select('connection_id')
    .distinct()
    .where('connection_id', 'in', connectionIds)
    .where('status', 'in', UNFINISHED)
    .execute();
  return new Set(rows.map(({ connection_id }) => connection_id));
}

export async function newestFull(db: Db, connectionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sync_jobs')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('full', '=', true)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

interface LastFull {
  /** The last completed full sync started at this time. Null means that no full sync has completed. */
  readonly completedStartedAt: number | null;
  /** The newest full sync ended at this time without completing. Null means that it completed or has not ended. */
  readonly incompleteEndedAt: number | null;
  /** The newest sync of any kind was created at this time. */
  readonly newestCreatedAt: number | null;
}

/** Finds the times that decide when the connection needs its next full sync. */
export async function lastFull(db: Db, connectionId: string): Promise<LastFull> {
  const jobs = db
    .selectFrom('sync_jobs')
    .select(['status', 'created_at', 'started_at', 'completed_at'])
    .where('connection_id', '=', connectionId)
    .orderBy('id', 'desc')
    .limit(1);
  const fulls = jobs.where('full', '=', true);
  const newestJob = await jobs.executeTakeFirst();
  const completed = await fulls.where('status', '=', 'COMPLETED').executeTakeFirst();
  const newest = await fulls.executeTakeFirst();
  return {
    completedStartedAt: completed?.started_at ?? null,
    incompleteEndedAt: newest?.status === 'COMPLETED' ? null : (newest?.completed_at ?? null),
    newestCreatedAt: newestJob?.created_at ?? null,
  };
}

export async function collectionConfig(db: Db, collectionId: string): Promise<SyncConfig | null> {
  const row = await db
    .selectFrom('collections')
    .select('sync_config')
    .where('id', '=', collectionId)
    .executeTakeFirstOrThrow();
  return row.sync_config;
}

export async function collectionConfigs(
  db: Db,
  collectionIds: readonly string[],
): Promise<Map<string, SyncConfig | null>> {
  const rows = await db
    .selectFrom('collections')
    .select(['id', 'sync_config'])
    .where('id', 'in', collectionIds)
    .execute();
  return new Map(rows.map(({ id, sync_config }) => [id, sync_config]));
}

export async function indexedCollections(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('indexes').select('collection_id').execute();
  return rows.map((row) => row.collection_id);
}
