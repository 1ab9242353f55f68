/** These are the queries that note which transformers the stored records of a connection have passed. */
import type { Db, Tx } from '../../db/schema.ts';
import type { ConnectionScope } from '../../engines/ports.ts';

/** This value stands for stored records of which some may not have passed the transformers of their connection. */
export const INCOMPLETE = 'incomplete';

/** Writes the signature of the transformers that all stored records have passed, or INCOMPLETE. */
export async function writeTransformed(
  tx: Tx,
  connectionId: string,
  signature: string,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ transformed: signature })
    .where('id', '=', connectionId)
    .execute();
}

/** Returns true when transformers have failed a readable stored record of the connection. */
export async function hasFailedRecords(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
): Promise<boolean> {
  const row = await db
    .selectFrom('entities')
    .select('id')
    .where('collection_id', '=', collectionId)
    .where('connection_id', '=', connectionId)
    .where('failed_attempt', 'is not', null)
    .where('is_damaged', '=', false)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
