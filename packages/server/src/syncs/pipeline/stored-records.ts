/**
 * Reads the stored records of a connection for reprocessing and for the doctor, in the order of their ids at the source.
 * Few of them are in memory at once.
 */
import type { Db } from '../../db/schema.ts';
import type { ExtractedText } from '../../documents/extract.ts';
import { isCurrentExtract } from '../../documents/kinds.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import type { Entity } from '../../model/entity.ts';
import { groupedBySize, must } from '../../util.ts';
import { extractedOf } from './extract.ts';
import { decompress } from './record.ts';
import type { StoredEntity } from './store.ts';
import * as store from './stored-records-store.ts';

export interface StoredRecord {
  readonly stored: StoredEntity;
  /** The entity is undefined when the record cannot be read. */
  readonly entity: Entity | undefined;
}
export type ReadableRecord = StoredRecord & { readonly entity: Entity };

export const isReadable = (record: StoredRecord): record is ReadableRecord =>
  record.entity !== undefined;

export interface StoredRecordsQuery {
  readonly scope: ConnectionScope;
  /** `given` reads the records as the source gave them, `shown` all entities in the form that readers see. */
  readonly form: store.StoredForm;
  /** Reading begins after the record with this id at the source. Null means at the first one. */
  readonly after: string | null;
  /** A group of records has at most this many compressed bytes. A larger record is a group of its own. */
  readonly bytes: number;
  /** Only the rows for which this returns true are read. */
  readonly wanted?: (row: StoredEntity) => boolean;
}

/** Yields groups of records. */
export async function* storedRecords(
  db: Db,
  { scope, form, after, bytes, wanted = () => true }: StoredRecordsQuery,
): AsyncGenerator<StoredRecord[], void, void> {
  for (let last = after; ; ) {
    const page = await store.page(db, scope, { form, after: last });
    if (page.length === 0) return;
    last = must(page.at(-1)).entity_id;
    for (const group of groupedBySize(page.filter(wanted), ({ size }) => size, bytes)) {
      const ids = group.map(({ id }) => id);
      const records = await store.records(db, scope.collectionId, { form, ids });
      yield group.map((stored) => ({ stored, entity: read(records.get(stored.id)) }));
    }
  }
}

/** Reads the records of these rows as their source gave them. A record that cannot be read is missing. */
export async function givenRecords(
  db: Db,
  collectionId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Entity>> {
  const found = new Map<string, Entity>();
  for (const [id, record] of await store.records(db, collectionId, { form: 'given', ids })) {
    const entity = read(record);
    if (entity) found.set(id, entity);
  }
  return found;
}

/** Returns the text that was extracted of a file with this content, or null. */
export async function findExtracted(
  db: Db,
  scope: ConnectionScope,
  contentHash: string,
): Promise<ExtractedText | null> {
  const row = await store.recordWithContent(db, scope, contentHash);
  const record = row && isCurrentExtract(row.extract_version) ? read(row.raw) : undefined;
  return row && record ? extractedOf(record, row.extract_version) : null;
}

function read(record: Uint8Array | undefined): Entity | undefined {
  if (!record) return undefined;
  try {
    return decompress(record);
  } catch {
    // The callers count and mark such a record, and the next full sync asks the source for it again.
    return undefined;
  }
}
