/** Queries that show sync jobs. A job is reached only through its connection while that one lives. */
import type { Db, SyncConfig, SyncStatus } from '../db/schema.ts';
import type { Page } from '../http/lists.ts';
import type { JobRow } from './job-store.ts';
import type { SyncJob } from './schema.ts';
import type { NamedJobRow } from './view.ts';

const OF_WORD: Record<SyncJob['status'], readonly SyncStatus[]> = {
  // A job is queued in the transaction that makes it: none is ever only created.
  created: [],
  pending: ['PENDING'],
  in_progress: ['RUNNING'],
  completed: ['COMPLETED'],
  failed: ['FAILED'],
  cancelling: ['CANCELLING'],
  cancelled: ['CANCELLED'],
};

const named = (db: Db) =>
  db
    .selectFrom('sync_jobs')
    .innerJoin('connections', 'connections.id', 'sync_jobs.connection_id')
    .where('connections.deleted_at', 'is', null);

export async function ofOrganization(
  db: Db,
  organizationId: string,
  query: { skip: number; limit: number; statuses: readonly SyncJob['status'][] },
): Promise<{ total: number; rows: NamedJobRow[] }> {
  const statuses = query.statuses.flatMap((word) => OF_WORD[word]);
  let jobs = named(db).where('sync_jobs.organization_id', '=', organizationId);
  if (query.statuses.length > 0)
    jobs = jobs.where((eb) =>
      statuses.length > 0 ? eb('sync_jobs.status', 'in', statuses) : eb.lit(false),
    );
  const { total } = await jobs
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await jobs
    .selectAll('sync_jobs')
    .select('connections.name as sync_name')
    .orderBy('sync_jobs.id', 'desc')
    .offset(query.skip)
    .limit(query.limit)
    .execute();
  return { total: Number(total), rows };
}

export const find = (
  db: Db,
  organizationId: string,
  id: string,
): Promise<NamedJobRow | undefined> =>
  named(db)
    .selectAll('sync_jobs')
    .select('connections.name as sync_name')
    .where('sync_jobs.organization_id', '=', organizationId)
    .where('sync_jobs.id', '=', id)
    .executeTakeFirst();

export async function ofConnection(db: Db, connectionId: string, { skip, limit }: Page) {
  const jobs = db.selectFrom('sync_jobs').where('connection_id', '=', connectionId);
  const { total } = await jobs
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await jobs.selectAll().orderBy('id', 'desc').offset(skip).limit(limit).execute();
  return { total: Number(total), rows };
}

export const findOfConnection = (db: Db, connectionId: string, id: string) =>
  db
    .selectFrom('sync_jobs')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Ids are UUIDv7: the greatest of a connection is its newest. */
export async function newest(db: Db, connectionIds: readonly string[]): Promise<JobRow[]> {
  if (connectionIds.length === 0) return [];
  const ids = db
    .selectFrom('sync_jobs')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('connection_id', 'in', connectionIds)
    .groupBy('connection_id');
  return db.selectFrom('sync_jobs').selectAll().where('id', 'in', ids).execute();
}

export const failures = (db: Db, jobId: string, page: { skip: number; limit: number }) =>
  db
    .selectFrom('job_failures')
    .select(['entity_id', 'entity_type', 'stage', 'message', 'hint', 'created_at'])
    .where('job_id', '=', jobId)
    .orderBy('id')
    .offset(page.skip)
    .limit(page.limit)
    .execute();

export async function countFailures(db: Db, jobId: string): Promise<number> {
  const row = await db
    .selectFrom('job_failures')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function collectionConfig(db: Db, collectionId: string): Promise<SyncConfig | null> {
  const row = await db
    .selectFrom('collections')
    .select('sync_config')
    .where('id', '=', collectionId)
    .executeTakeFirstOrThrow();
  return row.sync_config;
}

export async function indexedCollections(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('indexes').select('collection_id').execute();
  return rows.map((row) => row.collection_id);
}
