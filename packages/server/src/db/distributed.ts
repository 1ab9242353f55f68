/**
 * These tables have the contents of collections. Each of their rows has the id of its collection, which is a part of its
 * key on PostgreSQL, and a statement on them names the collection. So a cluster of Citus can keep all rows of a
 * collection on one server, and a commit or a search needs one of its servers (docs/scaling.md). All other tables stay
 * together on the coordinator.
 */
import type { Schema } from './schema.ts';

export const DISTRIBUTION_COLUMN = 'collection_id';

/** The others follow the first one, beside whose rows those of the same collection are kept. */
export const DISTRIBUTED_TABLES = [
  'indexes',
  'index_forms',
  'entities',
  'chunks',
  'chunk_bodies',
  'gone',
] as const satisfies readonly (keyof Schema)[];
