/** Turns a row of a record into the shape that lists and grep return. */
import { instantOrNull } from '../../util.ts';
import { recordId } from './record-id.ts';
import type { ContentItem } from './schema.ts';
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
});
