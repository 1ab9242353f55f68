/** Inserts rows that a sync would have made, for tests of what the API shows of them. */
import type { Insertable, Kysely } from 'kysely';
import type {
  AuthProviderTable,
  CollectionTable,
  ConnectionTable,
  EntityTable,
  OrganizationTable,
  Schema,
  SyncJobTable,
} from '../../db/schema.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import { addToFields } from '../../syncs/pipeline/field-store.ts';
import { newId } from '../../util.ts';

export async function insertOrganization(
  db: Kysely<Schema>,
  id = newId(),
  changes: Partial<Insertable<OrganizationTable>> = {},
): Promise<string> {
  const row = { id, name: 'An organization', feature_flags: '[]', quotas: '{}' };
  const times = { created_at: 0, modified_at: 0 };
  await db
    .insertInto('organizations')
    .values({ ...row, ...times, ...changes })
    .execute();
  return id;
}

export async function insertCollection(
  db: Kysely<Schema>,
  collection: { id: string; organization_id: string },
  changes: Partial<Insertable<CollectionTable>> = {},
): Promise<void> {
  await db
    .insertInto('collections')
    .values({
      ...collection,
      readable_id: collection.id,
      name: 'A collection',
      folded_name: 'a collection',
      vector_size: 2,
      embedding_model_name: 'm',
      created_at: 0,
      modified_at: 0,
      created_by_email: 'owner@localhost',
      modified_by_email: 'owner@localhost',
      ...changes,
    })
    .execute();
}

export async function insertAuthProvider(
  db: Kysely<Schema>,
  { organization_id }: { organization_id: string },
  sealed: Pick<Insertable<AuthProviderTable>, 'id' | 'credentials' | 'credentials_key'> &
    Partial<Insertable<AuthProviderTable>>,
): Promise<void> {
  await db
    .insertInto('auth_providers')
    .values({
      organization_id,
      readable_id: sealed.id,
      name: 'A provider',
      short_name: 'custom',
      created_at: 0,
      modified_at: 0,
      created_by_email: 'owner@localhost',
      modified_by_email: 'owner@localhost',
      ...sealed,
    })
    .execute();
}

export async function insertConnection(
  db: Kysely<Schema>,
  collection: { id: string; organization_id: string },
  changes: Partial<Insertable<ConnectionTable>> = {},
): Promise<string> {
  const id = newId();
  const now = Date.now();
  await db
    .insertInto('connections')
    .values({
      id,
      organization_id: collection.organization_id,
      collection_id: collection.id,
      name: 'A connection',
      short_name: 'files',
      config: '{}',
      auth_method: 'direct',
      authenticated_at: now,
      configured_at: now,
      continuous: false,
      transformers: '[]',
      sync_id: newId(),
      generation: 0,
      total_runs: 0,
      successful_runs: 0,
      failed_runs: 0,
      created_at: now,
      modified_at: now,
      created_by_email: 'owner@localhost',
      modified_by_email: 'owner@localhost',
      ...changes,
    })
    .execute();
  return id;
}

export async function insertSyncJob(
  db: Kysely<Schema>,
  connection: { id: string; organization_id: string },
  status: SyncStatus,
  changes: Partial<Insertable<SyncJobTable>> = {},
): Promise<string> {
  const id = newId();
  const now = Date.now();
  await db
    .insertInto('sync_jobs')
    .values({
      id,
      organization_id: connection.organization_id,
      connection_id: connection.id,
      sync_id: newId(),
      status,
      trigger: 'manual',
      full: true,
      accept_deletions: false,
      attempt: 0,
      generation: 0,
      entities_inserted: 0,
      entities_updated: 0,
      entities_deleted: 0,
      entities_kept: 0,
      entities_skipped: 0,
      entities_failed: 0,
      encountered: '{}',
      left_out: '{}',
      chunks_written: 0,
      bytes_fetched: 0,
      requests: 0,
      created_at: now,
      modified_at: now,
      ...changes,
    })
    .execute();
  return id;
}

type Owner = {
  readonly connection_id: string;
  readonly collection_id: string;
  readonly organization_id: string;
};

export const entityRow = (owner: Owner, changes: Partial<Insertable<EntityTable>>) => {
  const id = newId();
  return {
    ...owner,
    id,
    entity_id: `source-${id}`,
    entity_type: 'File',
    definition_id: newId(),
    sync_id: newId(),
    sync_job_id: newId(),
    hash: `sha256:${'0'.repeat(64)}`,
    partition: '',
    generation: 1,
    is_listed: true,
    name: 'the secret name',
    breadcrumbs: '[]',
    is_public: false,
    metadata: '{"colour":"the secret colour"}',
    raw: new TextEncoder().encode('the secret text'),
    created_at: 1_700_000_000_000,
    modified_at: 1_700_000_001_000,
    ...changes,
  };
};

export async function insertEntity(
  db: Kysely<Schema>,
  owner: Owner,
  changes: Partial<Insertable<EntityTable>> = {},
): Promise<string> {
  const row = entityRow(owner, changes);
  const listed = Number(row.is_listed);
  await db.insertInto('entities').values(row).execute();
  await db
    .insertInto('entity_counts')
    .values({ connection_id: owner.connection_id, entity_type: 'File', count: 1, listed })
    .onConflict((conflict) =>
      conflict.columns(['connection_id', 'entity_type']).doUpdateSet((eb) => ({
        count: eb('entity_counts.count', '+', 1),
        listed: eb('entity_counts.listed', '+', listed),
      })),
    )
    .execute();
  const fields = [{ type: 'File', field: 'colour', count: 1, open: 1 }];
  await db.transaction().execute((tx) => addToFields(tx, owner.connection_id, fields));
  return row.id;
}
