/**
 * Runs one pull, from source to index. A push goes the same way; its source is the pushed body.
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
import type { Listing } from '../jobs/listing.ts';
import { batches, type ItemBatch } from './batches.ts';
import {
  type Changes,
  type ChangesOptions,
  nothing,
  splitIntoCommits,
  toCommit,
} from './changes.ts';
import type { CommitTarget, Committer } from './commit.ts';
import { createCommitQueue, type Pace } from './commit-queue.ts';
import { countOf } from './count.ts';
import { createHeard } from './heard.ts';
import { BATCH, CHUNKS_PER_COMMIT } from './limits.ts';
import { prepare } from './prepare.ts';
import { stored as findStored } from './store.ts';
import { sweep } from './sweep.ts';
import { totalEntities } from './sweep-store.ts';
import { knownOf } from './transform.ts';

const WITHOUT_LIMIT = { records: Infinity, characters: Infinity };

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
  /** This is the listing of earlier attempts of the job. */
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
  const heard = createHeard(options.heard);
  const queue = createCommitQueue(committer, deps);
  // Only entities from before this job count as known, so the changes of its earlier attempts are subtracted.
  const before = committer.total();
  const known = (await totalEntities(db, target.connectionId)) - before.inserted + before.deleted;
  const limit = options.atomic ? WITHOUT_LIMIT : BATCH;
  const preparing = {
    ...deps,
    hydrate: (stubs: readonly Stub[]) => untilItBreaks(deps.hydrate(stubs)),
    characters: limit.characters,
  };
  const making: ChangesOptions = {
    ...deps,
    chunks: options.atomic ? Infinity : CHUNKS_PER_COMMIT,
    knownVectors: (textHashes) => deps.index.vectors(db, target, textHashes),
    countOf: (decision) => countOf(decision, target),
  };
  let fullCursor: unknown;
  for await (const batch of untilItBreaks(batches(items, limit))) {
    signal.throwIfAborted();
    heard.note(batch);
    await storeBatch(batch);
    if (options.full && batch.cursor !== undefined) fullCursor = batch.cursor;
    // A bookmark is stored after all records before it.
    if (options.full && batch.bookmark !== undefined)
      await queue.commit({
        ...nothing,
        bookmark: { position: batch.bookmark, news: heard.takeNews() },
      });
    await queue.flushWhenDue();
  }
  await queue.flush();
  const held = options.full
    ? await sweep({ ...deps, ...options, heard, known }, (decisions) =>
        queue.commit(toCommit(decisions, making.countOf)),
      )
    : 0;
  return { held, cursor: fullCursor };

  /** When a source breaks, the records that it gave before are still valid, so they are stored. */
  async function* untilItBreaks<T>(given: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    try {
      yield* given;
    } catch (error) {
      await queue.flush();
      throw error;
    }
  }

  async function storeBatch(batch: ItemBatch): Promise<void> {
    const ids = idsIn(batch);
    await queue.flushBefore(ids);
    const stored = await findStored(db, target.connectionId, ids);
    // Without transformers, no entities remain that earlier transformers have made.
    const known = await knownOf(db, target.connectionId, {
      ids,
      withMade: deps.chain.signature !== '',
    });
    // The cursor concerns the whole batch, so it goes with the last commit.
    let last = nothing;
    for await (const decisions of prepare(batch, { stored, known }, preparing))
      for (const changes of await splitIntoCommits(decisions, making)) {
        if (last !== nothing) await queue.put(last);
        last = { ...changes, spared: failuresIn(changes) };
      }
    const cursor = options.full ? undefined : batch.cursor;
    if (last !== nothing || cursor !== undefined) await queue.put({ ...last, cursor });
    if (batch.lost.length > 0)
      await queue.commit(toCommit(batch.lost.map(lostPartition), making.countOf));
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
