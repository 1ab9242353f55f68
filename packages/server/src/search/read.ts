/** Gives a chunk the form in which a search shows it, and tells whether it may be shown. */
import { chunkId } from '../model/chunk.ts';
import type { Matchable } from '../model/filter-matches.ts';
import { instantOrNull } from '../util.ts';
import { placedUrl } from './placed-url.ts';
import type { SearchResult } from './schema.ts';
import type { ChunkHead, ChunkRow } from './store.ts';

/** Access control does not apply when the principals are null: the key sees its whole organization. */
export function maySee(
  principals: ReadonlySet<string> | null,
  access: Pick<ChunkHead, 'viewers' | 'is_public'>,
): boolean {
  if (principals === null || access.is_public || access.viewers === null) return true;
  return access.viewers.some((viewer) => principals.has(viewer));
}

export const idOf = (row: Pick<ChunkHead, 'entity_id' | 'position'>): string =>
  chunkId(row.entity_id, row.position);

export function toResult(row: ChunkRow, score: number): SearchResult {
  const system = {
    name: row.name,
    entity_type: row.entity_type,
    source_connection_id: row.connection_id,
    created_at: instantOrNull(row.source_created_at),
    updated_at: instantOrNull(row.source_updated_at),
    heading: row.heading,
    page: row.page,
    place: row.place,
    line: row.line,
  };
  return {
    entity_id: idOf(row),
    source_name: row.short_name,
    md_content: row.text,
    metadata: { ...besideSystem(row.metadata, system), ...system },
    score,
    breadcrumbs: row.breadcrumbs.map((breadcrumb) => breadcrumb.name),
    url: placedUrl(row.url ?? '', row.place),
    true_as_of: instantOrNull(row.true_as_of),
  };
}

/**
 * Gives the fields of a source names that neither hide a field of the system nor are hidden by one: `page` becomes
 * `source.page`. A field that the source itself calls `source.page` becomes `source.source.page`, so that two
 * fields never get the same name, and the name of a field depends on no other field.
 */
function besideSystem(
  fields: Readonly<Record<string, unknown>>,
  system: object,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const isTaken = Object.hasOwn(system, name.replace(/^(source\.)+/, ''));
      return [isTaken ? `source.${name}` : name, value];
    }),
  );
}

/** Returns a chunk as a filter sees it; the index applies the same filter to its rows. */
export const toMatchable = (
  row: Omit<ChunkRow, 'n' | 'scale' | 'vector' | 'collection_id' | 'true_as_of'>,
): Matchable => ({
  entity_id: idOf(row),
  original_entity_id: row.entity_id,
  name: row.name,
  source_name: row.short_name,
  entity_type: row.entity_type,
  sync_id: row.sync_id,
  sync_job_id: row.sync_job_id,
  chunk_index: row.position,
  created_at: instantOrNull(row.source_created_at),
  updated_at: instantOrNull(row.source_updated_at),
  breadcrumbs: row.breadcrumbs.map(({ id, name, type }) => ({
    entity_id: id,
    name,
    entity_type: type,
  })),
  access: {
    viewers: row.viewers,
    is_public: row.viewers === null && !row.is_public ? null : row.is_public,
  },
  metadata: row.metadata,
});
