/** These queries remove the rows of deleted connections and collections. */
import type { Db, Tx } from '../../db/schema.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import { forgetRefusals } from '../jobs/refusal-store.ts';

export async function someEntities(
  db: Db,
  { collectionId, connectionId }: ConnectionScope,
  limit: number,
) {
  const rows = await db
    .selectFrom('entities')
    .select('id')
    .where('collection_id', '=', collectionId)
    .where('connection_id', '=', connectionId)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export const removeEntities = (tx: Tx, collectionId: string, ids: readonly string[]) =>
  tx
    .deleteFrom('entities')
    .where('collection_id', '=', collectionId)
    .where('id', 'in', ids)
    .execute();

export async function someJobs(db: Db, connectionId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('sync_jobs')
    .select('id')
    .where('connection_id', '=', connectionId)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function removeConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx.deleteFrom('entity_counts').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('entity_count_points').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('entity_fields').where('connection_id', '=', connectionId).execute();
  await forgetRefusals(tx, connectionId);
  await tx.deleteFrom('job_counts').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('connection_tokens').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('push_keys').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('folder_watches').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('browser_sign_ins').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('connections').where('id', '=', connectionId).execute();
}

export async function connectionsOf(db: Db, collectionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('connections')
    .select('id')
    .where('collection_id', '=', collectionId)
    .execute();
  return rows.map(({ id }) => id);
}

export const removeCollection = (tx: Tx, collectionId: string) =>
  tx.deleteFrom('collections').where('id', '=', collectionId).execute();
