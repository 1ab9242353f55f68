/**
 * Repairs data that belongs to no entity: orphans of the index, and wrong totals and counters.
 *
 * The numbers of chunks are never used twice and a chunk is stored as a whole, so an orphan in a snapshot stays an
 * orphan. Counters are repaired by their difference to the counted rows. Concurrent writers do not change this
 * difference, because they change both sides alike. Each task runs alone in its lane, so a difference is not added
 * twice, and a worker that has lost the lane meanwhile adds nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { inSnapshot } from '../db/snapshot.ts';
import type { ConnectionScope, IndexFault, IndexPage, SearchIndex } from '../engines/ports.ts';
import { type Fence, hold } from '../syncs/jobs/fence.ts';
import { addToFields } from '../syncs/pipeline/field-store.ts';
import { PAUSE_MS } from '../syncs/pipeline/limits.ts';
import { addToCounts } from '../syncs/pipeline/store.ts';
import { examineEntities, examineIndex } from './examine.ts';
import { createFindings } from './problems.ts';

const ORPHANS: ReadonlySet<IndexFault> = new Set([
  'chunk_without_entity',
  'body_without_chunk',
  'words_without_chunk',
]);

export interface RepairDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
}

interface Repair {
  readonly fence: Fence;
  readonly signal: AbortSignal;
}
type IndexRepair = Repair & { readonly collectionId: string };
type CountRepair = Repair & { readonly scope: ConnectionScope };

export async function repairIndex(
  { db, index }: RepairDeps,
  { collectionId, fence, signal }: IndexRepair,
): Promise<void> {
  for (let after: number | null = null; ; ) {
    signal.throwIfAborted();
    const place: number | null = after;
    const page: IndexPage = await inSnapshot(db, (tx) =>
      index.doctor.examine(tx, collectionId, place),
    );
    const orphans = page.findings.flatMap(({ kind, n }) =>
      ORPHANS.has(kind) && n !== null ? [n] : [],
    );
    if (orphans.length > 0)
      await db.transaction().execute(async (tx) => {
        await hold(tx, fence);
        await index.doctor.discard(tx, collectionId, orphans);
      });
    if (page.next === null) break;
    after = page.next;
    await sleep(PAUSE_MS);
  }
  const { totals, stored } = await inSnapshot(db, (tx) =>
    examineIndex(tx, index, { collectionId, note: () => {}, signal }),
  );
  if (!stored) return;
  const correction = { chunks: totals.chunks - stored.chunks, terms: totals.terms - stored.terms };
  await db.transaction().execute(async (tx) => {
    await hold(tx, fence);
    await index.doctor.correct(tx, collectionId, correction);
  });
}

export async function repairCounts(
  { db, kind }: Pick<RepairDeps, 'db' | 'kind'>,
  { scope, fence, signal }: CountRepair,
): Promise<void> {
  const { countCorrections, fieldCorrections } = await inSnapshot(db, (tx) =>
    examineEntities({ db: tx, kind }, { scope, found: createFindings(), signal }),
  );
  await db.transaction().execute(async (tx) => {
    await hold(tx, fence);
    await addToCounts(tx, scope.connectionId, countCorrections);
    await addToFields(tx, scope.connectionId, fieldCorrections);
  });
}
