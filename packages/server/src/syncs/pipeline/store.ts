/** These are the queries of a running sync: they read stored entities and write what a commit changes. */
import { type Selectable, sql } from 'kysely';
import type { Db, EntityTable, SyncJobTable, Tx } from '../../db/schema.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import { chunked, must } from '../../util.ts';
import { nextModifiedAt } from '../jobs/job-store.ts';
import type { Tally } from '../jobs/tally.ts';
import type { BelowListed, Damage, PreparedRetain, Renew, Touch } from './decision.ts';
import { RECIPE } from './recipe.ts';

/** This keeps the bind variables of a statement below the limits of both databases. */
const ROWS = 100;
const IDS = 500;

export const STORED = [
  'id',
  'entity_id',
  'entity_type',
  'hash',
  ...RECIPE,
  'content_hash',
  'failed_attempt',
  'is_damaged',
  'version',
  'partition',
  'parent',
  'below_version',
  'generation',
  'sync_job_id',
  'is_listed',
  'source_hash',
  'origin',
  'is_hidden',
  'has_secret',
  'viewers',
  'is_public',
  'source_created_at',
  'source_updated_at',
  'created_at',
  'modified_at',
] as const;
export type StoredEntity = Pick<Selectable<EntityTable>, (typeof STORED)[number]>;

/** Finds the stored entities that have these ids of the source. */
export async function stored(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  ids: readonly string[],
): Promise<Map<string, StoredEntity>> {
  const found = new Map<string, StoredEntity>();
  for (const some of chunked(ids, IDS)) {
    const rows = await db
      .selectFrom('entities')
      .select(STORED)
      .where('collection_id', '=', collectionId)
      .where('connection_id', '=', connectionId)
      .where('entity_id', 'in', some)
      .execute();
    for (const row of rows) found.set(row.entity_id, row);
  }
  return found;
}

/**
 * Finds the entities that were made of these records, by transformers or because they are inside of their files, by the
 * records' ids at the source.
 */
export const made = (
  db: Db,
  scope: ConnectionScope,
  ids: readonly string[],
): Promise<Map<string, StoredEntity[]>> => groupedBy(db, scope, { column: 'origin', ids });

/** Finds the entities below these records, by the ids of the records at the source. */
export const below = (
  db: Db,
  scope: ConnectionScope,
  ids: readonly string[],
): Promise<Map<string, StoredEntity[]>> => groupedBy(db, scope, { column: 'parent', ids });

async function groupedBy(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  { column, ids }: { readonly column: 'origin' | 'parent'; readonly ids: readonly string[] },
): Promise<Map<string, StoredEntity[]>> {
  const found: StoredEntity[] = [];
  for (const some of chunked(ids, IDS))
    found.push(
      ...(await db
        .selectFrom('entities')
        .select(STORED)
        .where('collection_id', '=', collectionId)
        .where('connection_id', '=', connectionId)
        .where(column, 'in', some)
        .orderBy('entity_id')
        .execute()),
    );
  return Map.groupBy(found, (row) => must(row[column]));
}

/**
 * Writes the job's counters, unless the job has ended. `progressed` is false for work that every attempt repeats: such
 * work does not count as progress. Returns the job's status, or undefined when the job has ended.
 */
export async function writeTally(
  tx: Tx,
  jobId: string,
  {
    tally,
    meter,
    progressed,
  }: { tally: Tally; meter: { requests: number; bytes: number }; progressed: boolean },
): Promise<SyncJobTable['status'] | undefined> {
  const now = Date.now();
  const row = await tx
    .updateTable('sync_jobs')
    .set({
      entities_inserted: tally.inserted,
      entities_updated: tally.updated,
      entities_deleted: tally.deleted,
      entities_missing: tally.missing,
      deletions_held_back: tally.heldBack,
      entities_kept: tally.kept,
      entities_skipped: tally.skipped,
      entities_failed: tally.failed,
      encountered: JSON.stringify(tally.encountered),
      left_out: JSON.stringify(tally.leftOut),
      // An older version began the job and did not count by type, so these counts would be incomplete.
      by_type: sql`case when by_type is null then by_type else ${JSON.stringify(tally.byType)} end`,
      skipped_by_reason: JSON.stringify(tally.skippedBy),
      secrets_found: tally.secrets,
      secret_examples: JSON.stringify(tally.secretExamples),
      chunks_written: tally.chunks,
      requests: meter.requests,
      bytes_fetched: meter.bytes,
      ...(progressed && { progressed_at: now }),
      modified_at: nextModifiedAt(now),
    })
    .where('id', '=', jobId)
    .where('status', 'in', ['RUNNING', 'CANCELLING'])
    .returning('status')
    .executeTakeFirst();
  return row?.status;
}

/** Notes that the pull has seen the rows. */
export async function markSeen(
  tx: Tx,
  collectionId: string,
  seen: readonly Touch[],
): Promise<void> {
  for (const [generation, rows] of Map.groupBy(seen, (one) => one.generation))
    for (const some of chunked(rows, IDS))
      await tx
        .updateTable('entities')
        .set({ generation })
        .where('collection_id', '=', collectionId)
        .where('id', 'in', idsOf(some))
        .execute();
}

const idsOf = (decisions: readonly { readonly stored: StoredEntity }[]): string[] =>
  decisions.map(({ stored }) => stored.id);

/** Writes version, place, hash of the file and times of records whose content is unchanged. */
export async function refresh(tx: Tx, collectionId: string, seen: readonly Touch[]): Promise<void> {
  for (const some of chunked(seen, ROWS)) {
    const rows = some.map(
      (one) =>
        sql`(${one.stored.id}, ${one.version}, ${one.partition}, ${one.parent}, ${one.contentHash}, ${one.createdAt}, ${one.updatedAt})`,
    );
    await sql`
      update entities set version = v.column2, partition = v.column3, parent = v.column4,
        content_hash = v.column5, source_created_at = cast(v.column6 as bigint),
        source_updated_at = cast(v.column7 as bigint)
      from (values ${sql.join(rows)}) as v
      where entities.collection_id = ${collectionId} and entities.id = v.column1`.execute(tx);
  }
}

/** Notes at which version of each record everything below it is stored. */
export async function noteBelow(
  tx: Tx,
  { collectionId, connectionId }: ConnectionScope,
  listed: readonly BelowListed[],
): Promise<void> {
  for (const some of chunked(listed, ROWS)) {
    const rows = some.map(({ id, version }) => sql`(${id}, ${version})`);
    await sql`
      update entities set below_version = v.column2 from (values ${sql.join(rows)}) as v
      where collection_id = ${collectionId} and connection_id = ${connectionId}
        and entity_id = v.column1 and origin is null`.execute(tx);
  }
}

export async function deleteEntities(
  tx: Tx,
  collectionId: string,
  ids: readonly string[],
): Promise<void> {
  for (const some of chunked(ids, IDS))
    await tx
      .deleteFrom('entities')
      .where('collection_id', '=', collectionId)
      .where('id', 'in', some)
      .execute();
}

/** `count` and `listed` may be negative. */
export async function addToCounts(
  tx: Tx,
  connectionId: string,
  deltas: readonly { type: string; count: number; listed: number }[],
): Promise<void> {
  if (deltas.length === 0) return;
  await tx
    .insertInto('entity_counts')
    .values(
      deltas.map(({ type, count, listed }) => ({
        connection_id: connectionId,
        entity_type: type,
        count,
        listed,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['connection_id', 'entity_type']).doUpdateSet((row) => ({
        count: sql<number>`entity_counts.count + ${row.ref('excluded.count')}`,
        listed: sql<number>`entity_counts.listed + ${row.ref('excluded.listed')}`,
      })),
    )
    .execute();
}

/** The row has its shown form apart from its raw one, where it was the same so far. A hidden row has no shown form. */
const SHOWN_APART = sql<Buffer | null>`case when is_hidden then null else coalesce(shown, raw) end`;

/** Stores the source's new content of records whose shown form stays as it is. */
export async function retain(
  tx: Tx,
  collectionId: string,
  retained: readonly PreparedRetain[],
): Promise<void> {
  for (const { stored, columns } of retained)
    await tx
      .updateTable('entities')
      .set({ ...columns, shown: SHOWN_APART })
      .where('collection_id', '=', collectionId)
      .where('id', '=', stored.id)
      .execute();
}

/** Notes that the chunks of these rows were made by this version. */
export async function markRenewed(
  tx: Tx,
  collectionId: string,
  { renewed, chunkVersion }: { readonly renewed: readonly Renew[]; readonly chunkVersion: string },
): Promise<void> {
  for (const some of chunked(renewed, IDS))
    await tx
      .updateTable('entities')
      .set({ chunk_version: chunkVersion })
      .where('collection_id', '=', collectionId)
      .where('id', 'in', idsOf(some))
      .execute();
}

export async function markDamaged(
  tx: Tx,
  collectionId: string,
  damaged: readonly Damage[],
): Promise<void> {
  for (const some of chunked(damaged, IDS))
    await tx
      .updateTable('entities')
      .set({ is_damaged: true })
      .where('collection_id', '=', collectionId)
      .where('id', 'in', idsOf(some))
      .execute();
}
