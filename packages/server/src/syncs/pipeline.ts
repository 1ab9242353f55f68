/**
 * One sync, from source to index.
 *
 *   pull ▶ hydrate ▶ extract ▶ compare ▶ chunk ▶ embed ▶ commit            (then, after a full pull) ▶ sweep
 *
 * A batch is prepared outside and stored inside transactions of about 200 chunks, each of whole
 * entities; the cursor goes with the last one, and what only repeats what is stored with a later one. So
 * a commit is the instant at which everybody finds a change, a crash at any point repeats at most one
 * batch and a moment's unchanged records, and a cursor never runs ahead of its records.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Extractor } from '../documents/extract.ts';
import type { Embedder, SearchIndex } from '../engines/ports.ts';
import type { Item, LeftOut, Stub, Upsert } from '../sources/define.ts';
import { must } from '../util.ts';
import { type Batch, batches } from './batches.ts';
import {
  type Changes,
  type Committer,
  nothing,
  type Prepared,
  rowId,
  type Target,
} from './commit.ts';
import { type Change, type Judge, tallyChange, tallySeen } from './compare.ts';
import { type Preparation, prepare, toChunks } from './prepare.ts';
import * as store from './store.ts';
import { isSuspicious, type Listing, mayBeSwept, nothingHeard } from './sweep.ts';
import { addTally, countTypes, noTally, type Tally } from './tally.ts';
import { createUnchanged, mayWait } from './unchanged.ts';

const BATCH = { records: 200, characters: 2_000_000 };
const CHUNKS_A_COMMIT = 200;
const SWEPT_A_COMMIT = 50;

/** What stands between the commits of a job. */
export interface Pace {
  /** Waits for the next commit's turn. */
  readonly beforeCommit: () => Promise<void>;
  /** Called after each commit: throws to stop the job where everything stored stands. */
  readonly afterCommit: (status: string) => Promise<void>;
}

export interface PipelineDeps extends Pace {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly extractor: Extractor;
  readonly hydrate: (stubs: readonly Stub[]) => AsyncIterable<Upsert | LeftOut>;
  readonly committer: Committer;
  readonly target: Target;
  readonly signal: AbortSignal;
}

export interface PullOptions {
  /** What does not come up is swept, and the cursor is handed back instead of stored. */
  readonly full: boolean;
  /** Of the job: what has been seen since is counted. */
  readonly firstGeneration: number;
  /** Everything in one transaction. */
  readonly atomic: boolean;
  /** No chunks are made. */
  readonly withoutVectors: boolean;
  /** Deletions are not held back. */
  readonly acceptDeletions: boolean;
  /** What earlier attempts have heard of the source's parts. */
  readonly heard: Listing;
}

export interface PullResult {
  /** Deletions that wait for a confirmation. */
  readonly held: number;
  /** Of a full pull: where an incremental one may go on. */
  readonly cursor: unknown;
}

export async function runPull(
  items: AsyncIterable<Item>,
  options: PullOptions,
  deps: PipelineDeps,
): Promise<PullResult> {
  const { db, target, committer, signal } = deps;
  const by: Judge = {
    jobId: target.jobId,
    firstGeneration: options.firstGeneration,
    recipe: target.recipe,
  };
  const { listed, met, lost } = options.heard;
  const heard = { listed: new Set(listed), met: new Set(met), lost: new Set(lost) };
  /** Since the last bookmark. */
  let news = nothingHeard();
  let fullCursor: unknown;
  const unchanged = createUnchanged();

  // What was stored before this job: its earlier attempts have counted what they did.
  const before = committer.total();
  const known =
    (await store.totalEntities(db, target.connectionId)) - before.inserted + before.deleted;
  const preparing = {
    ...deps,
    hydrate: (stubs: readonly Stub[]) => untilItBreaks(deps.hydrate(stubs)),
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

  /** Whatever breaks a source: what it has said until then is true. */
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

  function knownVectors(textHashes: readonly string[]) {
    return deps.index.vectors(db, target, textHashes);
  }

  function note(batch: Batch): void {
    hear('met', [...batch.upserts, ...batch.stubs].map(partitionOf));
    hear('listed', batch.listed);
    hear('lost', batch.lost.map(partitionOf));
    if (batch.cursor !== undefined) fullCursor = batch.cursor;
  }

  function hear(what: keyof Listing, partitions: readonly string[]): void {
    for (const partition of partitions) {
      if (heard[what].has(partition)) continue;
      heard[what].add(partition);
      news[what].add(partition);
    }
  }

  async function storeBatch(batch: Batch): Promise<void> {
    const ids = [
      ...batch.upserts.map(({ entity }) => entity.id),
      ...batch.stubs.map(({ id }) => id),
      ...batch.removals,
    ];
    if (unchanged.hasAny(ids)) await storeUnchanged();
    const stored = await store.stored(db, target.connectionId, ids);
    let open: Changes | undefined;
    for await (const part of prepare(batch, stored, by, preparing, limit.characters)) {
      for (const changes of await commitsOf(part)) {
        if (open) await put(open);
        open = changes;
      }
    }
    // What the batch says as a whole goes with its last commit.
    const deletions = batch.removals.flatMap((id) => stored.get(id) ?? []);
    const cursor = options.full ? undefined : batch.cursor;
    if (open || deletions.length > 0 || cursor !== undefined) {
      const tally = addTally(open?.tally ?? noTally, { ...noTally, deleted: deletions.length });
      await put({ ...(open ?? nothing), deletions, tally, cursor });
    }
    for (const { partition, error } of batch.lost) await recordLost(partition, error.message);
  }

  /** After all that lies before it. */
  async function storeBookmark(position: unknown): Promise<void> {
    await commit({ ...nothing, bookmark: { position, news } });
    news = nothingHeard();
  }

  /** What only repeats what is stored, or was left out, is in the last of them. */
  async function commitsOf({ changes, seen, leftOut }: Preparation): Promise<Changes[]> {
    if (changes.length + seen.length + leftOut.length === 0) return [];
    const rows = changes.map((change) => ({ ...change, row: rowId(change) }));
    const writes = options.withoutVectors
      ? rows.map((row) => ({ ...row, chunks: [] }))
      : await toChunks(rows, knownVectors, deps.embedder, signal);
    const groups = options.atomic ? [writes] : wholeEntities(writes);
    const last = groups.pop() ?? [];
    const failures = leftOut.filter(({ kind }) => kind === 'fail');
    const tally = tallyRest(seen, leftOut, by);
    return [
      ...groups.map((group) => ({ ...nothing, writes: group })),
      { ...nothing, writes: last, seen, failures, tally },
    ];
  }

  /** A part of the source that could not be listed is a failure people must see. */
  async function recordLost(partition: string, reason: string): Promise<void> {
    const id = partition === '' ? '(all)' : partition;
    await commit({
      ...nothing,
      failures: [{ kind: 'fail', id, type: 'partition', reason, hint: null, stage: 'pull' }],
      tally: { ...noTally, failed: 1, leftOut: { partition: 1 } },
    });
  }

  async function put(changes: Changes): Promise<void> {
    if (mayWait(changes)) unchanged.add(changes);
    else await commit(changes);
  }

  /** With all that waits for a commit. */
  async function commit(changes: Changes): Promise<void> {
    const waiting = unchanged.take();
    const seen = [...waiting.seen, ...changes.seen];
    const tally = [tallyWrites(changes.writes, by), waiting.tally].reduce(addTally, changes.tally);
    await deps.beforeCommit();
    await deps.afterCommit(await committer.commit({ ...changes, seen, tally }));
  }

  async function sweep(): Promise<number> {
    const missing = await store.unseenPartitions(db, target);
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
        tally: { ...noTally, deleted: gone.length },
      });
    }
  }
}

const partitionOf = ({ partition }: { readonly partition: string }) => partition;

/** Runs of whole entities with about as many chunks as a commit holds. */
function wholeEntities(writes: readonly Prepared[]): Prepared[][] {
  const groups: Prepared[][] = [];
  let chunks = Number.POSITIVE_INFINITY;
  for (const write of writes) {
    if (chunks + write.chunks.length > CHUNKS_A_COMMIT) {
      groups.push([]);
      chunks = 0;
    }
    must(groups.at(-1)).push(write);
    // An entity without chunks still costs its row.
    chunks += Math.max(1, write.chunks.length);
  }
  return groups;
}

function tallyWrites(writes: readonly Prepared[], by: Judge): Tally {
  return writes
    .map((write: Change & Prepared) => ({
      ...tallyChange(write, by),
      chunks: write.chunks.length,
    }))
    .reduce(addTally, noTally);
}

/** What a commit counts besides its writes. */
function tallyRest(seen: Preparation['seen'], leftOut: Preparation['leftOut'], by: Judge): Tally {
  const skipped = leftOut.filter(({ kind }) => kind === 'skip').length;
  const rest: Tally = {
    ...noTally,
    skipped,
    failed: leftOut.length - skipped,
    leftOut: countTypes(leftOut.map(({ type }) => type)),
  };
  return seen.map((one) => tallySeen(one, by)).reduce(addTally, rest);
}
