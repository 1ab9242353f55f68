/**
 * Runs a task of the doctor from its claim to its end. A task ends as COMPLETED, as FAILED with a message, or is
 * deleted with its connection. When the process stops or our own database cannot be used, the task stays RUNNING, and
 * the next worker continues it.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema, StoredProblem } from '../db/schema.ts';
import { unavailableReason } from '../db/unavailable.ts';
import { SourceError } from '../errors.ts';
import { type ClaimedJob, enqueue, heartbeat } from '../jobs/queue.ts';
import { PostponeJob, waitForWrites } from '../jobs/work.ts';
import { type Fence, Fenced, hold, holdOrReason } from '../syncs/jobs/fence.ts';
import { type Wait, waitFor } from '../syncs/jobs/patience.ts';
import { must } from '../util.ts';
import { compareWithSource, type ListingDeps } from './listing.ts';
import { type RemakeDeps, remake } from './remake.ts';
import { repairCounts, repairIndex } from './repair-index.ts';
import type { TaskRow } from './run-store.ts';
import * as store from './task-store.ts';

/** The worker checks this often whether the connection still exists. */
const CHECK_EVERY_MS = 1000;

/** This is the claim of an entry of the queue that runs a task of the doctor. */
export type TaskClaim = Extract<ClaimedJob, { name: 'maintenance.task' }>;

export interface WorkDeps extends RemakeDeps, ListingDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly log: Logger;
}

export async function runTask(
  deps: WorkDeps,
  claim: TaskClaim,
  signal: AbortSignal,
): Promise<void> {
  const { taskId } = claim.data;
  const task = await deps.db.transaction().execute(async (tx) => {
    // A worker that was suspended for longer than its lease must not take the task back from its new worker.
    if (!(await heartbeat(tx, deps.kind, claim))) return undefined;
    await waitForWrites(tx);
    return store.start(tx, taskId);
  });
  if (!task) return;
  const fence = { kind: deps.kind, claim, connectionId: task.connection_id };
  try {
    const scope = await store.scopeOf(deps.db, task);
    if (!scope) return await store.remove(deps.db, taskId);
    const findings = await work(deps, { task, fence, scope, signal });
    if (findings === 'unfinished') await requeue(deps, fence, taskId);
    else await end(deps, { task, fence }, { findings });
  } catch (error) {
    if (error instanceof Fenced) {
      deps.log.warn({ taskId, reason: error.message }, 'a task of maintenance stopped');
      // A task whose connection is deleted is removed, because no worker will continue it. In any other case, another
      // worker has the task.
      if (!(await store.scopeOf(deps.db, task))) await store.remove(deps.db, taskId);
      return;
    }
    if (signal.aborted || unavailableReason(error)) throw error;
    const wait = await waitForError(deps, task, error);
    if (wait) throw new PostponeJob(wait.ms, wait.reason);
    await end(deps, { task, fence }, { error: describe(deps.log, taskId, error) });
  }
}

/**
 * Ends the task, or removes it when its connection is deleted. When another worker has the task, it stays unchanged.
 */
async function end(
  { db }: WorkDeps,
  { task, fence }: Pick<ScopedTask, 'task' | 'fence'>,
  how: Parameters<typeof store.end>[2],
): Promise<void> {
  const loss = await db.transaction().execute(async (tx) => {
    const loss = await holdOrReason(tx, fence);
    if (loss === null) await store.end(tx, task.id, how);
    return loss;
  });
  // No worker continues a task whose connection is deleted.
  if (loss !== null && !(await store.scopeOf(db, task))) await store.remove(db, task.id);
}

/**
 * Puts the task behind the entries that wait in its lane. The fence has locked the connection, as a transaction that
 * inserts an entry into its lane must do (doctor/service.ts).
 */
async function requeue({ db }: WorkDeps, fence: Fence, taskId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await hold(tx, fence);
    await enqueue(tx, 'maintenance.task', {
      data: { taskId },
      lane: must(fence.connectionId),
      cause: fence.claim.cause,
    });
  });
}

interface ScopedTask {
  readonly task: TaskRow;
  readonly fence: Fence;
  readonly scope: store.TaskScope;
  readonly signal: AbortSignal;
}

async function work(
  deps: WorkDeps,
  { task, fence, scope, signal }: ScopedTask,
): Promise<readonly StoredProblem[] | 'unfinished'> {
  if (task.kind === 'index') {
    await repairIndex(deps, { collectionId: scope.collectionId, fence, signal });
    return [];
  }
  const connectionId = must(scope.connectionId);
  if (task.kind === 'listing') {
    const progress = (done: number) =>
      deps.db.transaction().execute(async (tx) => {
        await hold(tx, fence);
        await store.progress(tx, task.id, { done });
      });
    return whileConnectionExists(deps, { task, signal }, (combined) =>
      compareWithSource(deps, { connectionId, progress, signal: combined }),
    );
  }
  const ofConnection = { ...scope, connectionId };
  const done = await remake(deps, { task, scope: ofConnection, fence, signal });
  if (!done) return 'unfinished';
  if (task.kind === 'repair') await repairCounts(deps, { scope: ofConnection, fence, signal });
  return [];
}

/**
 * Runs `act`, and throws Fenced soon after the connection is deleted. A comparison may ask its source for hours without
 * a commit that would notice the deletion, and the cleanup of the connection waits in the same lane.
 */
async function whileConnectionExists<T>(
  { db, log }: WorkDeps,
  { task, signal }: Pick<ScopedTask, 'task' | 'signal'>,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const look = async () => {
    if (!(await store.scopeOf(db, task))) gone.abort(new Fenced('the connection has been deleted'));
  };
  const watch = setInterval(() => {
    look().catch((error) =>
      log.warn({ err: error, taskId: task.id }, 'cannot look for a deletion'),
    );
  }, CHECK_EVERY_MS);
  try {
    return await act(AbortSignal.any([signal, gone.signal]));
  } catch (error) {
    gone.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(watch);
  }
}

/**
 * A repair or reindex waits for its embedder and then continues. Returns null when waiting does not help against the
 * error.
 */
async function waitForError({ db }: WorkDeps, task: TaskRow, error: unknown): Promise<Wait | null> {
  if (task.kind === 'listing' || !(error instanceof SourceError)) return null;
  if (error.kind !== 'rate_limited' && error.kind !== 'transient') return null;
  const { message, retryAfter } = error;
  // A task counts no retries, so it waits after a network error as it does when the embedder asks it to wait.
  const rateLimited = new SourceError('rate_limited', message, {
    ...(retryAfter !== undefined && { retryAfter }),
  });
  const progressedAt = await store.progressedAt(db, task.id);
  if (progressedAt === undefined) return null;
  return waitFor(rateLimited, { retries: 0, progressedAt }, Date.now());
}

/** Returns a message for users. The message of an unexpected error goes only to the log. */
function describe(log: Logger, taskId: string, error: unknown): string {
  if (error instanceof SourceError) return error.message;
  log.error({ err: error, taskId }, 'a task of maintenance broke');
  return 'it stopped because of an error in Quarry; see its log';
}
