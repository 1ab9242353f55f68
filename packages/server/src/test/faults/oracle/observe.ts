/** Reads everything that is committed, without the code under test. */
import type { SyncStatus } from '../../../model/sync-status.ts';
import type { Reading } from './reading.ts';

export interface EntityRow {
  readonly id: string;
  readonly connection_id: string;
  readonly collection_id: string;
  readonly entity_id: string;
  readonly entity_type: string;
  readonly generation: number;
  readonly extract_version: string;
  readonly chunk_version: string;
  readonly is_searchable: number;
  readonly is_listable: number;
  readonly chain: string | null;
  readonly chain_version: string | null;
  readonly version: string | null;
  readonly partition: string;
  readonly parent: string | null;
  readonly below_version: string | null;
  readonly is_listed: number;
  readonly name: string;
  readonly url: string | null;
  readonly breadcrumbs: string;
  readonly source_created_at: number | null;
  readonly source_updated_at: number | null;
  readonly viewers: string | null;
  readonly is_public: number;
  readonly metadata: string;
}

export interface ChunkRow {
  readonly n: number;
  readonly connection_id: string;
  readonly entity: string;
  readonly position: number;
  readonly heading: string | null;
  readonly length: number;
  readonly text: string | null;
  readonly scale: number | null;
  readonly vector: Uint8Array | null;
  readonly terms: Uint8Array | null;
}

export interface JobRow {
  readonly id: string;
  readonly connection_id: string;
  readonly status: SyncStatus;
  readonly trigger: string;
  readonly full: number;
  readonly accept_deletions: number;
  readonly attempt: number;
  readonly waits_until: number | null;
  readonly begun_again: number;
  readonly generation: number;
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_deleted: number;
  readonly entities_kept: number;
  readonly entities_skipped: number;
  readonly entities_failed: number;
  readonly encountered: string;
  readonly left_out: string;
  readonly by_type: string;
  readonly chunks_written: number;
  readonly sync_config: string | null;
  readonly error: string | null;
  readonly error_details: string | null;
  readonly skipped_by_reason: string;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly created_at: number;
  readonly failures: number;
  /** Lists the skipped records with their ids and reasons. */
  readonly skips: string;
}

export interface CollectionRow {
  readonly id: string;
  readonly organization_id: string;
  readonly readable_id: string;
  readonly name: string;
  readonly sync_config: string | null;
  readonly deleted_at: number | null;
}

export interface ConnectionRow {
  readonly id: string;
  readonly organization_id: string;
  readonly sync_id: string;
  readonly collection_id: string;
  readonly config: string;
  readonly configured_at: number;
  readonly short_name: string;
  readonly cursor: string | null;
  readonly continuous: number;
  readonly full_every: number | null;
  readonly deleted_at: number | null;
  readonly refused_at: number | null;
  readonly next_run_at: number | null;
  readonly total_runs: number;
  readonly successful_runs: number;
  readonly failed_runs: number;
}

export type Observer = ReturnType<typeof createObserver>;

export interface IndexRow {
  readonly number: number;
  readonly collection_id: string;
  readonly version: number;
  readonly chunks: number;
  readonly terms: number;
}

export function createObserver({ all }: Reading) {
  /** Maps queries to their results, since a table that was not written need not be read again. */
  const known = new Map<string, { readonly tables: readonly string[]; readonly rows: unknown }>();
  const rowsOf = <Row>(tables: readonly string[], query: string): readonly Row[] => {
    const found = known.get(query);
    if (found) return found.rows as readonly Row[];
    const rows = all<Row>(query);
    known.set(query, { tables, rows });
    return rows;
  };

  return {
    all,
    /** Forgets the results from these tables, which have been written. */
    forget(written: ReadonlySet<string>): void {
      for (const [query, { tables }] of known)
        if (tables.some((table) => written.has(table))) known.delete(query);
    },
    collections: () => rowsOf<CollectionRow>(['collections'], COLLECTIONS),
    connections: () => rowsOf<ConnectionRow>(['connections'], CONNECTIONS),
    jobs: () => rowsOf<JobRow>(['sync_jobs', 'left_out_records'], JOBS),
    /** Returns the first job of each lane, because the others wait for it. */
    firstInLine: () =>
      rowsOf<{ run_at: number; lease_token: string | null; lease_until: number | null }>(
        ['jobs'],
        `select run_at, lease_token, lease_until from jobs where not exists
           (select 1 from jobs as before where before.lane = jobs.lane and before.seq < jobs.seq)`,
      ),
    entities: () => rowsOf<EntityRow>(['entities'], ENTITIES),
    counts: () =>
      rowsOf<{ connection_id: string; entity_type: string; count: number; listed: number }>(
        ['entity_counts'],
        'select * from entity_counts where count <> 0 or listed <> 0',
      ),
    fields: () =>
      rowsOf<{
        connection_id: string;
        entity_type: string;
        field: string;
        count: number;
        open: number;
      }>(['entity_fields'], 'select * from entity_fields'),
    chunks: () => rowsOf<ChunkRow>(['chunks', 'chunk_bodies'], CHUNKS),
    orphans: () =>
      rowsOf<{ n: number }>(
        ['chunks', 'chunk_bodies'],
        'select n from chunk_bodies where n not in (select n from chunks)',
      ),
    indexes: () =>
      rowsOf<IndexRow>(
        ['indexes'],
        'select number, collection_id, version, chunks, terms from indexes',
      ),
    count: (table: string): number =>
      all<{ count: number }>(`select count(*) as count from ${table}`)[0]!.count,
  };
}

const ENTITIES = `select id, connection_id, collection_id, entity_id, entity_type, generation,
  extract_version, chunk_version, is_searchable, is_listable, chain, chain_version,
  version, partition, parent, below_version, is_listed, name, url, breadcrumbs, source_created_at, source_updated_at, viewers,
  is_public, metadata from entities`;
const CHUNKS = `select c.n, c.connection_id, c.entity, c.position, c.heading, c.length, b.text, b.scale,
  b.vector, b.terms from chunks c left join chunk_bodies b on b.n = c.n order by c.n`;
const COLLECTIONS = `select id, organization_id, readable_id, name, sync_config, deleted_at
  from collections`;
const CONNECTIONS = `select id, organization_id, sync_id, collection_id, config, configured_at, short_name,
  cursor, continuous, full_every, deleted_at, refused_at, next_run_at, total_runs, successful_runs, failed_runs
  from connections order by id`;
const JOBS = `select id, connection_id, status, trigger, "full", accept_deletions, attempt, waits_until,
  begun_again,   generation, entities_inserted, entities_updated, entities_deleted, entities_kept, entities_skipped,
  entities_failed, encountered, left_out, by_type, chunks_written, sync_config, error, error_details,
  skipped_by_reason, started_at, completed_at, created_at,
  (select count(*) from left_out_records r where r.job_id = sync_jobs.id and r.kind = 'fail') as failures,
  (select json_group_array(json_array(r.entity_id, r.message)) from left_out_records r
    where r.job_id = sync_jobs.id and r.kind = 'skip') as skips
  from sync_jobs order by id`;
