/**
 * A sweep deletes what is no longer at the source, and is safe in both directions.
 *
 * After a full pull that ended normally, a partition is swept only if it was listed to its end or the pull met no
 * record of it, and neither it nor a partition above it was lost. The deletions are suspicious when they are more than
 * 50 entities and also more than 30 % of those before the job; all attempts of a job count together. Suspicious deletions wait for a confirmation, unless a
 * user has changed the configuration since the last full sync, because such a change may remove many entities on
 * purpose. Partitions that, according to the source, must not be stored are swept without a confirmation.
 *
 * A record is deleted together with everything below it.
 *
 * An incremental pull may list one part to its end. Then only this part is swept, at once and with the same guards.
 */
import type { Db } from '../../db/schema.ts';
import { MAX_LISTED } from '../jobs/held-back-store.ts';
import type { Listing } from '../jobs/listing.ts';
import { type Delete, deletes, deletesMissing, type RowsBelow } from './decision.ts';
import { SWEPT_PER_COMMIT } from './limits.ts';
import type { PullListing } from './pull-listing.ts';
import { below, type StoredEntity } from './store.ts';
import * as store from './sweep-store.ts';

const SMALL_DROP = 50;
const SUSPICIOUS_SHARE = 0.3;

export interface SweepDeps {
  readonly db: Db;
  readonly target: store.Pull;
  readonly signal: AbortSignal;
  readonly listing: PullListing;
  /** The connection had this many entities before the job. */
  readonly entitiesBefore: number;
  /** The job has already deleted this many entities because they were missing in a listing. */
  readonly missingSoFar: () => number;
  /** The caller accepts the deletions, so none are held back. */
  readonly acceptDeletions: boolean;
  /** Lists entities, by their row ids, among those whose deletion the job holds back. */
  readonly holdBack: (entities: readonly string[]) => Promise<void>;
}

/**
 * Deletes the entities that the pull did not see. Returns 0, or the number of deletions that were not made because
 * they wait for a confirmation.
 */
export async function sweep(deps: SweepDeps, commit: CommitDeletions): Promise<number> {
  const { db, target, listing, entitiesBefore, missingSoFar, acceptDeletions } = deps;
  const unseen = await store.unseenPartitions(db, target);
  const { missing = [], forbidden = [] } = Object.groupBy(unseen, ({ partition }) =>
    isAtOrBelow(partition, listing.barred) ? 'forbidden' : 'missing',
  );
  for (const { partition } of forbidden)
    await deleteUnseen(deps, partition, (...gone) => commit(deletes(...gone)));
  const toSweep = missing.filter(({ partition }) => mayBeSwept(partition, listing));
  const dropped = toSweep.reduce((sum, { count }) => sum + count, 0);
  if (!acceptDeletions && isSuspicious(missingSoFar() + dropped, entitiesBefore)) {
    await holdBack(
      deps,
      toSweep.map((part) => part.partition),
    );
    return dropped;
  }
  for (const { partition } of toSweep)
    await deleteUnseen(deps, partition, (...gone) => commit(deletesMissing(...gone)));
  return 0;
}

/**
 * Sweeps one partition that an incremental pull has listed to its end: deletes its entities that the pull did not see.
 * Partitions below it stay. Returns 0, or the number of deletions that were not made because they wait for a
 * confirmation.
 */
export async function sweepPart(
  deps: SweepDeps & { readonly partition: string },
  commit: CommitDeletions,
): Promise<number> {
  const { db, target, listing, entitiesBefore, missingSoFar, acceptDeletions, partition } = deps;
  if (isAtOrBelow(partition, listing.lost)) return 0;
  const dropped = await store.countUnseen(db, { ...target, partition });
  if (!acceptDeletions && isSuspicious(missingSoFar() + dropped, entitiesBefore)) {
    await holdBack(deps, [partition]);
    return dropped;
  }
  await deleteUnseen(deps, partition, (...gone) => commit(deletesMissing(...gone)));
  return 0;
}

const holdBack = async (
  { db, target, holdBack: hold }: Pick<SweepDeps, 'db' | 'target' | 'holdBack'>,
  partitions: readonly string[],
): Promise<void> => hold(await store.unseenIn(db, target, { partitions, limit: MAX_LISTED }));

type CommitDeletions = (deletions: readonly Delete[]) => Promise<void>;

async function deleteUnseen(
  { db, target, signal }: Pick<SweepDeps, 'db' | 'target' | 'signal'>,
  partition: string,
  commit: (rows: readonly StoredEntity[], below: RowsBelow) => Promise<void>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const gone = await store.unseen(db, { ...target, partition, limit: SWEPT_PER_COMMIT });
    if (gone.length === 0) return;
    const ids = gone.map(({ entity_id }) => entity_id);
    await commit(gone, await below(db, target, ids));
  }
}

export function mayBeSwept(partition: string, { listed, met, lost }: Listing): boolean {
  if (isAtOrBelow(partition, lost)) return false;
  return listed.has(partition) || !met.has(partition);
}

/** Returns true when the partition, or a partition above it, is in the set. */
function isAtOrBelow(partition: string, partitions: ReadonlySet<string>): boolean {
  for (const part of withParents(partition)) if (partitions.has(part)) return true;
  return false;
}

/** Yields the partition and all partitions above it; '' is above all others. */
function* withParents(partition: string): Generator<string> {
  yield partition;
  for (let at = partition.lastIndexOf('/'); at >= 0; at = partition.lastIndexOf('/', at - 1)) {
    yield partition.slice(0, at);
    if (at === 0) break;
  }
  if (partition !== '') yield '';
}

export const isSuspicious = (dropped: number, entitiesBefore: number): boolean =>
  dropped > Math.max(SMALL_DROP, entitiesBefore * SUSPICIOUS_SHARE);
