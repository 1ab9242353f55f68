/**
 * The id of a record within its collection is `<connection>:<entity_id>`, because two connections may have
 * the same entity_id.
 */
const FORM = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(.+)$/s;
const CHUNK = /^(.+)__chunk_\d+$/s;

export const recordId = (connection: string, entityId: string): string =>
  `${connection}:${entityId}`;

export interface NamedRecord {
  /** The connection is null when any connection may have the entity. */
  readonly connection: string | null;
  /** The id may mean any of these, the likeliest first, because an entity_id may look like that of a chunk. */
  readonly entityIds: readonly string[];
}

/** Takes the id of a record, of an entity in its source, or of a chunk. */
export function readRecordId(id: string): NamedRecord {
  const [, connection = null, entityId = id] = FORM.exec(id) ?? [];
  const whole = CHUNK.exec(entityId)?.[1];
  return { connection, entityIds: whole === undefined ? [entityId] : [entityId, whole] };
}
