/**
 * Gives the records that a source has found the shape of a chunk. The records come from outside, so they are checked:
 * sizes are limited, links may lead only to the web, and the connection is always the one that was asked, whatever a
 * record says.
 */
import { split } from '../../documents/split.ts';
import type { Entity } from '../../model/entity.ts';
import { storableJson, storableText } from '../../model/storable.ts';
import type { Source } from '../../sources/define.ts';
import { shapeOf } from '../../sources/definitions.ts';
import type { ChunkRow } from '../store.ts';
import type { FederatedConnection } from './store.ts';

/** A live row is a chunk that has neither a number nor a vector yet. */
export type LiveRow = Omit<ChunkRow, 'n' | 'scale' | 'vector'>;

/** The lengths are in characters. */
const LONGEST_ID = 2000;
const LONGEST_NAME = 1000;
const LONGEST_URL = 4000;
/** Only this much of a text is split, because its first chunk, which becomes the row, is shorter. */
const LONGEST_TEXT = 20_000;
const MAX_BREADCRUMBS = 50;

/** Returns undefined for a record whose type the source does not declare, or whose fields or id do not fit. */
export function toRow(
  source: Source,
  connection: Pick<FederatedConnection, 'id' | 'short_name' | 'collection_id' | 'sync_id'>,
  entity: Entity,
): LiveRow | undefined {
  const fields = shapeOf(source, entity.type)?.safeParse(storableJson(entity.fields));
  const id = storableText(entity.id);
  if (!fields?.success || id === '' || id.length > LONGEST_ID) return undefined;
  const name = storableText(entity.name.slice(0, LONGEST_NAME));
  const [piece] = split({ name, text: storableText(entity.text.slice(0, LONGEST_TEXT)) });
  return {
    position: 0,
    heading: piece?.heading ?? null,
    page: null,
    place: null,
    line: null,
    text: piece?.text ?? '',
    entity_id: id,
    entity_type: entity.type,
    name,
    url: webUrl(entity.url),
    breadcrumbs: (entity.breadcrumbs ?? []).slice(0, MAX_BREADCRUMBS).map((breadcrumb) => ({
      id: storableText(breadcrumb.id.slice(0, LONGEST_ID)),
      name: storableText(breadcrumb.name.slice(0, LONGEST_NAME)),
      type: storableText(breadcrumb.type.slice(0, LONGEST_NAME)),
    })),
    source_created_at: time(entity.createdAt),
    source_updated_at: time(entity.updatedAt),
    viewers: entity.access?.viewers ? [...entity.access.viewers] : null,
    is_public: entity.access?.isPublic ?? false,
    metadata: fields.data,
    connection_id: connection.id,
    collection_id: connection.collection_id,
    sync_id: connection.sync_id,
    true_as_of: null,
    sync_job_id: null,
    short_name: connection.short_name,
  };
}

function webUrl(url: string | undefined): string | null {
  if (url === undefined || url.length > LONGEST_URL) return null;
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? storableText(url) : null;
}

const time = (date: Date | undefined): number | null =>
  date && !Number.isNaN(date.getTime()) ? date.getTime() : null;
