/** Gives a passage the form in which the agentic search shows it. */
import { instantOrNull } from '../../util.ts';
import type { Passage } from '../passage.ts';
import { placedUrl } from '../placed-url.ts';
import type { AgenticResult } from './schema.ts';

export const toAgenticResult = ({ id, score, row }: Passage): AgenticResult => ({
  entity_id: id,
  name: row.name,
  relevance_score: score,
  textual_representation: row.text,
  breadcrumbs: row.breadcrumbs.map((breadcrumb) => ({
    entity_id: breadcrumb.id,
    name: breadcrumb.name,
    entity_type: breadcrumb.type,
  })),
  place: row.place,
  web_url: placedUrl(row.url ?? '', row.place),
  created_at: instantOrNull(row.source_created_at) ?? '',
  updated_at: instantOrNull(row.source_updated_at) ?? '',
  service_system_metadata: {
    source_name: row.short_name,
    entity_type: row.entity_type,
    sync_id: row.sync_id,
    sync_job_id: row.sync_job_id ?? '',
    chunk_index: row.position,
    original_entity_id: row.entity_id,
  },
  access: { viewers: row.viewers, is_public: row.is_public },
  raw_source_fields: row.metadata,
});
