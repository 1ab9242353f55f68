/**
 * Stores the members of groups that the source lists after a full pull, and after an incremental one when the list is a
 * day old: no change of a record says that somebody has left a group, and some connections are never pulled in full
 * again. Readers use the list only after the end of the job has made it the connection's list (run-store.ts), because
 * half a list would hide records that a member may see.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/schema.ts';
import { isStorable } from '../../model/storable.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import type { Membership, MembershipItem } from '../../sources/define.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { changesOf } from './changes.ts';
import type { CommitTarget, Committer } from './commit.ts';
import type { CommitHooks } from './commit-queue.ts';
import { countOf } from './count.ts';
import { MEMBERS_PER_COMMIT, PAUSE_MS } from './limits.ts';
import * as store from './members-store.ts';

/** An incremental sync reads the members when they were last read this long ago. */
const MEMBERS_EVERY_MS = 24 * 3_600_000;

/** Members that seem to have been read in the future are due, because the clock was set back since. */
export const areMembersDue = (readAt: number | null, now: number): boolean =>
  readAt === null || readAt > now || readAt + MEMBERS_EVERY_MS <= now;

export interface MembersDeps extends CommitHooks {
  readonly committer: Committer;
  readonly target: CommitTarget;
}

/** Returns the number of the list. */
export async function storeMembers(
  members: AsyncIterable<MembershipItem>,
  { committer, target, beforeCommit, afterCommit }: MembersDeps,
): Promise<number> {
  const list = { connectionId: target.connectionId, list: target.generation };
  // An attempt that stopped may have written rows that must not get into this list.
  for (let removed = MEMBERS_PER_COMMIT; removed === MEMBERS_PER_COMMIT; )
    await step(() =>
      committer.commitWork(async (tx) => {
        removed = await store.removeUnread(tx, target.connectionId, MEMBERS_PER_COMMIT);
      }),
    );
  let memberships: Membership[] = [];
  let skipped: LeftOutRecord[] = [];
  for await (const item of members) {
    if ('kind' in item) skipped.push({ ...item, stage: 'members' });
    // No stored record and no asker has another name, and no database accepts it.
    else if (isStorable(item.group) && isStorable(item.member)) memberships.push(item);
    if (memberships.length + skipped.length >= MEMBERS_PER_COMMIT) await flush();
  }
  await flush();
  return target.generation;

  async function flush(): Promise<void> {
    const [some, left] = [memberships, skipped];
    memberships = [];
    skipped = [];
    if (some.length > 0)
      await step(() => committer.commitWork((tx) => store.addMembers(tx, list, some)));
    if (left.length > 0)
      await step(() => committer.commit(changesOf(left, (one) => countOf(one, target))));
  }

  async function step(commit: () => Promise<SyncStatus>): Promise<void> {
    await beforeCommit();
    await afterCommit(await commit());
  }
}

/** Deletes lists that are no longer read. Rows that remain when this stops are deleted after the next sync that reads members. */
export async function forgetOutdated(
  db: Db,
  connectionId: string,
  signal: AbortSignal,
): Promise<void> {
  while ((await store.removeOutdated(db, connectionId, MEMBERS_PER_COMMIT)) > 0) {
    if (signal.aborted) return;
    await sleep(PAUSE_MS);
  }
}
