/**
 * This file turns a collection into the shape that the API shows, and a change of a collection into its event. The
 * status is not stored: it is computed from facts at each read.
 */
import type { OutboxEvent } from '../events/types.ts';
import { instant, instantOrNull, must } from '../util.ts';
import type { Collection } from './schema.ts';
import type { CollectionRow, CollectionWithFacts } from './store.ts';
import type { CollectionSummary, SourceSummary } from './summary-store.ts';

export const toCollection = (
  row: CollectionWithFacts,
  { sources, counts }: CollectionSummary,
  federated: readonly string[],
): Collection => ({
  id: row.id,
  name: row.name,
  readable_id: row.readable_id,
  vector_size: row.vector_size,
  embedding_model_name: row.embedding_model_name,
  sync_config: row.sync_config,
  status: statusOf(row),
  true_as_of: instantOrNull(oldestOf(sources, federated)),
  source_connections: row.connections,
  entities: entitiesOf(sources, counts),
  organization_id: row.organization_id,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
  created_by_email: row.created_by_email,
  modified_by_email: row.modified_by_email,
});

/** A federated source is asked live, so its connections do not count. */
function oldestOf(
  sources: CollectionSummary['sources'],
  federated: readonly string[],
): number | null {
  const copied = [...sources].filter(([name]) => !federated.includes(name)).map(([, one]) => one);
  const isComplete = copied.every(({ connections, synced }) => connections === synced);
  const times = copied.map(({ oldest }) => oldest).filter((time) => time !== null);
  return isComplete && times.length > 0 ? Math.min(...times) : null;
}

function entitiesOf(
  sources: ReadonlyMap<string, SourceSummary>,
  counts: CollectionSummary['counts'],
): Collection['entities'] {
  const byType = new Map<string, { count: number }>();
  const bySource = new Map(
    [...sources].map(([name, { connections }]) => [
      name,
      { count: 0, source_connections: connections },
    ]),
  );
  let total = 0;
  for (const { short_name, entity_type, count } of counts) {
    total += count;
    byType.set(entity_type, { count: (byType.get(entity_type)?.count ?? 0) + count });
    must(bySource.get(short_name)).count += count;
  }
  return {
    total_entities: total,
    by_type: Object.fromEntries(byType),
    by_source: Object.fromEntries(bySource),
  };
}

/**
 * After the first completed sync the status is never NEEDS_SOURCE again, even without connections: the records of that
 * sync still exist, or were deleted on purpose.
 */
export function statusOf(
  facts: Pick<CollectionWithFacts, 'connections' | 'failing' | 'federated' | 'synced_at'>,
): Collection['status'] {
  if (facts.connections > 0 && facts.failing === facts.connections) return 'ERROR';
  return facts.synced_at === null && facts.federated === 0 ? 'NEEDS_SOURCE' : 'ACTIVE';
}

export const collectionEvent = (
  type: 'collection.created' | 'collection.updated' | 'collection.deleted',
  row: CollectionRow,
): OutboxEvent => ({
  type,
  organizationId: row.organization_id,
  collectionId: row.id,
  connectionId: null,
  fields: {
    collection_id: row.id,
    collection_readable_id: row.readable_id,
    collection_name: row.name,
  },
});
