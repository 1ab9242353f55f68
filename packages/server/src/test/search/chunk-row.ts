/** Makes a chunk as a search reads it. A test names only the columns that matter to it. */
import type { ChunkRow } from '../../search/store.ts';

export const chunkRow = (over: Partial<ChunkRow> = {}): ChunkRow => ({
  n: 1,
  position: 0,
  heading: null,
  page: null,
  text: '',
  scale: 1,
  vector: new Uint8Array(),
  entity_id: 'e',
  entity_type: 'Note',
  name: '',
  url: null,
  breadcrumbs: [],
  source_created_at: null,
  source_updated_at: null,
  viewers: null,
  is_public: false,
  metadata: {},
  connection_id: 'c',
  collection_id: 'k',
  true_as_of: null,
  sync_id: 's',
  sync_job_id: null,
  short_name: 'push',
  ...over,
});
