/**
 * The committer runs the transactions of a sync. Each stores its entities, chunks, words, vectors, counters and cursor
 * together or not at all, and only if the worker still has the lease of the job and the connection still exists. So a
 * worker that wakes up after another one has taken its job changes nothing.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import { pipelined, together } from '../../db/pipelined.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import type { ClaimedJob } from '../../jobs/queue.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import { settleAtCursor, writeBookmark } from '../jobs/bookmark-store.ts';
import { writeCursor } from '../jobs/connection-store.ts';
import { Fenced, hold } from '../jobs/fence.ts';
import { write as writeLeftOut } from '../jobs/left-out-store.ts';
import { addTally, type Tally } from '../jobs/tally.ts';
import type { Changes } from './changes.ts';
import type { SyncAttempt } from './compare.ts';
import { writeRefusals } from './refusals.ts';
import { INCOMPLETE, writeTransformed } from './reprocess-store.ts';
import type { RowTarget } from './row.ts';
import { writeTally } from './store.ts';
import { spare } from './sweep-store.ts';
import { writeDecisions } from './write.ts';

/** This says where the commits of a job write, with which recipe and generation, and which lease they need. */
export interface CommitTarget extends SyncAttempt, RowTarget {
  /** The job has read the configuration of the connection as it stood with this `configured_at`. */
  readonly configuredAt: number;
  readonly cursorField: string | null;
  readonly claim: ClaimedJob;
}

export interface Committer {
  /** Returns the counters so far. */
  readonly total: () => Tally;
  /**
   * Returns the job's status at the commit. Throws Fenced when the job has ended, another worker has its lease, or its
   * connection is deleted.
   */
  commit(changes: Changes): Promise<SyncStatus>;
  /**
   * Runs `work` in a transaction with the same checks. The tally and `progressed_at` stay as they are; the numbers of
   * requests and bytes are still written.
   */
  commitWork(work: (tx: Tx) => Promise<void>): Promise<SyncStatus>;
}

export interface CommitDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
}

export function createCommitter(
  deps: CommitDeps,
  target: CommitTarget,
  counters: { readonly meter: { requests: number; bytes: number }; readonly start: Tally },
): Committer {
  const { db, kind } = deps;
  let total = counters.start;
  /** The job has noted at a cursor that it left out so many records before it. */
  let settled = total.skipped + total.failed;

  const fenced = (
    tally: Tally,
    progressed: boolean,
    work: (tx: Tx) => Promise<void>,
  ): Promise<SyncStatus> =>
    db.transaction().execute((transaction) =>
      pipelined(transaction, async (tx) => {
        const { meter } = counters;
        // The statements of the fence are sent first. When one of the checks fails, nothing of the work is committed.
        const [, status] = await together([
          hold(tx, { ...target, kind }),
          writeTally(tx, target.jobId, { tally, meter, progressed }).then(unlessEnded),
          work(tx),
        ]);
        return status;
      }),
    );

  return {
    total: () => total,
    commitWork: (work) => fenced(total, false, work),
    async commit({ decisions, tally, leftOut, spared, cursor, bookmark }) {
      const next = addTally(total, tally);
      const status = await fenced(next, true, async (tx) => {
        if (cursor !== undefined)
          await writeCursor(tx, target.connectionId, { ...target, at: cursor });
        // Left-out records are written first, because a bookmark or a cursor marks all of the job's records so far as
        // settled, and the next attempt that goes on there deletes those that are not settled.
        await writeLeftOut(tx, target.jobId, { before: total, leftOut });
        await writeRefusals(tx, target, leftOut);
        // Without a further record that was left out, what an earlier cursor has settled is still right.
        if (cursor !== undefined && next.skipped + next.failed > settled) {
          await settleAtCursor(tx, target, next);
          settled = next.skipped + next.failed;
        }
        if (bookmark) await writeBookmark(tx, target, { ...bookmark, tally: next });
        await writeDecisions(tx, deps, { scope: target, decisions });
        await spare(tx, target, spared);
        if (leftOut.some(({ kind, stage }) => kind === 'fail' && stage === 'transform'))
          await writeTransformed(tx, target.connectionId, INCOMPLETE);
      });
      total = next;
      return status;
    },
  };
}

function unlessEnded(status: SyncStatus | undefined): SyncStatus {
  if (!status) throw new Fenced('the job has ended');
  return status;
}
