/**
 * Reprocessing transforms stored records again: records that have not passed the present versions of their
 * connection's transformers, and records that failed. It does not ask the source. Each sync begins with reprocessing,
 * unless all stored records have passed the present transformers.
 *
 *   stored record ▶ transform ▶ chunk ▶ embed ▶ commit
 *
 * Stored records keep their partition and their generation, because only a pull can tell that a record still exists.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Embedder, SearchIndex } from '../../engines/ports.ts';
import type { Chain } from '../../transformers/chain.ts';
import { must } from '../../util.ts';
import { noTally } from '../jobs/tally.ts';
import { type ChangesOptions, splitIntoCommits } from './changes.ts';
import type { ChunkThreads } from './chunks.ts';
import type { CommitTarget, Committer } from './commit.ts';
import type { CommitHooks } from './commit-queue.ts';
import type { Stale } from './compare.ts';
import { type Counted, countOf } from './count.ts';
import { damage, type PreparedDecision } from './decision.ts';
import { CHUNKS_PER_COMMIT, STORED_BYTES } from './limits.ts';
import { hasSameChain, remadeRecipe } from './recipe.ts';
import { timesOf, withTimes } from './record.ts';
import * as store from './reprocess-store.ts';
import type { StoredEntity } from './store.ts';
import { isReadable, type StoredRecord, storedRecords } from './stored-records.ts';
import { relativesOf, transform } from './transform.ts';

export interface ReprocessDeps extends CommitHooks {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly chunkThreads?: ChunkThreads | undefined;
  readonly committer: Committer;
  readonly chain: Chain;
  readonly target: CommitTarget;
  readonly signal: AbortSignal;
}

/**
 * This says which pull follows in the same job. A pull of everything counts records that are unchanged, left out or
 * failed, and tries failed records again with the content that the source then gives.
 */
export type Following = 'nothing' | 'changes' | 'everything';

/** Makes the next sync check all stored records again. */
export const noteIncomplete = (deps: ReprocessDeps): Promise<void> => mark(deps, store.INCOMPLETE);

export async function reprocess(deps: ReprocessDeps, following: Following): Promise<void> {
  const { db, chain, target, committer, embedder, signal } = deps;
  const commitOptions: ChangesOptions = {
    ...deps,
    maxChunks: CHUNKS_PER_COMMIT,
    knownVectors: (textHashes) => deps.index.vectors(db, target, textHashes),
    countOf: (decision) => countBefore(following, decision, target),
  };
  const fullPullFollows = following === 'everything';
  // A record that fails before a pull of everything does not count as tried, so that the pull tries it again.
  const attempt = fullPullFollows ? `before:${target.attempt}` : target.attempt;
  let hasDamaged = false;
  await noteIncomplete(deps);
  const groups = storedRecords(db, {
    scope: target,
    form: 'given',
    after: null,
    bytes: STORED_BYTES,
    wanted: (row) => !row.is_damaged && isOutdated(row, row.entity_type),
  });
  for await (const records of groups) {
    signal.throwIfAborted();
    const damaged = records.filter((record) => !isReadable(record));
    hasDamaged ||= damaged.length > 0;
    const decisions = [
      ...damaged.map(({ stored }) => damage(stored)),
      ...(await transformAgain(records)),
    ];
    for await (const changes of splitIntoCommits(decisions, commitOptions))
      await step(deps, () => committer.commit(changes));
  }
  if (!hasDamaged && !(await store.hasFailedRecords(db, target))) await mark(deps, chain.signature);

  function isOutdated(row: StoredEntity, type: string): boolean {
    return (
      (!fullPullFollows && row.failed_attempt !== null) || !hasSameChain(row, chain.recipeOf(type))
    );
  }

  async function transformAgain(records: readonly StoredRecord[]) {
    // The row has the type that transformers gave the entity. Only the record has the source's type.
    const stale = records
      .filter(isReadable)
      .filter(({ stored, entity }) => isOutdated(stored, entity.type))
      .map(({ stored, entity }): Stale => {
        const { version, partition, parent, content_hash: contentHash } = stored;
        const recipe = remadeRecipe(stored, embedder.model, chain.recipeOf(entity.type));
        const hash = stored.source_hash ?? stored.hash;
        const timed = withTimes(entity, timesOf(stored));
        return { entity: timed, hash, stored, recipe, version, partition, parent, contentHash };
      });
    const ids = stale.map(({ entity }) => entity.id);
    const relatives = await relativesOf(db, target, ids);
    const generationOf = (row: StoredEntity | undefined) => must(row).generation;
    return transform(stale, { relatives, chain, attempt, generationOf, signal });
  }
}

function mark(deps: ReprocessDeps, signature: string): Promise<void> {
  const { committer, target } = deps;
  return step(deps, () =>
    committer.commitWork((tx) => store.writeTransformed(tx, target.connectionId, signature)),
  );
}

async function step(
  { beforeCommit, afterCommit }: CommitHooks,
  commit: () => ReturnType<Committer['commit']>,
): Promise<void> {
  await beforeCommit();
  await afterCommit(await commit());
}

/**
 * Returns what reprocessing adds to the counters. Before a pull it does not count unchanged and skipped records,
 * because the pull counts them. Before a pull of everything, it does not count failed records either.
 */
function countBefore(
  following: Following,
  decision: PreparedDecision,
  target: CommitTarget,
): Counted {
  const counted = countOf(decision, target);
  const { tally, leftOut } = counted;
  if (following === 'nothing') return counted;
  if (tally.kept > 0) return { tally: { ...noTally, chunks: tally.chunks }, leftOut: null };
  if (following === 'changes' && leftOut?.kind === 'fail') return counted;
  const notTakenIn = { skipped: 0, failed: 0, leftOut: {}, skippedBy: {} };
  const byType = { ...tally.byType, failed: {} };
  return { tally: { ...tally, ...notTakenIn, byType }, leftOut: null };
}
