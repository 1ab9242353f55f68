/**
 * These queries summarize the connections of the collections of a page: how many there are, as of when their records
 * are true, and how many entities they have. Commits keep the counts, so no query counts entities.
 */
import type { Db } from '../db/schema.ts';

export interface SourceSummary {
  readonly connections: number;
  /** This counts the connections of which a sync has completed. */
  readonly synced: number;
  /** This is the oldest time as of which one of the synced connections is true. */
  readonly oldest: number | null;
}

export interface CollectionSummary {
  /** The summaries have the short names of the sources as keys. */
  readonly sources: ReadonlyMap<string, SourceSummary>;
  readonly counts: readonly {
    readonly short_name: string;
    readonly entity_type: string;
    readonly count: number;
  }[];
}

/** A collection without connections is not in the result. */
export async function summaries(
  db: Db,
  collectionIds: readonly string[],
): Promise<Map<string, CollectionSummary>> {
  if (collectionIds.length === 0) return new Map();
  const live = db
    .selectFrom('connections')
    .where('connections.collection_id', 'in', collectionIds)
    .where('connections.deleted_at', 'is', null);
  const sources = await live
    .select((eb) => [
      'connections.collection_id',
      'connections.short_name',
      eb.fn.countAll<number>().as('connections'),
      eb.fn.count<number>('connections.true_as_of').as('synced'),
      eb.fn.min<number | null>('connections.true_as_of').as('oldest'),
    ])
    .groupBy(['connections.collection_id', 'connections.short_name'])
    .execute();
  const counts = await live
    .innerJoin('entity_counts', 'entity_counts.connection_id', 'connections.id')
    .where('entity_counts.count', '>', 0)
    .select((eb) => [
      'connections.collection_id',
      'connections.short_name',
      'entity_counts.entity_type',
      eb.fn.sum<number>('entity_counts.count').as('count'),
    ])
    .groupBy(['connections.collection_id', 'connections.short_name', 'entity_counts.entity_type'])
    .orderBy('entity_counts.entity_type')
    .execute();
  const countsOf = Map.groupBy(counts, ({ collection_id }) => collection_id);
  return new Map(
    [...Map.groupBy(sources, ({ collection_id }) => collection_id)].map(([id, rows]) => [
      id,
      {
        sources: new Map(
          rows.map(({ short_name, connections, synced, oldest }) => [
            short_name,
            { connections: Number(connections), synced: Number(synced), oldest },
          ]),
        ),
        counts: (countsOf.get(id) ?? []).map((row) => ({ ...row, count: Number(row.count) })),
      },
    ]),
  );
}
