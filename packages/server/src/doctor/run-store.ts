/** This file has the queries on runs of the doctor and their tasks. */
import { type Selectable, sql } from 'kysely';
import type { Db, MaintenanceTaskTable, Schema, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import { LIVE_TASK_STATUSES } from '../model/maintenance-status.ts';
import { chunked, newId } from '../util.ts';

export type TaskRow = Selectable<MaintenanceTaskTable>;
export type RunRow = Selectable<Schema['maintenance_runs']>;
export type RunWithTasks = RunRow & { readonly tasks: readonly ShownTask[] };

/** `suspects` is left out, because it may have many ids. */
const SHOWN_COLUMNS = [
  'id',
  'run_id',
  'status',
  'total',
  'done',
  'rewritten',
  'failed',
  'findings',
  'error',
  'started_at',
  'ended_at',
] as const;
export type ShownTask = Pick<TaskRow, (typeof SHOWN_COLUMNS)[number]>;

export type NewTask = Pick<TaskRow, 'kind' | 'connection_id' | 'total' | 'suspects'>;

/** This many runs of a collection are kept, and older ones are deleted. */
const KEPT_RUNS = 50;
const IDS_PER_QUERY = 500;

/**
 * Locks the collection, so that transactions that create a run of it wait for each other. Resolves to false when the
 * collection has been deleted.
 */
export async function lockCollection(tx: Tx, collectionId: string): Promise<boolean> {
  const result = await tx
    .updateTable('collections')
    .set({ modified_at: sql`modified_at` })
    .where('id', '=', collectionId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Finds the id of a run of the collection that has not ended. */
export async function unfinishedRun(db: Db, collectionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('maintenance_runs as r')
    .innerJoin('maintenance_tasks as t', 't.run_id', 'r.id')
    .select('r.id')
    .where('r.collection_id', '=', collectionId)
    .where('t.status', 'in', LIVE_TASK_STATUSES)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Writes the run, returns its tasks as they were written, and deletes runs beyond the newest KEPT_RUNS. */
export async function insertRun(
  tx: Tx,
  run: RunRow,
  tasks: readonly NewTask[],
): Promise<readonly { id: string; connection_id: string | null }[]> {
  await tx.insertInto('maintenance_runs').values(run).execute();
  const old = tx
    .selectFrom('maintenance_runs')
    .select('id')
    .where('collection_id', '=', run.collection_id)
    .orderBy('id', 'desc')
    .offset(KEPT_RUNS)
    // SQLite does not allow an offset without a limit.
    .limit(1000);
  await tx.deleteFrom('maintenance_runs').where('id', 'in', old).execute();
  const made: { id: string; connection_id: string | null }[] = [];
  for (const some of chunked(tasks, IDS_PER_QUERY))
    made.push(
      ...(await tx
        .insertInto('maintenance_tasks')
        .values(
          some.map((task) => ({
            ...task,
            id: newId(),
            run_id: run.id,
            status: 'PENDING' as const,
            done: 0,
            rewritten: 0,
            failed: 0,
            suspects: JSON.stringify(task.suspects),
            findings: '[]',
          })),
        )
        .returning(['id', 'connection_id'])
        .execute()),
    );
  return made;
}

/** Finds the connections of the collection that are not deleted, each with the number of its entities. */
export async function connectionSizes(db: Db, collectionId: string) {
  const rows = await db
    .selectFrom('connections as c')
    .leftJoin('entity_counts as k', 'k.connection_id', 'c.id')
    .select((eb) => [
      'c.id',
      eb.fn.coalesce(eb.fn.sum<number>('k.count'), sql.lit(0)).as('entities'),
    ])
    .where('c.collection_id', '=', collectionId)
    .where('c.deleted_at', 'is', null)
    .groupBy('c.id')
    .orderBy('c.id')
    .execute();
  return rows.map(({ id, entities }) => ({ id, entities: Number(entities) }));
}

/** Groups row ids of entities of the collection by connection. Ids of entities that no longer exist are left out. */
export async function byConnection(
  db: Db,
  collectionId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const some of chunked(ids, IDS_PER_QUERY)) {
    const rows = await db
      .selectFrom('entities')
      .select(['id', 'connection_id'])
      .where('collection_id', '=', collectionId)
      .where('id', 'in', some)
      .execute();
    for (const { id, connection_id } of rows) {
      const list = found.get(connection_id);
      if (list) list.push(id);
      else found.set(connection_id, [id]);
    }
  }
  return found;
}

/** Returns undefined when the collection does not have this connection. */
export const connectionOf = (db: Db, collectionId: string, connectionId: string) =>
  db
    .selectFrom('connections')
    .select(['id', 'short_name', 'auth_method', 'authenticated_at', 'refused_at'])
    .where('id', '=', connectionId)
    .where('collection_id', '=', collectionId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

export async function find(
  db: Db,
  collectionId: string,
  id: string,
): Promise<RunWithTasks | undefined> {
  const [run] = await withTasks(
    db,
    await runsOf(db, collectionId).selectAll().where('id', '=', id).execute(),
  );
  return run;
}

/** Returns a page of runs, the newest first. */
export async function list(
  db: Db,
  collectionId: string,
  page: Page,
): Promise<Listed<RunWithTasks>> {
  const runs = runsOf(db, collectionId);
  const { total } = await runs
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await runs
    .selectAll()
    .orderBy('id', 'desc')
    .offset(page.skip)
    .limit(page.limit)
    .execute();
  return { total: Number(total), rows: await withTasks(db, rows) };
}

const runsOf = (db: Db, collectionId: string) =>
  db.selectFrom('maintenance_runs').where('collection_id', '=', collectionId);

async function withTasks(db: Db, rows: readonly RunRow[]): Promise<RunWithTasks[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const tasks = await db
    .selectFrom('maintenance_tasks')
    .select(SHOWN_COLUMNS)
    .where('run_id', 'in', ids)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, tasks: tasks.filter(({ run_id }) => run_id === row.id) }));
}
