/** This query finds the newest job of each of several connections in one statement, by the index of each connection. */
import type { SelectQueryBuilder } from 'kysely';
import type { Db, Schema } from '../../db/schema.ts';

type JobsOfConnection = SelectQueryBuilder<Schema, 'connections' | 'sync_jobs', { id: string }>;

/**
 * Selects the id of the newest job of each connection that `among` leaves, which has the greatest id
 * (new-job-store.ts).
 */
export const newestIds = (
  db: Db,
  connectionIds: readonly string[],
  among: (jobs: JobsOfConnection) => JobsOfConnection = (jobs) => jobs,
) =>
  db
    .selectFrom('connections')
    .select((eb) =>
      among(
        eb
          .selectFrom('sync_jobs')
          .select('sync_jobs.id')
          .whereRef('sync_jobs.connection_id', '=', 'connections.id'),
      )
        .orderBy('sync_jobs.id', 'desc')
        .limit(1)
        .as('id'),
    )
    .where('connections.id', 'in', connectionIds);
