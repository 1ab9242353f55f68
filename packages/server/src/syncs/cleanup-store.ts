/** Queries that remove the rows of deleted connections and collections. */
import type { Kysely } from 'kysely';
import type { Db, Schema, Tx } from '../db/schema.ts';

const JOBS_A_COMMIT = 20;

export async function someEntities(db: Db, connectionId: string, limit: number) {
  const rows = await db
    .selectFrom('entities')
    .select('id')
    .where('connection_id', '=', connectionId)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export const removeEntities = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('entities').where('id', 'in', ids).execute();

/** Jobs with what hangs on them, in commits of a few. */
export async function removeJobs(
  db: Kysely<Schema>,
  connectionId: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const jobs = await db
      .selectFrom('sync_jobs')
      .select('id')
      .where('connection_id', '=', connectionId)
      .limit(JOBS_A_COMMIT)
      .execute();
    if (jobs.length === 0) return;
    const ids = jobs.map(({ id }) => id);
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('job_failures').where('job_id', 'in', ids).execute();
      await tx.deleteFrom('pushes').where('job_id', 'in', ids).execute();
      await tx.deleteFrom('sync_jobs').where('id', 'in', ids).execute();
    });
  }
}

export async function removeConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx.deleteFrom('entity_counts').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('group_members').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('connections').where('id', '=', connectionId).execute();
}

export async function connectionsOf(db: Db, collectionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('connections')
    .select('id')
    .where('collection_id', '=', collectionId)
    .execute();
  return rows.map(({ id }) => id);
}

export const removeCollection = (tx: Tx, collectionId: string) =>
  tx.deleteFrom('collections').where('id', '=', collectionId).execute();
