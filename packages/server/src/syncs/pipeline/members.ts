/**
 * Stores the members of groups that the source lists after a full pull. Readers use the list only after the end of the
 * job has made it the connection's list (run-store.ts), because half a list would hide records that a member may see.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/schema.ts';
import { isStorable } from '../../model/storable.ts';
import type { Membership } from '../../sources/define.ts';
import type { CommitTarget, Committer } from './commit.ts';
import type { CommitHooks } from './commit-queue.ts';
import { MEMBERS_PER_COMMIT, PAUSE_MS } from './limits.ts';
import * as store from './members-store.ts';

export interface MembersDeps extends CommitHooks {
  readonly committer: Committer;
  readonly target: CommitTarget;
}

/** Returns the number of the list. */
export async function storeMembers(
  members: AsyncIterable<Membership>,
  { committer, target, beforeCommit, afterCommit }: MembersDeps,
): Promise<number> {
  const list = { connectionId: target.connectionId, list: target.generation };
  // An attempt that stopped may have written rows that must not get into this list.
  for (let removed = MEMBERS_PER_COMMIT; removed === MEMBERS_PER_COMMIT; )
    await step(async (tx) => {
      removed = await store.removeUnread(tx, target.connectionId, MEMBERS_PER_COMMIT);
    });
  let some: Membership[] = [];
  for await (const membership of members) {
    // No stored record and no asker has such a name, and no database accepts it.
    if (!isStorable(membership.group) || !isStorable(membership.member)) continue;
    some.push(membership);
    if (some.length < MEMBERS_PER_COMMIT) continue;
    await add(some);
    some = [];
  }
  if (some.length > 0) await add(some);
  return target.generation;

  function add(memberships: readonly Membership[]): Promise<void> {
    return step((tx) => store.addMembers(tx, list, memberships));
  }

  async function step(work: Parameters<Committer['commitWork']>[0]): Promise<void> {
    await beforeCommit();
    await afterCommit(await committer.commitWork(work));
  }
}

/** Deletes lists that are no longer read. Rows that remain when this stops are deleted after the next full sync. */
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
