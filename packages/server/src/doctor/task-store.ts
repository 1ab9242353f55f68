/** These are the queries on a running task: its start, its scope, its progress and its end. */
import { sql } from 'kysely';
import type { Db, StoredProblem, Tx } from '../db/schema.ts';
import { LIVE_TASK_STATUSES } from '../model/maintenance-status.ts';
import type { TaskRow } from './run-store.ts';

/** Starts or continues the task. Returns undefined when the task has ended or has been deleted. */
export const start = (db: Db, id: string): Promise<TaskRow | undefined> =>
  db
    .updateTable('maintenance_tasks')
    .set({
      status: 'RUNNING',
      started_at: sql`coalesce(started_at, cast(${Date.now()} as bigint))`,
      progressed_at: sql`coalesce(progressed_at, cast(${Date.now()} as bigint))`,
    })
    .where('id', '=', id)
    .where('status', 'in', LIVE_TASK_STATUSES)
    .returningAll()
    .executeTakeFirst();

/** This is the collection or the connection in which a task works. */
export interface TaskScope {
  readonly collectionId: string;
  readonly connectionId: string | null;
}

/** Returns the scope of the task, or undefined when the collection or the connection has been deleted. */
export async function scopeOf(db: Db, task: TaskRow): Promise<TaskScope | undefined> {
  const { connection_id: connectionId } = task;
  const row =
    connectionId === null
      ? await db
          .selectFrom('maintenance_runs as r')
          .innerJoin('collections as c', 'c.id', 'r.collection_id')
          .select('c.id as collectionId')
          .where('r.id', '=', task.run_id)
          .where('c.deleted_at', 'is', null)
          .executeTakeFirst()
      : await db
          .selectFrom('connections')
          .select('collection_id as collectionId')
          .where('id', '=', connectionId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
  return row && { ...row, connectionId };
}

/** The caller must hold the fence of the task. */
export async function progress(
  tx: Tx,
  id: string,
  set: Partial<Pick<TaskRow, 'after_id' | 'done' | 'rewritten' | 'failed'>>,
): Promise<void> {
  await running(tx, id)
    .set({ ...set, progressed_at: Date.now() })
    .execute();
}

/** Finds when the task began or last made progress. Undefined means that the task no longer exists. */
export async function progressedAt(db: Db, id: string): Promise<number | undefined> {
  const task = await db
    .selectFrom('maintenance_tasks')
    .select('progressed_at')
    .where('id', '=', id)
    .executeTakeFirst();
  return task?.progressed_at ?? undefined;
}

/** The caller must hold the fence of the task. */
export async function end(
  tx: Tx,
  id: string,
  {
    error = null,
    findings = [],
  }: { error?: string | null; findings?: readonly StoredProblem[] } = {},
): Promise<void> {
  await running(tx, id)
    .set({
      status: error === null ? 'COMPLETED' : 'FAILED',
      error,
      findings: JSON.stringify(findings),
      // A sync may have changed the number of entities since the task began, so the total of a completed task is the
      // number of those that are done.
      total: sql`case when ${error === null ? 1 : 0} = 1 then done else total end`,
      ended_at: Date.now(),
    })
    .execute();
}

const running = (tx: Tx, id: string) =>
  tx.updateTable('maintenance_tasks').where('id', '=', id).where('status', '=', 'RUNNING');

/** Deletes a task whose connection or collection is deleted, because there is nothing left to do. */
export async function remove(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('maintenance_tasks').where('id', '=', id).execute();
}
