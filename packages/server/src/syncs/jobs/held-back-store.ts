/**
 * These are the queries on deletions that jobs hold back. A job lists the first of them; its column
 * `deletions_held_back` counts all.
 */
import type { Db, Tx } from '../../db/schema.ts';
import type { Page } from '../../http/lists.ts';
import type { JobRow } from './job-store.ts';
import { newestIds } from './newest-store.ts';

/** A job lists at most this many entities, which one statement inserts. */
export const MAX_LISTED = 1000;

/** Adds entities, by their row ids, to the list of the job, unless the list is full. */
export async function listHeldBack(
  tx: Tx,
  jobId: string,
  entities: readonly string[],
): Promise<void> {
  const { count } = await tx
    .selectFrom('held_back_deletions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  const some = entities.slice(0, Math.max(0, MAX_LISTED - Number(count)));
  if (some.length === 0) return;
  await tx
    .insertInto('held_back_deletions')
    .values(some.map((entity) => ({ job_id: jobId, entity })))
    .onConflict((conflict) => conflict.columns(['job_id', 'entity']).doNothing())
    .execute();
}

/** Counts all of them for a caller; a full sync knows the number only at its end. */
export async function countHeldBack(tx: Tx, jobId: string, count: number): Promise<void> {
  await tx
    .updateTable('sync_jobs')
    .set({ deletions_held_back: count })
    .where('id', '=', jobId)
    .execute();
}

/** An entity that was deleted since, or that a sync has seen since, no longer waits. */
const waiting = (db: Db, { id, connection_id, generation }: JobRow, collectionId: string) =>
  db
    .selectFrom('held_back_deletions')
    .innerJoin('entities', 'entities.id', 'held_back_deletions.entity')
    .where('held_back_deletions.job_id', '=', id)
    .where('entities.collection_id', '=', collectionId)
    .where('entities.connection_id', '=', connection_id)
    .where('entities.generation', '<', generation);

export async function heldBackBy(db: Db, job: JobRow, { skip, limit }: Page) {
  const { collection_id } = await db
    .selectFrom('connections')
    .select('collection_id')
    .where('id', '=', job.connection_id)
    .executeTakeFirstOrThrow();
  const { total } = await waiting(db, job, collection_id)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await waiting(db, job, collection_id)
    .select([
      'entities.id',
      'entities.entity_id',
      'entities.entity_type',
      'entities.name',
      'entities.url',
      'entities.breadcrumbs',
    ])
    .orderBy('entities.entity_id')
    .orderBy('entities.id')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/**
 * Finds, for each of the connections, the newest job that holds deletions back. A job is left out once a newer full
 * sync has started, because the deletions can then no longer be confirmed.
 */
export async function newestHeldBack(db: Db, connectionIds: readonly string[]) {
  if (connectionIds.length === 0) return [];
  const ids = newestIds(db, connectionIds, (jobs) =>
    jobs.where('sync_jobs.deletions_held_back', '>', 0).where('sync_jobs.status', '=', 'COMPLETED'),
  );
  return db
    .selectFrom('sync_jobs as job')
    .select(['job.id', 'job.connection_id', 'job.deletions_held_back'])
    .where('job.id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sync_jobs as newer')
            .select('newer.id')
            .whereRef('newer.connection_id', '=', 'job.connection_id')
            .whereRef('newer.id', '>', 'job.id')
            .where('newer.full', '=', true),
        ),
      ),
    )
    .execute();
}
