/**
 * Makes chunks, words and vectors again from the stored records of a connection, in the order of their ids. A commit
 * covers a few entities and replaces their chunks completely, so a search finds every document at every moment. The
 * position is part of the commit, so a process that dies repeats the work of one commit at most.
 *
 * The task runs in the lane of the connection, so no sync runs beside it. It gives the lane back after a while, so
 * that a push or a sync waits for seconds only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { ConnectionScope, Embedder, SearchIndex } from '../engines/ports.ts';
import type { Chunk } from '../model/chunk.ts';
import { holdConnection } from '../syncs/jobs/connection-store.ts';
import { Fenced } from '../syncs/pipeline/commit.ts';
import { bySize } from '../syncs/pipeline/pages.ts';
import { toChunks } from '../syncs/pipeline/prepare.ts';
import { remadeRecipe, unreadableRecipe, wantsChunks } from '../syncs/pipeline/recipe.ts';
import type { Upkeep } from '../syncs/pipeline/upkeep.ts';
import { damagedOf } from './damage.ts';
import * as store from './remake-store.ts';
import type { TaskRow } from './run-store.ts';
import { type Readable, readKept, type StoredRecord, wasRead } from './stored-records.ts';
import { type Lease, progress } from './task-store.ts';

/**
 * This is half of what a sync commits, because each chunk replaces another one, which is deleted in the same commit.
 */
const CHUNKS_A_COMMIT = 100;
/** The compressed records in memory have at most this many bytes at once. */
const BYTES = 256 * 1024;
const SLICE_MS = 2000;
const PAUSE_MS = 3;

export interface RemakeDeps {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly upkeep: Upkeep;
}

type Remade = Readable & { readonly chunks: readonly Chunk[] };

/**
 * Goes on for a while where the task stands. Resolves true when the whole task is done. Throws Fenced when the task
 * has another worker or its connection has been deleted.
 */
export async function remake(
  deps: RemakeDeps,
  task: TaskRow,
  scope: ConnectionScope,
  lease: Lease,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, index, embedder } = deps;
  const suspects = new Set(task.suspects);
  const so = { done: task.done, rewritten: task.rewritten, failed: task.failed };
  let after = task.after_id;
  for (const deadline = performance.now() + SLICE_MS; performance.now() < deadline; ) {
    const page = await store.recordPage(db, scope.connectionId, after);
    if (page.length === 0) return true;
    for (const some of bySize(page, BYTES)) {
      signal.throwIfAborted();
      await remakeSome(await readKept(db, some));
    }
  }
  return false;

  async function remakeSome(kept: readonly StoredRecord[]): Promise<void> {
    const readable = kept.filter(wasRead);
    const chosen =
      task.kind === 'reindex'
        ? new Set(readable.map(({ row }) => row))
        : await damagedOf(db, readable, suspects, embedder.model);
    const remade = await remakeThose(readable.filter(({ row }) => chosen.has(row)));
    for (const group of wholeEntities(kept, remade)) await commit(group);
  }

  async function remakeThose(writes: readonly Readable[]): Promise<Map<string, Remade>> {
    const [wanted, unwanted] = [true, false].map((wants) =>
      writes.filter(({ recipe }) => wantsChunks(recipe) === wants),
    );
    // No stored vector is used again, because the stored vectors may be what is broken.
    const none = async () => new Map();
    const made = await toChunks(wanted ?? [], none, embedder, signal);
    const bare = (unwanted ?? []).map((write) => ({ ...write, chunks: [] }));
    return new Map([...made, ...bare].map((write) => [write.row, write]));
  }

  async function commit(group: RemakeBatch): Promise<void> {
    const { kept, writes } = group;
    const unreadable = kept.filter(({ entity }) => entity === undefined);
    after = kept.at(-1)?.entityId ?? after;
    so.done += kept.length;
    so.rewritten += writes.length;
    so.failed += unreadable.length;
    await db.transaction().execute(async (tx) => {
      if (!(await progress(tx, lease, { ...so, after_id: after })))
        throw new Fenced('the task is no longer ours');
      if (!(await holdConnection(tx, scope.connectionId)))
        throw new Fenced('the connection has been deleted');
      if (writes.length > 0)
        await index.write(
          tx,
          scope,
          writes.map(({ row }) => row),
          writes.flatMap(({ chunks }) => chunks),
          'renewed',
        );
      await store.writeRecipes(tx, recipesOf(writes, unreadable, embedder.model));
    });
    await deps.upkeep.committed(scope.collectionId);
    await sleep(PAUSE_MS);
  }
}

interface RemakeBatch {
  readonly kept: StoredRecord[];
  readonly writes: Remade[];
}

/**
 * Groups whole entities so that a group has about as many new chunks as a commit may have. An entity without new
 * chunks counts as one chunk.
 */
function wholeEntities(
  kept: readonly StoredRecord[],
  remade: ReadonlyMap<string, Remade>,
): RemakeBatch[] {
  let group: RemakeBatch = { kept: [], writes: [] };
  const groups = [group];
  let chunks = 0;
  for (const one of kept) {
    const write = remade.get(one.row);
    const more = Math.max(1, write?.chunks.length ?? 0);
    if (chunks > 0 && chunks + more > CHUNKS_A_COMMIT) {
      group = { kept: [], writes: [] };
      groups.push(group);
      chunks = 0;
    }
    group.kept.push(one);
    if (write) group.writes.push(write);
    chunks += more;
  }
  return groups;
}

function recipesOf(
  writes: readonly StoredRecord[],
  unreadable: readonly StoredRecord[],
  model: string,
): Map<string, string[]> {
  const renewed = [
    ...writes.map(({ row, recipe }) => ({ row, recipe: remadeRecipe(recipe, model) })),
    ...unreadable.map(({ row, recipe }) => ({ row, recipe: unreadableRecipe(recipe) })),
  ];
  return new Map(
    [...Map.groupBy(renewed, ({ recipe }) => recipe)].map(([recipe, rows]) => [
      recipe,
      rows.map(({ row }) => row),
    ]),
  );
}
