/**
 * This file says which tables a backup and a move to another database contain. The compiler checks that the list names every
 * table of `schema.ts`, and a test compares it with the tables that the databases have.
 */
import type { Schema } from './schema.ts';

/** The rows of a `local` table describe this database, or the processes that use it, and are wrong in any other one. */
type Belonging = 'copied' | 'local';

const TABLES: Readonly<Record<keyof Schema, Belonging>> = {
  organizations: 'copied',
  users: 'copied',
  memberships: 'copied',
  invitations: 'copied',
  sessions: 'copied',
  audit_events: 'copied',
  start_links: 'copied',
  sign_in_failures: 'copied',
  api_keys: 'copied',
  collections: 'copied',
  auth_providers: 'copied',
  connections: 'copied',
  connection_tokens: 'copied',
  browser_sign_ins: 'copied',
  entity_counts: 'copied',
  entity_count_points: 'copied',
  entity_fields: 'copied',
  sync_jobs: 'copied',
  job_counts: 'copied',
  left_out_records: 'copied',
  refused_records: 'copied',
  held_back_deletions: 'copied',
  job_partitions: 'copied',
  // A row is the lease of a worker. A lease of an embedded database never runs out, so another database would wait for ever.
  folder_watches: 'local',
  pushes: 'copied',
  push_keys: 'copied',
  entities: 'copied',
  group_members: 'copied',
  indexes: 'copied',
  // A row says which tables and indexes of extensions this database has. The next start makes those of another one.
  index_forms: 'local',
  chunks: 'copied',
  chunk_bodies: 'copied',
  gone: 'copied',
  jobs: 'copied',
  events: 'copied',
  maintenance_runs: 'copied',
  maintenance_tasks: 'copied',
  agentic_queries: 'copied',
  usage_days: 'copied',
  transformers: 'copied',
  webhook_subscriptions: 'copied',
  webhook_deliveries: 'copied',
  webhook_attempts: 'copied',
  webhook_recoveries: 'copied',
  // The row says whether the disk of this database is full.
  refused_writes: 'local',
  // A row says which file lies in the folder of the service that uses this database.
  backups: 'local',
  // A row says that a process uses this database.
  processes: 'local',
  // The migrations of another database write its rows.
  additive_migrations: 'local',
  source_rate_limits: 'copied',
  source_windows: 'copied',
  source_admissions: 'copied',
  source_waits: 'copied',
};

const names = (belonging: Belonging): readonly string[] =>
  Object.entries(TABLES).flatMap(([name, is]) => (is === belonging ? [name] : []));

export const COPIED_TABLES = names('copied');
export const LOCAL_TABLES = names('local');
