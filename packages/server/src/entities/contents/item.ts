/** Turns a row of a record into the shape that lists and grep return. */
import { instant, instantOrNull } from '../../util.ts';
import { recordId } from './record-id.ts';
import type { ContentDocument, ContentItem } from './schema.ts';
import type { ContentEntityRow } from './store.ts';

export const toItem = (row: ContentEntityRow): ContentItem => ({
  id: recordId(row.connection_id, row.entity_id),
  entity_id: row.entity_id,
  name: row.name,
  entity_type: row.entity_type,
  source_name: row.short_name,
  breadcrumbs: row.breadcrumbs.map((breadcrumb) => breadcrumb.name),
  url: row.url ?? '',
  updated_at: instantOrNull(row.source_updated_at),
  true_as_of: instantOrNull(row.true_as_of),
});

/** Says where a record comes from. */
export const originOf = (row: ContentEntityRow) =>
  ({
    entity_record_id: row.id,
    source_connection_id: row.connection_id,
    source_connection_name: row.connection_name,
    sync_job_id: row.sync_job_id,
    first_written_at: instant(row.created_at),
    last_written_at: instant(row.modified_at),
  }) satisfies Partial<ContentDocument>;
