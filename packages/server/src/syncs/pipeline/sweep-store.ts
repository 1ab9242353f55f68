/** These are the queries that find the entities that a pull did not see. */
import type { Db, Tx } from '../../db/schema.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import { chunked } from '../../util.ts';
import { STORED, type StoredEntity } from './store.ts';

/** This keeps the bind variables of a statement below the limits of both databases. */
const IDS = 500;

export interface Pull extends ConnectionScope {
  readonly generation: number;
}

/**
 * Marks the stored entities of records that failed, and everything below them, so that this pull does not sweep them:
 * the records still exist.
 */
export async function spare(
  tx: Tx,
  { collectionId, connectionId, generation }: Pull,
  ids: readonly string[],
): Promise<void> {
  for (const some of chunked(ids, IDS))
    for (const column of ['entity_id', 'origin', 'parent'] as const)
      await tx
        .updateTable('entities')
        .set({ spared: generation })
        .where('collection_id', '=', collectionId)
        .where('connection_id', '=', connectionId)
        .where(column, 'in', some)
        .execute();
}

/** Selects stored entities that the pull has neither seen nor spared. */
const unseenBy = (db: Db, { collectionId, connectionId, generation }: Pull) =>
  db
    .selectFrom('entities')
    .where('collection_id', '=', collectionId)
    .where('connection_id', '=', connectionId)
    .where('generation', '<', generation)
    .where('spared', '<', generation);

/**
 * Counts, by partition, the shown entities that the pull did not see. A partition whose unseen entities are all hidden
 * is in the result with the count 0.
 */
export async function unseenPartitions(
  db: Db,
  pull: Pull,
): Promise<{ partition: string; count: number }[]> {
  const rows = await unseenBy(db, pull)
    .select((eb) => [
      'partition',
      eb.fn.countAll<number>().filterWhere('is_hidden', '=', false).as('count'),
    ])
    .groupBy('partition')
    .execute();
  return rows.map(({ partition, count }) => ({ partition, count: Number(count) }));
}

/** Counts the shown entities of one partition that the pull did not see. */
export async function countUnseen(
  db: Db,
  pull: Pull & { readonly partition: string },
): Promise<number> {
  const { count } = await unseenBy(db, pull)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('partition', '=', pull.partition)
    .where('is_hidden', '=', false)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns row ids of shown entities of these partitions that the pull did not see. */
export async function unseenIn(
  db: Db,
  pull: Pull,
  { partitions, limit }: { readonly partitions: readonly string[]; readonly limit: number },
): Promise<string[]> {
  const found: string[] = [];
  for (const some of chunked(partitions, IDS)) {
    if (found.length >= limit) break;
    const rows = await unseenBy(db, pull)
      .select('id')
      .where('partition', 'in', some)
      .where('is_hidden', '=', false)
      .limit(limit - found.length)
      .execute();
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

export const unseen = (
  db: Db,
  pull: Pull & { readonly partition: string; readonly limit: number },
): Promise<StoredEntity[]> =>
  unseenBy(db, pull)
    .select(STORED)
    .where('partition', '=', pull.partition)
    .limit(pull.limit)
    .execute();

export async function totalEntities(db: Db, connectionId: string): Promise<number> {
  const row = await db
    .selectFrom('entity_counts')
    .select((eb) => eb.fn.sum<number | null>('count').as('total'))
    .where('connection_id', '=', connectionId)
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}
