/**
 * On PostgreSQL, triggers tell the listening workers of all machines about work that can begin now: new or released
 * entries of the queue of jobs, and new deliveries. A notification is sent when its transaction is committed, and many of
 * one transaction are sent as one. A claim changes entries, too, but gives them a lease.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';

export const up =
  (kind: DatabaseKind) =>
  async (db: Kysely<unknown>): Promise<void> => {
    if (kind !== 'postgres') return;
    await sql`
      create function quarry_notify_workers() returns trigger language plpgsql as $$
      begin
        perform pg_notify('quarry_work', '');
        return null;
      end $$`.execute(db);
    await sql`
      create trigger jobs_notify after insert or update on jobs
      for each row when (new.lease_token is null and new.run_at = 0)
      execute function quarry_notify_workers()`.execute(db);
    await sql`
      create trigger webhook_deliveries_notify after insert on webhook_deliveries
      for each row when (new.state = 'PENDING')
      execute function quarry_notify_workers()`.execute(db);
  };
