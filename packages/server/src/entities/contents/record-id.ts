/**
 * The id of a record within its collection is `<connection>:<entity_id>`, because two connections may have
 * the same entity_id.
 */
const RECORD_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(.+)$/s;
const CHUNK = /^(.+)__chunk_\d+$/s;

export const recordId = (connection: string, entityId: string): string =>
  `${connection}:${entityId}`;

export interface NamedRecord {
  /** This is null when the id does not name a connection. */
  readonly connection: string | null;
  /**
   * These are the entity_ids that the id may mean, the most likely first. There may be two, because an entity_id may
   * look like the id of a chunk.
   */
  readonly entityIds: readonly string[];
}

/** Parses `<connection>:<entity_id>`, or an entity_id alone. Either of them may end with `__chunk_<number>`. */
export function readRecordId(id: string): NamedRecord {
  const [, connection = null, entityId = id] = RECORD_ID.exec(id) ?? [];
  const withoutChunk = CHUNK.exec(entityId)?.[1];
  return {
    connection,
    entityIds: withoutChunk === undefined ? [entityId] : [entityId, withoutChunk],
  };
}
