/** Reads everything that is committed, past the code under test. */
import type { SyncStatus } from '../../../model/sync-status.ts';
import type { Reading } from './reading.ts';

export interface EntityRow {
  readonly id: string;
  readonly connection_id: string;
  readonly collection_id: string;
  readonly entity_id: string;
  readonly entity_type: string;
  readonly generation: number;
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
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
}

export interface JobRow {
  readonly id: string;
  readonly connection_id: string;
  readonly status: SyncStatus;
  readonly trigger: string;
  readonly full: number;
  readonly accept_deletions: number;
  readonly attempt: number;
  readonly lease_token: string | null;
  readonly generation: number;
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_deleted: number;
  readonly entities_kept: number;
  readonly entities_skipped: number;
  readonly entities_failed: number;
  readonly encountered: string;
  readonly left_out: string;
  readonly chunks_written: number;
  readonly sync_config: string | null;
  readonly error: string | null;
  readonly error_details: string | null;
  readonly failures: number;
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
  readonly deleted_at: number | null;
  readonly refused_at: number | null;
  readonly total_runs: number;
  readonly successful_runs: number;
  readonly failed_runs: number;
}

export type Observer = ReturnType<typeof createObserver>;

export function createObserver({ all, vocabulary }: Reading) {
  const words = new Map<number, Map<number, string[]>>();
  let chunks: readonly ChunkRow[] | undefined;
  let orphans: readonly { n: number }[] | undefined;
  let inLine: readonly { run_at: number; lease_token: string | null }[] | undefined;

  return {
    all,
    entities: () => all<EntityRow>(ENTITIES),
    chunks(): readonly ChunkRow[] {
      chunks ??= all<ChunkRow>(CHUNKS);
      return chunks;
    },
    /** These statements have been committed: what is remembered of their tables is out of date. */
    forget(writes: readonly string[]): void {
      for (const write of writes) {
        if (/chunk/.test(write)) chunks = orphans = undefined;
        if (/fts_/.test(write)) words.clear();
        if (/\bjobs\b/.test(write)) inLine = undefined;
      }
    },
    jobs: () => all<JobRow>(JOBS),
    jobsInLine() {
      inLine ??= all('select run_at, lease_token from jobs');
      return inLine!;
    },
    connections: () => all<ConnectionRow>('select * from connections order by id'),
    indexes: () =>
      all<{
        number: number;
        collection_id: string;
        version: number;
        chunks: number;
        terms: number;
      }>('select number, collection_id, version, chunks, terms from indexes'),
    counts: () =>
      all<{ connection_id: string; entity_type: string; count: number; listed: number }>(
        'select * from entity_counts where count <> 0 or listed <> 0',
      ),
    orphans() {
      orphans ??= all('select n from chunk_bodies where n not in (select n from chunks)');
      return orphans!;
    },
    /** Terms by number of chunk, sorted: what the full-text table really has. */
    words(index: number): ReadonlyMap<number, readonly string[]> {
      const known = words.get(index);
      if (known) return known;
      const rows = all<{ doc: number; terms: string }>(
        `select doc, group_concat(term, ' ') as terms from ${vocabulary(index, 'instance')} group by doc`,
      );
      const found = new Map(rows.map(({ doc, terms }) => [doc, terms.split(' ').toSorted()]));
      words.set(index, found);
      return found;
    },
    count: (table: string): number =>
      all<{ count: number }>(`select count(*) as count from ${table}`)[0]!.count,
  };
}

const ENTITIES = `select id, connection_id, collection_id, entity_id, entity_type, generation, recipe,
  version, partition, is_listed, name, url, breadcrumbs, source_created_at, source_updated_at, viewers,
  is_public, metadata from entities`;
const CHUNKS = `select c.n, c.connection_id, c.entity, c.position, c.heading, c.length, b.text, b.scale,
  b.vector from chunks c left join chunk_bodies b on b.n = c.n order by c.n`;
const JOBS = `select *, (select count(*) from job_failures f where f.job_id = sync_jobs.id) as failures
  from sync_jobs order by id`;
