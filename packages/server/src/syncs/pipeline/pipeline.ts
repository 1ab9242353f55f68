/**
 * Runs one sync, from source to index.
 *
 *   pull ▶ hydrate ▶ extract ▶ compare ▶ transform ▶ chunk ▶ embed ▶ commit   (then, after a full pull) ▶ sweep
 *
 * A batch is prepared outside of transactions and stored inside transactions of about 200 chunks, each of whole
 * entities. The cursor goes with the last of them, and unchanged records go with a later commit. So a commit is the
 * instant at which every search finds a change, a crash at any point repeats at most one batch and the last few
 * unchanged records, and a cursor never runs ahead of its records.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Extractor } from '../../documents/extract.ts';
import type { Embedder, SearchIndex } from '../../engines/ports.ts';
import type { LeftOut, SourceItem, Stub, Upsert } from '../../sources/define.ts';
import type { Chain } from '../../transformers/chain.ts';
import { emptyListing, type Listing } from '../jobs/listing.ts';
import { addTally, noTally } from '../jobs/tally.ts';
import { batches, type ItemBatch } from './batches.ts';
import { type Changes, type CommitTarget, type Committer, nothing } from './commit.ts';
import { type Judge, tallyChange } from './compare.ts';
import { type PartOptions, tallyDeletions, toCommits } from './parts.ts';
import { prepare } from './prepare.ts';
import * as store from './store.ts';
import { isAtOrBelow, isSuspicious, mayBeSwept } from './sweep.ts';
import { knownOf, rowsOf } from './transform.ts';
import { createUnchanged, mayWait } from './unchanged.ts';

const BATCH = { records: 200, characters: 2_000_000 };
const SWEPT_A_COMMIT = 50;

/** A job calls these functions between its commits. */
export interface Pace {
  /** Waits until it is the turn of the next commit. */
  readonly beforeCommit: () => Promise<void>;
  /** Runs after each commit. It throws to stop the job at a point where everything is stored. */
  readonly afterCommit: (status: string) => Promise<void>;
}

export interface PipelineDeps extends Pace {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly extractor: Extractor;
  readonly chain: Chain;
  readonly hydrate: (stubs: readonly Stub[]) => AsyncIterable<Upsert | LeftOut>;
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
  /** Earlier attempts of the job have seen this much of the source's partitions. */
  readonly heard: Listing;
}

export interface PullResult {
  /** This many deletions wait for a confirmation. */
  readonly held: number;
  /** After a full pull, an incremental pull may go on from this cursor. */
  readonly cursor: unknown;
}

export async function runPull(
  items: AsyncIterable<SourceItem>,
  options: PullOptions,
  deps: PipelineDeps,
): Promise<PullResult> {
  const { db, target, committer, signal } = deps;
  const by: Judge = target;
  const { listed, met, lost } = options.heard;
  const heard = { listed: new Set(listed), met: new Set(met), lost: new Set(lost) };
  /** This is the listing of partitions since the last bookmark. */
  let news = emptyListing();
  let fullCursor: unknown;
  /** The source says that these partitions must not be stored. */
  const barred = new Set<string>();
  const unchanged = createUnchanged();

  // Only entities from before this job count as known, and its earlier attempts have counted what they changed.
  const before = committer.total();
  const known =
    (await store.totalEntities(db, target.connectionId)) - before.inserted + before.deleted;
  const preparing = {
    ...deps,
    hydrate: (stubs: readonly Stub[]) => untilItBreaks(deps.hydrate(stubs)),
  };
  const parts: PartOptions = {
    ...options,
    embedder: deps.embedder,
    knownVectors: (textHashes) => deps.index.vectors(db, target, textHashes),
    tallyOf: (change) => tallyChange(change, by),
    signal,
  };
  const limit = options.atomic ? { records: Infinity, characters: Infinity } : BATCH;
  for await (const batch of untilItBreaks(batches(items, limit))) {
    signal.throwIfAborted();
    note(batch);
    await storeBatch(batch);
    if (options.full && batch.bookmark !== undefined) await storeBookmark(batch.bookmark);
    if (unchanged.isDue()) await commit(nothing);
  }
  await storeUnchanged();
  const held = options.full ? await sweep() : 0;
  return { held, cursor: fullCursor };

  /** When a source breaks, the records that it gave until then are still valid, so they are stored. */
  async function* untilItBreaks<T>(said: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    try {
      yield* said;
    } catch (error) {
      await storeUnchanged();
      throw error;
    }
  }

  async function storeUnchanged(): Promise<void> {
    if (!unchanged.isEmpty()) await commit(nothing);
  }

  function note(batch: ItemBatch): void {
    hear('met', [...batch.upserts, ...batch.stubs].map(partitionOf));
    hear('listed', batch.listed);
    hear('lost', batch.lost.map(partitionOf));
    for (const { id, removes } of batch.leftOut) if (removes === 'partition') barred.add(id);
    if (batch.cursor !== undefined) fullCursor = batch.cursor;
  }

  function hear(what: keyof Listing, partitions: readonly string[]): void {
    for (const partition of partitions) {
      if (heard[what].has(partition)) continue;
      heard[what].add(partition);
      news[what].add(partition);
    }
  }

  async function storeBatch(batch: ItemBatch): Promise<void> {
    const ids = [
      ...batch.upserts.map(({ entity }) => entity.id),
      ...batch.stubs.map(({ id }) => id),
      ...batch.removals,
      ...batch.leftOut.filter(({ removes }) => removes === 'record').map(({ id }) => id),
    ];
    if (unchanged.hasAny(ids)) await storeUnchanged();
    const stored = await store.stored(db, target.connectionId, ids);
    // Without transformers, no entities remain that earlier transformers have made.
    const known = await knownOf(db, target.connectionId, deps.chain.signature !== '', ids);
    let open: Changes | undefined;
    for await (const part of prepare(batch, stored, known, by, preparing, limit.characters)) {
      for (const changes of await toCommits(part, by, parts)) {
        const spared = changes.leftOut.filter(({ kind }) => kind === 'fail').map(({ id }) => id);
        if (open) await put(open);
        open = { ...changes, spared };
      }
    }
    // Removals and the cursor concern the whole batch, so they go with its last commit.
    const deletions = rowsOf(batch.removals, stored, known);
    const cursor = options.full ? undefined : batch.cursor;
    if (open || deletions.length > 0 || cursor !== undefined) {
      const last = open ?? nothing;
      const tally = addTally(last.tally, tallyDeletions(deletions));
      await put({ ...last, deletions: [...last.deletions, ...deletions], tally, cursor });
    }
    for (const { partition, error } of batch.lost) await recordLost(partition, error.message);
  }

  /** Stores a bookmark after all records before it. */
  async function storeBookmark(position: unknown): Promise<void> {
    await commit({ ...nothing, bookmark: { position, news } });
    news = emptyListing();
  }

  /** Users must see that a part of the source could not be listed, so it counts as a failure. */
  async function recordLost(partition: string, reason: string): Promise<void> {
    const id = partition === '' ? '(all)' : partition;
    await commit({
      ...nothing,
      leftOut: [
        { kind: 'fail', id, type: 'partition', reason, detail: null, hint: null, stage: 'pull' },
      ],
      tally: { ...noTally, failed: 1, leftOut: { partition: 1 } },
    });
  }

  async function put(changes: Changes): Promise<void> {
    if (mayWait(changes)) unchanged.add(changes);
    else await commit(changes);
  }

  /** Commits the changes together with everything that waits for a commit. */
  async function commit(changes: Changes): Promise<void> {
    const waiting = unchanged.take();
    const seen = [...waiting.seen, ...changes.seen];
    const leftOut = [...waiting.leftOut, ...changes.leftOut];
    const tally = addTally(waiting.tally, changes.tally);
    await deps.beforeCommit();
    await deps.afterCommit(await committer.commit({ ...changes, seen, leftOut, tally }));
  }

  async function sweep(): Promise<number> {
    const unseen = await store.unseenPartitions(db, target);
    const { missing = [], forbidden = [] } = Object.groupBy(unseen, ({ partition }) =>
      isAtOrBelow(partition, barred) ? 'forbidden' : 'missing',
    );
    for (const { partition } of forbidden) await sweepPartition(partition);
    const swept = missing.filter(({ partition }) => mayBeSwept(partition, heard));
    const dropped = swept.reduce((sum, { count }) => sum + count, 0);
    if (!options.acceptDeletions && isSuspicious(dropped, known)) return dropped;
    for (const { partition } of swept) await sweepPartition(partition);
    return 0;
  }

  async function sweepPartition(partition: string): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const gone = await store.unseen(db, target, partition, SWEPT_A_COMMIT);
      if (gone.length === 0) return;
      await commit({
        ...nothing,
        deletions: gone,
        tally: tallyDeletions(gone),
      });
    }
  }
}

const partitionOf = ({ partition }: { readonly partition: string }) => partition;
