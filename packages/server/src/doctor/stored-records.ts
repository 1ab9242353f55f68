/** Reads stored records back. */
import type { Db } from '../db/schema.ts';
import type { Entity } from '../model/entity.ts';
import type { RecordSize } from '../syncs/pipeline/pages.ts';
import { decompress } from '../syncs/pipeline/record.ts';
import { records } from './remake-store.ts';

export interface StoredRecord {
  readonly row: string;
  readonly entityId: string;
  readonly recipe: string;
  /** The entity is undefined when its record cannot be read. */
  readonly entity: Entity | undefined;
}

export type Readable = StoredRecord & { readonly entity: Entity };

export const wasRead = (one: StoredRecord): one is Readable => one.entity !== undefined;

export async function readKept(db: Db, some: readonly RecordSize[]): Promise<StoredRecord[]> {
  const rows = await records(
    db,
    some.map(({ id }) => id),
  );
  return rows.map(({ id, entity_id, recipe, record }) => ({
    row: id,
    entityId: entity_id,
    recipe,
    entity: readRecord(record),
  }));
}

function readRecord(raw: Uint8Array): Entity | undefined {
  try {
    return decompress(raw);
  } catch {
    // The callers name, count and mark such a record, and the next full sync asks the source for it again.
    return undefined;
  }
}
