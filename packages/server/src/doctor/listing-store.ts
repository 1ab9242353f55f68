/** Reads the stored records of a connection that come from its source, to compare them with the source. */
import type { Db } from '../db/schema.ts';
import type { ConnectionScope } from '../engines/ports.ts';

const ENTITIES_PER_PAGE = 2000;

/** Returns a page of records in the order of their ids at the source. */
export async function storedPage(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  after: string | null,
) {
  const page = db
    .selectFrom('entities')
    .select(['id', 'entity_id', 'partition', 'parent'])
    .where('collection_id', '=', collectionId)
    .where('connection_id', '=', connectionId)
    .where('origin', 'is', null)
    .orderBy('entity_id')
    .limit(ENTITIES_PER_PAGE);
  const rows = await (after === null ? page : page.where('entity_id', '>', after)).execute();
  return { rows, next: rows.length < ENTITIES_PER_PAGE ? null : (rows.at(-1)?.entity_id ?? null) };
}
