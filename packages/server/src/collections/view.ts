/**
 * This file turns a collection into the shape that the API shows, and a change of a collection into its event. The
 * status is not stored: it is computed from facts at each read.
 */
import type { OutboxEvent } from '../events/types.ts';
import { instant } from '../util.ts';
import type { Collection } from './schema.ts';
import type { CollectionRow, CollectionWithFacts } from './store.ts';

export const toCollection = (row: CollectionWithFacts): Collection => ({
  id: row.id,
  name: row.name,
  readable_id: row.readable_id,
  vector_size: row.vector_size,
  embedding_model_name: row.embedding_model_name,
  sync_config: row.sync_config,
  status: statusOf(row),
  organization_id: row.organization_id,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
  created_by_email: row.created_by_email,
  modified_by_email: row.modified_by_email,
});

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
