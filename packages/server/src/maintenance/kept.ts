/** Stored records as they are read back. */
import type { Db } from '../db/schema.ts';
import type { Entity } from '../model/entity.ts';
import { decompress } from '../syncs/record.ts';
import { type RecordSize, records } from './remake-store.ts';

export interface Kept {
  readonly row: string;
  readonly entityId: string;
  readonly recipe: string;
  /** Undefined when the record cannot be read. */
  readonly entity: Entity | undefined;
}

export type Readable = Kept & { readonly entity: Entity };

export const wasRead = (one: Kept): one is Readable => one.entity !== undefined;

/** Of at most so many compressed bytes together, or one alone. */
export function* bySize(page: readonly RecordSize[], bytes: number): Generator<RecordSize[]> {
  let some: RecordSize[] = [];
  let size = 0;
  for (const record of page) {
    if (some.length > 0 && size + record.size > bytes) {
      yield some;
      some = [];
      size = 0;
    }
    some.push(record);
    size += record.size;
  }
  if (some.length > 0) yield some;
}

export async function readKept(db: Db, some: readonly RecordSize[]): Promise<Kept[]> {
  const rows = await records(
    db,
    some.map(({ id }) => id),
  );
  return rows.map(({ id, entity_id, recipe, raw }) => ({
    row: id,
    entityId: entity_id,
    recipe,
    entity: readRecord(raw),
  }));
}

function readRecord(raw: Uint8Array): Entity | undefined {
  try {
    return decompress(raw);
  } catch {
    // Named, counted and marked by whoever reads it: the next full sync asks the source for it again.
    return undefined;
  }
}
