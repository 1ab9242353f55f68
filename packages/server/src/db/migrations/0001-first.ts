/** This migration makes the first schema. Types that differ between the dialects come in as `types`. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (types: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    const { json, bytes, flag, real } = types;
    const table = (name: string) => db.schema.createTable(name);

    await table('organizations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('feature_flags', json, (c) => c.notNull())
      .addColumn('quotas', json, (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .execute();
    await table('users')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('email', 'text', (c) => c.notNull().unique())
      .addColumn('name', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await table('memberships')
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('memberships_pk', ['organization_id', 'user_id'])
      .execute();
    await table('api_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('expires_at', 'bigint')
      .addColumn('last_used_at', 'bigint')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await index(db, 'api_keys_organization', 'api_keys', ['organization_id', 'created_at']);

    await table('collections')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('readable_id', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('sync_config', json)
      .addColumn('vector_size', 'integer', (c) => c.notNull())
      .addColumn('embedding_model_name', 'text', (c) => c.notNull())
      .addColumn('synced_at', 'bigint')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .addColumn('created_by_email', 'text', (c) => c.notNull())
      .addColumn('modified_by_email', 'text', (c) => c.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute();
    // The readable_id of a deleted collection is free again at once.
    await sql`create unique index collections_readable_id on collections (organization_id, readable_id) where deleted_at is null`.execute(
      db,
    );

    await table('connections')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('collection_id', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text')
      .addColumn('short_name', 'text', (c) => c.notNull())
      .addColumn('config', json, (c) => c.notNull())
      .addColumn('auth_method', 'text', (c) => c.notNull())
      .addColumn('credentials', 'text')
      .addColumn('credentials_key', 'text')
      .addColumn('authenticated_at', 'bigint')
      .addColumn('refused_at', 'bigint')
      .addColumn('configured_at', 'bigint', (c) => c.notNull())
      .addColumn('cron', 'text')
      .addColumn('continuous', flag, (c) => c.notNull())
      .addColumn('cursor_field', 'text')
      .addColumn('next_run_at', 'bigint')
      .addColumn('transformers', json, (c) => c.notNull())
      .addColumn('sync_id', 'text', (c) => c.notNull())
      .addColumn('generation', 'integer', (c) => c.notNull())
      .addColumn('cursor', json)
      .addColumn('total_runs', 'integer', (c) => c.notNull())
      .addColumn('successful_runs', 'integer', (c) => c.notNull())
      .addColumn('failed_runs', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .addColumn('created_by_email', 'text', (c) => c.notNull())
      .addColumn('modified_by_email', 'text', (c) => c.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute();
    await index(db, 'connections_organization', 'connections', ['organization_id', 'created_at']);
    await index(db, 'connections_collection', 'connections', ['collection_id']);
    await sql`create index connections_next_run on connections (next_run_at) where next_run_at is not null`.execute(
      db,
    );
    await table('entity_counts')
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('entity_type', 'text', (c) => c.notNull())
      .addColumn('count', 'integer', (c) => c.notNull())
      .addColumn('listed', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('entity_counts_pk', ['connection_id', 'entity_type'])
      .execute();

    await table('sync_jobs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('sync_id', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('trigger', 'text', (c) => c.notNull())
      .addColumn('full', flag, (c) => c.notNull())
      .addColumn('accept_deletions', flag, (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('lease_token', 'text')
      .addColumn('generation', 'integer', (c) => c.notNull())
      .addColumn('entities_inserted', 'integer', (c) => c.notNull())
      .addColumn('entities_updated', 'integer', (c) => c.notNull())
      .addColumn('entities_deleted', 'integer', (c) => c.notNull())
      .addColumn('entities_kept', 'integer', (c) => c.notNull())
      .addColumn('entities_skipped', 'integer', (c) => c.notNull())
      .addColumn('entities_failed', 'integer', (c) => c.notNull())
      .addColumn('encountered', json, (c) => c.notNull())
      .addColumn('left_out', json, (c) => c.notNull())
      .addColumn('chunks_written', 'integer', (c) => c.notNull())
      .addColumn('bytes_fetched', 'bigint', (c) => c.notNull())
      .addColumn('requests', 'integer', (c) => c.notNull())
      .addColumn('sync_config', json)
      .addColumn('error', 'text')
      .addColumn('error_details', json)
      .addColumn('started_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .addColumn('failed_at', 'bigint')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .addColumn('created_by_email', 'text')
      .addColumn('modified_by_email', 'text')
      .execute();
    await index(db, 'sync_jobs_connection', 'sync_jobs', ['connection_id', 'created_at']);
    await index(db, 'sync_jobs_organization', 'sync_jobs', ['organization_id', 'created_at']);
    // The index allows one running sync per connection, whoever asks for another one.
    await sql`create unique index sync_jobs_running on sync_jobs (connection_id) where status in ('RUNNING', 'CANCELLING')`.execute(
      db,
    );
    await table('job_failures')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('job_id', 'text', (c) => c.notNull())
      .addColumn('entity_id', 'text', (c) => c.notNull())
      .addColumn('entity_type', 'text', (c) => c.notNull())
      .addColumn('stage', 'text', (c) => c.notNull())
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('hint', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await index(db, 'job_failures_job', 'job_failures', ['job_id', 'id']);
    await table('pushes')
      .addColumn('job_id', 'text', (c) => c.primaryKey())
      .addColumn('body', bytes, (c) => c.notNull())
      .execute();

    await table('entities')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('collection_id', 'text', (c) => c.notNull())
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('entity_id', 'text', (c) => c.notNull())
      .addColumn('entity_type', 'text', (c) => c.notNull())
      .addColumn('definition_id', 'text')
      .addColumn('sync_id', 'text', (c) => c.notNull())
      .addColumn('sync_job_id', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('recipe', 'text', (c) => c.notNull())
      .addColumn('version', 'text')
      .addColumn('partition', 'text', (c) => c.notNull())
      .addColumn('generation', 'integer', (c) => c.notNull())
      .addColumn('is_listed', flag, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('url', 'text')
      .addColumn('breadcrumbs', json, (c) => c.notNull())
      .addColumn('source_created_at', 'bigint')
      .addColumn('source_updated_at', 'bigint')
      .addColumn('viewers', json)
      .addColumn('is_public', flag, (c) => c.notNull())
      .addColumn('metadata', json, (c) => c.notNull())
      .addColumn('raw', bytes, (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('entities_source_id', ['connection_id', 'entity_id'])
      .execute();
    await index(db, 'entities_sweep', 'entities', ['connection_id', 'partition', 'generation']);
    await index(db, 'entities_listed', 'entities', ['connection_id', 'is_listed', 'id']);
    await table('group_members')
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('group_name', 'text', (c) => c.notNull())
      .addColumn('member', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('group_members_pk', ['connection_id', 'member', 'group_name'])
      .execute();

    await table('indexes')
      .addColumn('number', types.serial, (c) => types.autoIncrement(c.primaryKey()))
      .addColumn('collection_id', 'text', (c) => c.notNull().unique())
      .addColumn('version', 'bigint', (c) => c.notNull())
      .addColumn('next_chunk', 'bigint', (c) => c.notNull())
      .addColumn('chunks', 'bigint', (c) => c.notNull())
      .addColumn('terms', 'bigint', (c) => c.notNull())
      .execute();
    await table('chunks')
      .addColumn('n', types.rowid, (c) => c.primaryKey())
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('entity', 'text', (c) => c.notNull())
      .addColumn('position', 'integer', (c) => c.notNull())
      .addColumn('heading', 'text')
      .addColumn('page', 'integer')
      .addColumn('text_hash', 'text', (c) => c.notNull())
      .addColumn('length', 'integer', (c) => c.notNull())
      .execute();
    await index(db, 'chunks_entity', 'chunks', ['entity']);
    await index(db, 'chunks_reuse', 'chunks', ['connection_id', 'text_hash']);
    await table('chunk_bodies')
      .addColumn('n', types.rowid, (c) => c.primaryKey())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('scale', real, (c) => c.notNull())
      .addColumn('vector', bytes, (c) => c.notNull())
      .execute();
    await table('gone')
      .addColumn('seq', types.serial, (c) => types.autoIncrement(c.primaryKey()))
      .addColumn('collection_id', 'text', (c) => c.notNull())
      .addColumn('n', 'bigint', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute();
    await index(db, 'gone_collection', 'gone', ['collection_id', 'seq']);
    await index(db, 'gone_at', 'gone', ['at']);

    await table('jobs')
      .addColumn('seq', types.serial, (c) => types.autoIncrement(c.primaryKey()))
      .addColumn('id', 'text', (c) => c.notNull().unique())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('data', json, (c) => c.notNull())
      .addColumn('lane', 'text', (c) => c.notNull())
      .addColumn('run_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('lease_token', 'text')
      .addColumn('lease_until', 'bigint')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await index(db, 'jobs_due', 'jobs', ['run_at', 'seq']);
    await index(db, 'jobs_lane', 'jobs', ['lane', 'seq']);
  };

const index = (db: Kysely<unknown>, name: string, table: string, columns: string[]) =>
  db.schema.createIndex(name).on(table).columns(columns).execute();
