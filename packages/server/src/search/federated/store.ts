/** Queries the connections whose sources are searched live. */
import type { Db } from '../../db/schema.ts';

export type FederatedConnection = Awaited<ReturnType<typeof federatedConnections>>[number];

/** Returns those of the connections that are not deleted, with what is needed to ask their sources. */
export const federatedConnections = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('connections')
    .select([
      'id',
      'organization_id',
      'collection_id',
      'short_name',
      'auth_method',
      'auth_provider_id',
      'config',
      'credentials',
      'credentials_key',
      'authenticated_at',
      'refused_at',
      'sync_id',
    ])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();

/** Returns those of the ids whose connections are not deleted. */
export async function liveAmong(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('connections')
    .select('id')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** Records that the source has refused the credentials of this row, unless they have been renewed meanwhile. */
export async function refuse(
  db: Db,
  { id, authenticated_at }: Pick<FederatedConnection, 'id' | 'authenticated_at'>,
): Promise<void> {
  await db
    .updateTable('connections')
    .set({ refused_at: Date.now() })
    .where('id', '=', id)
    .where('authenticated_at', '=', authenticated_at)
    .execute();
}
