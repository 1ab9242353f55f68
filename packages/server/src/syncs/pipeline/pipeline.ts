/**
 * Runs one pull, from source to index. A push goes the same way; its source is the pushed body.
 *
 *   pull ▶ hydrate ▶ extract ▶ compare ▶ transform ▶ chunk ▶ embed ▶ commit   (then, after a full pull) ▶ sweep
 *
 * Records below others, such as files below their message, come after the batch of the records above them and go the
 * same way (below.ts, store-below.ts).
 *
 * A batch is prepared outside of transactions and stored in transactions of about 200 chunks, each of whole entities.
 * The last of them also stores the cursor of an incremental pull; the cursor of a full pull is stored when the job
 * ends. Unchanged records wait for a later commit (postponed.ts). So every search finds a change from its commit on, a
 * crash at any point repeats at most one batch and the last few unchanged records, and a cursor never runs ahead of its
 * records.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Extractor } from '../../documents/extract.ts';
import type { Embedder, SearchIndex } from '../../engines/ports.ts';
import { SourceError } from '../../errors.ts';
import type { BelowList, LeftOut, SourceItem, Stub, Upsert } from '../../sources/items.ts';
import type { Chain } from '../../transformers/chain.ts';
import { listHeldBack } from '../jobs/held-back-store.ts';
import type { Listing } from '../jobs/listing.ts';
import { addTally, noTally } from '../jobs/tally.ts';
import { batches, type ItemBatch } from './batches.ts';
import { belowOf, nothingBelow } from './below.ts';
import {
  type Changes,
  type ChangesOptions,
  changesOf,
  noChanges,
  splitIntoCommits,
} from './changes.ts';
import type { ChunkThreads } from './chunks.ts';
import type { CommitTarget, Committer } from './commit.ts';
import { type CommitHooks, createCommitQueue } from './commit-queue.ts';
import { countOf } from './count.ts';
import type { Decision, Delete } from './decision.ts';
import { BATCH, CHUNKS_PER_COMMIT } from './limits.ts';
import { prepare } from './prepare.ts';
import { createPullListing } from './pull-listing.ts';
import { refusalsOf } from './refusals.ts';
import { below as findBelow, stored as findStored } from './store.ts';
import { storeBelow } from './store-below.ts';
import { findExtracted, givenRecords } from './stored-records.ts';
import { isSuspicious, sweep, sweepPart } from './sweep.ts';
import { totalEntities } from './sweep-store.ts';
import { relativesOf } from './transform.ts';

const WITHOUT_LIMIT = { records: Infinity, characters: Infinity, milliseconds: Infinity };

export interface PipelineDeps extends CommitHooks {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly chunkThreads?: ChunkThreads | undefined;
  readonly extractor: Extractor;
  readonly chain: Chain;
  readonly hydrate: (stubs: readonly Stub[]) => AsyncIterable<Upsert | LeftOut>;
  readonly below: (stubs: readonly Stub[]) => AsyncIterable<BelowList | LeftOut>;
  /** The source may have records below others. */
  readonly hasParents: boolean;
  readonly committer: Committer;
  readonly target: CommitTarget;
  readonly signal: AbortSignal;
}

export interface PullOptions {
  /** A full pull sweeps entities that it did not see, and returns its cursor instead of storing it. */
  readonly full: boolean;
  /** An atomic pull stores everything in one transaction. */
  readonly atomic: boolean;
  /** The caller accepts the deletions, so none are held back. */
  readonly acceptDeletions: boolean;
  /** Earlier attempts of the job made this part of the listing. */
  readonly earlierListing: Listing;
}

export interface PullResult {
  /** This many deletions wait for a confirmation. */
  readonly heldBack: number;
  /**
   * The next incremental pull may go on from this cursor. Undefined after a pull that is not full, and when the source
   * gave no checkpoint.
   */
  readonly cursor: unknown;
}

export async function runPull(
  items: AsyncIterable<SourceItem>,
  options: PullOptions,
  deps: PipelineDeps,
): Promise<PullResult> {
  const { db, target, committer, signal } = deps;
  const listing = createPullListing(options.earlierListing);
  const queue = createCommitQueue(committer, deps);
  // The sweep compares with the number of entities before this job, so the changes that the job has already committed
  // are undone in the sum.
  const { inserted, deleted } = committer.total();
  const entitiesBefore = (await totalEntities(db, target.connectionId)) - inserted + deleted;
  const limit = options.atomic ? WITHOUT_LIMIT : BATCH;
  const prepareDeps = {
    ...deps,
    hydrate: (stubs: readonly Stub[]) => flushingOnError(deps.hydrate(stubs)),
    characters: limit.characters,
    milliseconds: limit.milliseconds,
    readStored: (rows: readonly string[]) => givenRecords(db, target.collectionId, rows),
    findExtracted: (contentHash: string) => findExtracted(db, target, contentHash),
  };
  const commitOptions: ChangesOptions = {
    ...deps,
    maxChunks: options.atomic ? Infinity : CHUNKS_PER_COMMIT,
    knownVectors: (textHashes) => deps.index.vectors(db, target, textHashes),
    countOf: (decision) => countOf(decision, target),
  };
  const missingSoFar = () => committer.total().missing;
  const holdBack = async (entities: readonly string[]) =>
    deps.afterCommit(await committer.commitWork((tx) => listHeldBack(tx, target.jobId, entities)));
  const sweeping = { ...deps, ...options, listing, entitiesBefore, missingSoFar, holdBack };
  const commitDeletions = (decisions: readonly Delete[]) =>
    queue.commit(changesOf(decisions, commitOptions.countOf));
  const belowDeps = {
    below: (stubs: readonly Stub[]) => flushingOnError(deps.below(stubs)),
    async storeBatch(batch: ItemBatch) {
      const { last, failed, skipped } = await storeRecords(batch, false);
      if (last !== noChanges) await queue.put(last);
      return { failed, skipped };
    },
    async rowsBelow(ids: readonly string[]) {
      await queue.flush();
      return findBelow(db, target, ids);
    },
    holdBack,
    optional: target.optional,
    mayDelete: (count: number) =>
      options.acceptDeletions || !isSuspicious(missingSoFar() + count, entitiesBefore),
    async commit(decisions: readonly Decision[]) {
      for await (const changes of commitsOf(decisions)) await queue.commit(changes);
    },
  };
  // The deletions held back in listed parts are stored with the cursor, because the next attempt begins behind them.
  let heldBack = 0;
  let fullCursor: unknown;
  for await (const batch of flushingOnError(batches(items, limit))) {
    signal.throwIfAborted();
    listing.note(batch);
    await storeBatch(batch);
    if (options.full && batch.cursor !== undefined) fullCursor = batch.cursor;
    // A bookmark is stored after all records before it.
    if (options.full && batch.bookmark !== undefined)
      await queue.commit({
        ...noChanges,
        bookmark: { position: batch.bookmark, additions: listing.takeAdditions() },
      });
    await queue.flushWhenDue();
  }
  await queue.flush();
  if (options.full) return { heldBack: await sweep(sweeping, commitDeletions), cursor: fullCursor };
  return { heldBack: committer.total().heldBack + heldBack, cursor: undefined };

  /** When the source breaks, the changes that wait to be committed are still valid, so they are committed first. */
  async function* flushingOnError<T>(ofSource: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    try {
      yield* ofSource;
    } catch (error) {
      await queue.flush();
      throw error;
    }
  }

  /**
   * Sweeps these parts, each of which an incremental pull has listed to its end: deletes the stored records that the
   * pull did not yield. A sweep looks at stored rows, so `last` and all waiting changes are stored before it. The
   * cursor is stored after the sweep, because a pull from that cursor on would not list the parts again.
   */
  async function sweepParts(parts: readonly string[], last: Changes): Promise<void> {
    if (last !== noChanges) await queue.put(last);
    await queue.flush();
    for (const partition of new Set(parts))
      heldBack += await sweepPart({ ...sweeping, partition }, commitDeletions);
  }

  async function* commitsOf(decisions: readonly Decision[]): AsyncGenerator<Changes, void, void> {
    for await (const changes of splitIntoCommits(decisions, commitOptions))
      yield { ...changes, spared: failuresIn(changes) };
  }

  /** Stores the records of a batch. The last changes are not stored yet, so that a cursor can be stored with them. */
  async function storeRecords(batch: ItemBatch, hasParents: boolean) {
    const ids = idsIn(batch);
    await queue.flushBefore(ids);
    const stored = await findStored(db, target, ids);
    const relatives = await relativesOf(db, target, ids);
    const below = hasParents ? await belowOf(db, batch, { stored, target }) : nothingBelow;
    const refusals = await refusalsOf(db, batch.stubs, { stored, target });
    let last = noChanges;
    const failed: string[] = [];
    const skipped: string[] = [];
    try {
      for await (const decisions of prepare(
        batch,
        { stored, relatives, below, refusals },
        prepareDeps,
      ))
        for await (const changes of commitsOf(decisions)) {
          if (last !== noChanges) await queue.put(last);
          last = changes;
          failed.push(...changes.spared);
          skipped.push(...skipsIn(changes));
        }
    } catch (error) {
      // The source broke, and what was read before is still valid.
      if (error instanceof SourceError && last !== noChanges) await queue.commit(last);
      throw error;
    }
    return { last, failed: new Set(failed), skipped: new Set(skipped), below };
  }

  /** These parts are counted before the cursor is stored, because the next attempt begins behind it. */
  async function storeLost(lost: ItemBatch['lost'], last: Changes): Promise<void> {
    if (last !== noChanges) await queue.put(last);
    await queue.commit(changesOf(lost.map(lostPartition), commitOptions.countOf));
  }

  async function storeBatch(batch: ItemBatch): Promise<void> {
    const stored = await storeRecords(batch, deps.hasParents);
    let { last } = stored;
    if (stored.below.asked.length > 0) {
      if (last !== noChanges) await queue.put(last);
      last = noChanges;
      const held = await storeBelow(stored.below.asked, belowDeps);
      // A full pull leaves these rows to its sweep, which counts them together with what else is missing.
      if (!options.full) heldBack += held;
    }
    // The cursor concerns the whole batch, so the last commit of the batch stores it.
    const cursor = options.full ? undefined : batch.cursor;
    if (!options.full && batch.listed.length > 0) {
      await sweepParts(batch.listed, last);
      last = noChanges;
    }
    if (batch.lost.length > 0) {
      await storeLost(batch.lost, last);
      last = noChanges;
    }
    if (cursor !== undefined) {
      await queue.put({ ...last, cursor, tally: addTally(last.tally, { ...noTally, heldBack }) });
      heldBack = 0;
    } else if (last !== noChanges) await queue.put(last);
  }
}

const idsIn = ({ upserts, stubs, removals, leftOut }: ItemBatch): string[] => [
  ...upserts.map(({ entity }) => entity.id),
  ...stubs.map(({ id }) => id),
  ...removals,
  ...leftOut.filter(({ removes }) => removes === 'record').map(({ id }) => id),
];

const failuresIn = ({ leftOut }: Changes): string[] =>
  leftOut.filter(({ kind }) => kind === 'fail').map(({ id }) => id);

/** Transformers keep a hidden row of a record that they drop, so such a record is not among these. */
const skipsIn = ({ leftOut }: Changes): string[] =>
  leftOut.filter(({ kind, stage }) => kind === 'skip' && stage !== 'transform').map(({ id }) => id);

/** Users must see that a part of the source could not be listed, so it counts as a failure. */
const lostPartition = ({ partition, error }: ItemBatch['lost'][number]) => ({
  kind: 'fail' as const,
  id: partition === '' ? '(all)' : partition,
  type: 'partition',
  reason: error.message,
  detail: null,
  hint: null,
  stage: 'pull',
});
