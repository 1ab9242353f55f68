/**
 * This migration keeps lists fast over a long history: it counts the jobs of a connection by status,
 * and adds indexes in the order of the lists. Triggers keep the counts, so that they are right in
 * every commit, whatever code writes.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';

export const up =
  (kind: DatabaseKind) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('job_counts')
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('count', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('job_counts_pk', ['connection_id', 'status'])
      .execute();
    await sql`
      insert into job_counts (connection_id, status, count)
      select connection_id, status, count(*) from sync_jobs group by connection_id, status`.execute(
      db,
    );
    for (const statement of kind === 'postgres' ? POSTGRES : SQLITE)
      await sql.raw(statement).execute(db);

    await db.schema.dropIndex('sync_jobs_organization').execute();
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(name).on('sync_jobs').columns(columns).execute();
    // The index contains every column that is needed to find a page, however far down the list the page is.
    await index('sync_jobs_organization', ['organization_id', 'id', 'connection_id']);
    await index('sync_jobs_organization_status', [
      'organization_id',
      'status',
      'id',
      'connection_id',
    ]);
    // The index serves the jobs that have not ended, and the last full job that completed.
    await index('sync_jobs_connection_status', ['connection_id', 'status', 'full', 'id']);
    // The janitor looks for the oldest jobs, of all connections and of one connection.
    await index('sync_jobs_completed', ['completed_at', 'id']);
    await index('sync_jobs_connection_completed', ['connection_id', 'completed_at', 'id']);
  };

const sqliteAdd = (row: 'new' | 'old', change: '+ 1' | '- 1') => `
  insert into job_counts (connection_id, status, count)
  values (${row}.connection_id, ${row}.status, 0 ${change})
  on conflict (connection_id, status) do update set count = count ${change};`;

const SQLITE = [
  `create trigger sync_jobs_made after insert on sync_jobs begin ${sqliteAdd('new', '+ 1')} end`,
  `create trigger sync_jobs_moved after update of status on sync_jobs when old.status <> new.status
   begin ${sqliteAdd('old', '- 1')} ${sqliteAdd('new', '+ 1')} end`,
  `create trigger sync_jobs_removed after delete on sync_jobs begin ${sqliteAdd('old', '- 1')} end`,
];

/**
 * Each change is one statement that goes in the order of the keys; in another order, two statements
 * could wait for each other without end.
 */
const postgresAdd = (changes: string) => `
  insert into job_counts as counted (connection_id, status, count)
  select connection_id, status, sum(change) from (${changes}) as changes
  group by connection_id, status order by connection_id, status
  on conflict (connection_id, status) do update set count = counted.count + excluded.count;`;

const postgresFunction = (name: string, changes: string) => `
  create function ${name}() returns trigger language plpgsql as $$
  begin ${postgresAdd(changes)} return null; end $$`;

const MOVED = 'came join went on went.id = came.id and went.status is distinct from came.status';

const POSTGRES = [
  postgresFunction('count_made_jobs', 'select connection_id, status, 1 as change from came'),
  postgresFunction('count_removed_jobs', 'select connection_id, status, -1 as change from went'),
  postgresFunction(
    'count_moved_jobs',
    `select came.connection_id, came.status, 1 as change from ${MOVED}
     union all select went.connection_id, went.status, -1 from ${MOVED}`,
  ),
  `create trigger sync_jobs_made after insert on sync_jobs
   referencing new table as came for each statement execute function count_made_jobs()`,
  `create trigger sync_jobs_moved after update on sync_jobs
   referencing old table as went new table as came for each statement execute function count_moved_jobs()`,
  `create trigger sync_jobs_removed after delete on sync_jobs
   referencing old table as went for each statement execute function count_removed_jobs()`,
];
