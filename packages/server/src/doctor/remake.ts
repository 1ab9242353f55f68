/**
 * Makes chunks, words and vectors again from the stored records of a connection, in the order of their ids. A commit
 * covers a few entities and replaces their chunks completely, so a search finds every document at every moment. It also
 * stores the id of the last entity that is done, so a process that dies repeats the work of one commit at most.
 *
 *   stored record ▶ chunk ▶ embed ▶ commit
 *
 * The task runs in the lane of the connection, so no sync runs beside it. It gives the lane back after a while, so
 * that a push or a sync waits for seconds only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import type { ConnectionScope, Embedder, SearchIndex } from '../engines/ports.ts';
import type { Chunk } from '../model/chunk.ts';
import { type Fence, hold } from '../syncs/jobs/fence.ts';
import { makeChunks } from '../syncs/pipeline/chunks.ts';
import { type Damage, damage, ofKind, type Renew } from '../syncs/pipeline/decision.ts';
import { PAUSE_MS, RENEWED_PER_COMMIT, STORED_BYTES } from '../syncs/pipeline/limits.ts';
import { chunkVersion } from '../syncs/pipeline/recipe.ts';
import {
  isReadable,
  type ReadableRecord,
  type StoredRecord,
  storedRecords,
} from '../syncs/pipeline/stored-records.ts';
import type { Upkeep } from '../syncs/pipeline/upkeep.ts';
import { writeDecisions } from '../syncs/pipeline/write.ts';
import { groupedBySize, must } from '../util.ts';
import { withBrokenChunks } from './broken-chunks.ts';
import type { TaskRow } from './run-store.ts';
import { progress } from './task-store.ts';

const SLICE_MS = 2000;

export interface RemakeDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly upkeep: Upkeep;
}

export interface RunningTask {
  readonly task: TaskRow;
  readonly scope: ConnectionScope;
  readonly fence: Fence;
  readonly signal: AbortSignal;
}

/** This is a record with the decision on its row. With null, the row stays unchanged. */
interface Step {
  readonly record: StoredRecord;
  readonly decision: Renew | Damage | null;
}

/**
 * Works on the task for about 2 seconds, beginning after the last entity that is done. Resolves to true when the whole
 * task is done. Throws Fenced when another worker has the task or its connection has been deleted.
 */
export async function remake(deps: RemakeDeps, running: RunningTask): Promise<boolean> {
  const { db, embedder, upkeep } = deps;
  const { task, scope, fence, signal } = running;
  const suspects = task.kind === 'reindex' ? null : task.suspects && new Set(task.suspects);
  const counts = { done: task.done, rewritten: task.rewritten, failed: task.failed };
  const deadline = performance.now() + SLICE_MS;
  const groups = storedRecords(db, {
    scope,
    form: 'shown',
    after: task.after_id,
    bytes: STORED_BYTES,
  });
  for await (const records of groups) {
    signal.throwIfAborted();
    for (const steps of groupedBySize(await decide(records), sizeOf, RENEWED_PER_COMMIT))
      await commit(steps);
    if (performance.now() >= deadline) return false;
  }
  return true;

  async function decide(records: readonly StoredRecord[]): Promise<Step[]> {
    const readable = records.filter(isReadable);
    const chosen =
      suspects === null
        ? readable
        : await withBrokenChunks(db, readable, { model: embedder.model, ...scope, suspects });
    const chunks = await makeChunks(
      chosen
        .filter(({ stored }) => stored.is_searchable)
        .map(({ stored, entity }) => ({ row: stored.id, entity })),
      // Stored vectors are not reused, because they may be damaged.
      { embedder, signal },
    );
    const renewals = new Map(chosen.map((record) => [record, renewalOf(record, chunks)]));
    return records.map((record) => ({
      record,
      decision: isReadable(record) ? (renewals.get(record) ?? null) : damage(record.stored),
    }));
  }

  function renewalOf(
    { stored }: ReadableRecord,
    chunks: ReadonlyMap<string, readonly Chunk[]>,
  ): Renew {
    return {
      kind: 'renew',
      stored,
      chunks: chunks.get(stored.id) ?? [],
      chunkVersion: chunkVersion(embedder.model),
    };
  }

  async function commit(steps: readonly Step[]): Promise<void> {
    const decisions = steps.flatMap(({ decision }) => decision ?? []);
    counts.done += steps.length;
    counts.rewritten += ofKind(decisions, 'renew').length;
    counts.failed += ofKind(decisions, 'damage').length;
    const { stored: last } = must(steps.at(-1)).record;
    await db.transaction().execute(async (tx) => {
      await hold(tx, fence);
      await progress(tx, task.id, { ...counts, after_id: last.entity_id });
      await writeDecisions(tx, deps, { scope, decisions });
    });
    await upkeep.committed(scope.collectionId);
    await sleep(PAUSE_MS);
  }
}

/** An entity without new chunks counts as one chunk. */
const sizeOf = ({ decision }: Step): number =>
  decision?.kind === 'renew' ? Math.max(1, decision.chunks.length) : 1;
