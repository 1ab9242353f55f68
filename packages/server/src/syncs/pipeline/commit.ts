/**
 * The committer runs one transaction of a sync: it stores entities, chunks, words, vectors, counters and cursor together
 * or not at all, and only if the job still holds its lease and its connection still exists. So a worker that wakes up
 * late changes nothing.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import type { ClaimedJob } from '../../jobs/queue.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import { writeBookmark } from '../jobs/bookmark-store.ts';
import { writeCursor } from '../jobs/connection-store.ts';
import { Fenced, hold } from '../jobs/fence.ts';
import { write as writeLeftOut } from '../jobs/left-out-store.ts';
import { addTally, type Tally } from '../jobs/tally.ts';
import type { Changes } from './changes.ts';
import type { SyncAttempt } from './compare.ts';
import { INCOMPLETE, writeTransformed } from './reprocess-store.ts';
import type { RowTarget } from './row.ts';
import { writeTally } from './store.ts';
import { spare } from './sweep-store.ts';
import { writeDecisions } from './write.ts';

/** A job fills this connection under these rules. */
export interface CommitTarget extends SyncAttempt, RowTarget {
  /** The job works with the configuration of this time. */
  readonly configuredAt: number;
  readonly cursorField: string | null;
  readonly claimed: ClaimedJob;
}

export interface Committer {
  /** Returns the counters so far. */
  readonly total: () => Tally;
  /** Returns the job's status at the commit. Throws Fenced when the job has lost its lease or its connection. */
  commit(changes: Changes): Promise<SyncStatus>;
  /** Does the same with work that changes no counter and does not count as progress of the job. */
  also(work: (tx: Tx) => Promise<void>): Promise<SyncStatus>;
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

  const fenced = (
    tally: Tally,
    progressed: boolean,
    work: (tx: Tx) => Promise<void>,
  ): Promise<SyncStatus> =>
    db.transaction().execute(async (tx) => {
      await hold(tx, { ...target, kind });
      const { meter } = counters;
      const status = await writeTally(tx, target.jobId, { tally, meter, progressed });
      if (!status) throw new Fenced('the job has ended');
      await work(tx);
      return status;
    });

  return {
    total: () => total,
    also: (work) => fenced(total, false, work),
    async commit({ decisions, tally, leftOut, spared, cursor, bookmark }) {
      const next = addTally(total, tally);
      const status = await fenced(next, true, async (tx) => {
        if (cursor !== undefined)
          await writeCursor(tx, target.connectionId, { ...target, at: cursor });
        // This comes before the bookmark, which settles all left-out records that are written by then.
        await writeLeftOut(tx, target.jobId, { before: total, leftOut });
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
