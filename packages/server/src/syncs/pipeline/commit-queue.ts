/** Commits the changes of a pull one after another. Unchanged records wait for a commit of other changes. */
import { type Changes, noChanges } from './changes.ts';
import type { Committer } from './commit.ts';
import { combine, createPostponed, mayWait } from './postponed.ts';

/** A job calls these functions between its commits. */
export interface CommitHooks {
  /** Waits until it is the turn of the next commit. */
  readonly beforeCommit: () => Promise<void>;
  /**
   * Runs after each commit. Throws when a caller has asked the job to stop. The changes that waited are stored by then.
   * `status` is the job's status at the commit.
   */
  readonly afterCommit: (status: string) => Promise<void>;
}

export interface CommitQueue {
  /** Commits the changes, or lets them wait when they change no content (postponed.ts). */
  put(changes: Changes): Promise<void>;
  /** Commits the changes together with everything that waits. */
  commit(changes: Changes): Promise<void>;
  /** Commits the waiting changes. */
  flush(): Promise<void>;
  /** Commits the waiting changes when they are many or have waited long enough (postponed.ts). */
  flushWhenDue(): Promise<void>;
  /**
   * Commits the waiting changes when a record with one of these entity_ids waits as unchanged. Waiting records that
   * were skipped do not matter, because they write no row with which a later item is compared.
   */
  flushBefore(entityIds: readonly string[]): Promise<void>;
}

export function createCommitQueue(committer: Committer, hooks: CommitHooks): CommitQueue {
  const postponed = createPostponed();

  async function commit(changes: Changes): Promise<void> {
    const all = { ...changes, ...combine(postponed.take(), changes) };
    await hooks.beforeCommit();
    await hooks.afterCommit(await committer.commit(all));
  }

  return {
    commit,
    put: async (changes) => {
      if (mayWait(changes)) postponed.add(changes);
      else await commit(changes);
    },
    flush: async () => {
      if (!postponed.isEmpty()) await commit(noChanges);
    },
    flushWhenDue: async () => {
      if (postponed.isDue()) await commit(noChanges);
    },
    flushBefore: async (entityIds) => {
      if (postponed.hasUnchanged(entityIds)) await commit(noChanges);
    },
  };
}
