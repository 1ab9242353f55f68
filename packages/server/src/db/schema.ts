/**
 * Every table, as Kysely sees it, the same on SQLite and PostgreSQL: ids are text (UUIDv7), instants
 * are integers (milliseconds since 1970), JSON is written with JSON.stringify and read decoded,
 * booleans are read as booleans. Which columns those are, `db/columns.ts` says.
 */
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { DeliveryState } from '../model/delivery-state.ts';
import type { Breadcrumb } from '../model/entity.ts';
import type { SyncStatus } from '../model/sync-status.ts';

/** Read decoded, written as text. */
type JsonColumn<T> = ColumnType<T, string, string>;
type NullableJsonColumn<T> = ColumnType<T | null, string | null, string | null>;
/** Written as a boolean by either driver. */
type Flag = ColumnType<boolean, boolean, boolean>;
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

export interface OrganizationTable {
  id: string;
  name: string;
  feature_flags: JsonColumn<string[]>;
  quotas: JsonColumn<Record<string, number | null>>;
  created_at: number;
  modified_at: number;
  deleted_at: number | null;
}

export interface UserTable {
  id: string;
  email: string;
  name: string | null;
  created_at: number;
}

export interface MembershipTable {
  organization_id: string;
  user_id: string;
  role: 'read' | 'member' | 'admin';
  created_at: number;
}

export interface ApiKeyTable {
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  role: 'read' | 'member' | 'admin';
  /** SHA-256 (hex) of the key; unique. */
  hash: string;
  /** It reaches every organization in which its account is an admin; without it its own alone. */
  all_organizations: ColumnType<boolean, boolean | undefined, boolean>;
  /** It searches on behalf of others, whatever its role. */
  search_as: ColumnType<boolean, boolean | undefined, boolean>;
  /** The ids of the only collections that it reaches; null: it reaches all of them. */
  collection_ids: NullableJsonColumn<string[]>;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

/** Which parts of a sync a collection wants. */
export interface SyncConfig {
  handlers: { enable_vector_handlers: boolean; enable_metadata_handlers: boolean };
}

export interface CollectionTable {
  id: string;
  organization_id: string;
  readable_id: string;
  name: string;
  /** The name in lower case, folded here because databases fold what their locale knows. */
  folded_name: string;
  sync_config: NullableJsonColumn<SyncConfig>;
  vector_size: number;
  embedding_model_name: string;
  /** When a sync first completed; from then on the collection never lacks a source again. */
  synced_at: number | null;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
  deleted_at: number | null;
}

export interface ConnectionTable {
  id: string;
  organization_id: string;
  collection_id: string;
  name: string;
  description: string | null;
  short_name: string;
  config: JsonColumn<Record<string, unknown>>;
  auth_method: string;
  /** Sealed with the key named in `credentials_key`; null for a source without credentials. */
  credentials: string | null;
  credentials_key: string | null;
  authenticated_at: number | null;
  /** When the source last refused the credentials; null again once they are renewed. */
  refused_at: number | null;
  /** When the configuration last changed: a pull after that may drop much on purpose. */
  configured_at: number;
  cron: string | null;
  continuous: Flag;
  cursor_field: string | null;
  /** A continuous connection is also pulled in full within so many hours; null: never. */
  full_every: Generated<number | null>;
  /** When the schedule fires next; null without one. */
  next_run_at: number | null;
  transformers: JsonColumn<{ transformer_id: string; config: Record<string, unknown> }[]>;
  /** Signature of the transformers that all stored entities have passed; '' without any. */
  transformed: Generated<string>;
  sync_id: string;
  /** Number of the newest pull; each entity has that of the pull in which it was last seen. */
  generation: number;
  /** Of the memberships in its groups: the list that counts. */
  members_list: Generated<number>;
  /** Where an incremental pull goes on. */
  cursor: NullableJsonColumn<unknown>;
  total_runs: number;
  successful_runs: number;
  failed_runs: number;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
  deleted_at: number | null;
}

/** How many entities a connection has, by type: kept in the commits, never counted. */
interface EntityCountTable {
  connection_id: string;
  entity_type: string;
  /** Stored entities, and those of them that GET /v1/entities lists. */
  count: number;
  listed: number;
}

/** Fields of the entities that are shown, by type: kept in the commits, never counted. Only those that a filter can name. */
interface EntityFieldTable {
  connection_id: string;
  entity_type: string;
  field: string;
  /** Entities that have it, and those of them that everyone may see who may search the collection. */
  count: number;
  open: number;
}

export interface ErrorDetails {
  code: string;
  stage: string;
  message: string;
  retryable: boolean;
  entity_id?: string;
  entity_type?: string;
  status?: number;
  hint?: string;
}

export interface Bookmark {
  /** The source's own. */
  position: unknown;
  /** Of the configuration under which it means anything. */
  configuredAt: number;
  /** Also of the field that the pull goes by; versions before did not say. */
  readonly cursorField?: string | null;
  skipped: number;
  failed: number;
  leftOut: Record<string, number>;
  /** Versions before did not count them. */
  readonly skippedBy?: Record<string, number>;
}

export interface SyncJobTable {
  id: string;
  organization_id: string;
  connection_id: string;
  sync_id: string;
  status: SyncStatus;
  trigger: 'manual' | 'schedule' | 'push' | 'creation' | 'confirmation' | 'reprocess';
  full: Flag;
  /** Deletions are not held back: somebody has confirmed them. */
  accept_deletions: Flag;
  attempt: number;
  /** Token of the lease under which it runs: what commits must present. */
  lease_token: string | null;
  /** Of its pull. One that starts again, and not at a bookmark, draws another. */
  generation: number;
  /** From which on it counts each record once. */
  first_generation: Generated<number>;
  entities_inserted: number;
  entities_updated: number;
  entities_deleted: number;
  entities_kept: number;
  entities_skipped: number;
  entities_failed: number;
  /** Inserted, updated and kept, by type. */
  encountered: JsonColumn<Record<string, number>>;
  /** Skipped and failed, by type. */
  left_out: JsonColumn<Record<string, number>>;
  /** How many records it has left out on purpose, by reason. */
  skipped_by_reason: ColumnType<Record<string, number>, string | undefined, string>;
  /** So many of the records that it has met hold a secret; the ids are those of the first of them. */
  secrets_found: Generated<number>;
  secret_examples: ColumnType<string[], string | undefined, string>;
  chunks_written: number;
  bytes_fetched: number;
  requests: number;
  /** Of a full pull: where it may go on. */
  bookmark: NullableJsonColumn<Bookmark>;
  /** Why it does not go on at the moment, in words, and until when. */
  waits_for: string | null;
  waits_until: number | null;
  /** Attempts in a row that the source ended before they came further. */
  retries: Generated<number>;
  /** When it began or came further last: by a commit, which a bookmark is too. */
  progressed_at: Generated<number | null>;
  /** The collection's, as it stood when the job was made. */
  sync_config: NullableJsonColumn<SyncConfig>;
  error: string | null;
  error_details: NullableJsonColumn<ErrorDetails>;
  started_at: number | null;
  completed_at: number | null;
  failed_at: number | null;
  created_at: number;
  modified_at: number;
  created_by_email: string | null;
  modified_by_email: string | null;
}

/** How many jobs a connection has, by status: kept by triggers on sync_jobs, never written by us. */
interface JobCountTable {
  connection_id: string;
  status: SyncStatus;
  count: number;
}

/** A record that a job did not take in, and why. */
interface LeftOutRecordTable {
  id: string;
  job_id: string;
  /** `skip`: it was left out on purpose. `fail`: it was tried and broke. */
  kind: 'skip' | 'fail';
  entity_id: string;
  entity_type: string;
  stage: string;
  message: string;
  /** Of what was left out on purpose: what is said of this record alone. */
  detail: string | null;
  hint: string | null;
  created_at: number;
  /** It lies before the bookmark: an attempt that goes on there does not meet it again. */
  settled: ColumnType<boolean, boolean | undefined, boolean>;
}

/** A part that a full pull has met until its bookmark, and what it said of it. */
interface JobPartitionTable {
  job_id: string;
  partition: string;
  /** To its end. */
  is_listed: Flag;
  /** It could not be listed. */
  lost: Flag;
}

/** The body of a push, until its job has ended. */
interface PushTable {
  job_id: string;
  body: Bytes;
}

export interface EntityTable {
  id: string;
  organization_id: string;
  collection_id: string;
  connection_id: string;
  entity_id: string;
  entity_type: string;
  definition_id: string | null;
  sync_id: string;
  /** The job that created or last changed it. */
  sync_job_id: string;
  /** `sha256:<hex>` of the content and of the fields that a search result shows. */
  hash: string;
  /** Of what the source said, where transformers have changed what is shown of it. */
  source_hash: Generated<string | null>;
  /** The source's id of the entity of which a transformer has made this one; null: the source has it. */
  origin: Generated<string | null>;
  /** Kept to be transformed again, and otherwise not there: a transformer has dropped it or failed. */
  is_hidden: ColumnType<boolean, boolean | undefined, boolean>;
  /** What is shown of it holds a key of a provider or a private key. */
  has_secret: ColumnType<boolean, boolean | undefined, boolean>;
  /** Versions of everything that made chunks of it. */
  recipe: string;
  /** The source's own version, where it names one. */
  version: string | null;
  partition: string;
  /** Of the pull that has counted it last. */
  generation: number;
  /** Of the pull in which it was there and could not be read last: it is not swept after that one. */
  spared: Generated<number>;
  /** GET /v1/entities lists it. */
  is_listed: Flag;
  name: string;
  url: string | null;
  breadcrumbs: JsonColumn<Breadcrumb[]>;
  source_created_at: number | null;
  source_updated_at: number | null;
  /** Principals; null when the source restricts nobody. */
  viewers: NullableJsonColumn<string[]>;
  is_public: Flag;
  metadata: JsonColumn<Record<string, unknown>>;
  /** The whole entity as JSON, deflated, before any transformer: what changed transformers work from. */
  raw: Bytes;
  /** The same after the transformers, where they have changed it: what chunks are made of. */
  shown: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>;
  created_at: number;
  modified_at: number;
}

/** Of an organization; those of the system are code. */
export interface TransformerTable {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  method_name: string;
  /** Path below QUARRY_TRANSFORMERS_DIR. */
  module_name: string;
  config_schema: JsonColumn<Record<string, unknown>>;
  /** Ids of entity definitions. */
  input_definitions: JsonColumn<string[]>;
  output_definitions: JsonColumn<string[]>;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
}

interface GroupMemberTable {
  connection_id: string;
  /** Generation of the pull that said so; only the list that the connection names counts. */
  list: Generated<number>;
  group_name: string;
  member: string;
}

/** A collection in the search index. See engines/index/rows.ts for the numbering of chunks. */
interface IndexTable {
  number: Generated<number>;
  collection_id: string;
  /** Grows with every commit that changes what a search could show. */
  version: number;
  /** Counter of the next chunk. */
  next_chunk: number;
  chunks: number;
  /** Sum of the chunks' lengths in terms. */
  terms: number;
}

/** What a collection's index is made of; on PostgreSQL only. See engines/index/postgres-forms.ts. */
interface IndexFormTable {
  /** Of `indexes`. */
  number: number;
  words: 'gin' | 'bm25';
  vectors: 'scan' | 'hnsw';
}

interface ChunkTable {
  n: number;
  connection_id: string;
  /** Row id of the entity. */
  entity: string;
  position: number;
  heading: string | null;
  page: number | null;
  text_hash: string;
  /** In terms. */
  length: number;
}

interface ChunkBodyTable {
  n: number;
  text: string;
  scale: number;
  vector: Bytes;
  /** Those of `termNumbers`; null in rows of an older version. */
  terms: Bytes | null;
}

/** Numbers of removed chunks, for readers that hold them in memory. */
interface GoneTable {
  seq: Generated<number>;
  collection_id: string;
  n: number;
  /** Number of the chunk that says the same in its place, if it was only made anew. */
  successor: number | null;
  at: number;
}

interface JobTable {
  /** Drawn by the database: jobs of a lane are made one after the other, so it is their order. */
  seq: Generated<number>;
  id: string;
  name: string;
  data: JsonColumn<unknown>;
  /** Jobs of one lane run one at a time, in the order in which they came. */
  lane: string;
  run_at: number;
  attempts: number;
  lease_token: string | null;
  lease_until: number | null;
  created_at: number;
}

/** What happened, for those who are told of it: see events/store.ts. */
interface EventTable {
  /** Order of the commits, within a connection and within a collection. */
  seq: Generated<number>;
  id: string;
  organization_id: string;
  collection_id: string;
  connection_id: string | null;
  event_type: string;
  /** JSON as it is delivered, byte for byte. */
  payload: string;
  created_at: number;
}

interface MaintenanceRunTable {
  id: string;
  collection_id: string;
  kind: 'reindex' | 'doctor';
  created_at: number;
  created_by_email: string;
}

export interface StoredProblem {
  kind: string;
  count: number;
  examples: string[];
}

/** A part of a run: what it does to one connection, or to the collection's index (no connection). */
export interface MaintenanceTaskTable {
  id: string;
  run_id: string;
  kind: 'reindex' | 'repair' | 'index' | 'listing';
  connection_id: string | null;
  status: 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED';
  /** Token of the lease under which it runs: what commits must present. */
  lease_token: string | null;
  /** The last entity that is done, by the source's id: they come in the order of those. */
  after_id: string | null;
  /** In entities; `done` of `total`, of them so many written anew, and so many that could not be read. */
  total: number;
  done: number;
  rewritten: number;
  failed: number;
  /** Row ids of entities that are to be written anew whatever they look like. */
  suspects: JsonColumn<string[]>;
  findings: JsonColumn<StoredProblem[]>;
  error: string | null;
  started_at: number | null;
  /** When it began or came further last. */
  progressed_at: Generated<number | null>;
  ended_at: number | null;
}

/** One row an organization: what counts against its quota. */
interface AgenticQueryTable {
  organization_id: string;
  /** Hours since 1970, by the clock of the database. */
  hour: number;
  /** In that hour. */
  count: number;
}

export interface WebhookSubscriptionTable {
  id: string;
  organization_id: string;
  url: string;
  description: string | null;
  filter_types: JsonColumn<string[]>;
  /** Sealed, bound to the id, as the old ones are; `secret_key` names the key that sealed them. */
  secret: string;
  secret_key: string;
  /** Those before it, the newest first: each signs too until its time. */
  old_secrets: ColumnType<{ secret: string; until: number }[], string | undefined, string>;
  disabled_at: number | null;
  /** A sentence; null when a person has disabled it. */
  disabled_reason: string | null;
  /** The first failure since the last success. */
  failing_since: number | null;
  /** The endpoint has asked for patience. */
  rest_until: Generated<number>;
  created_at: number;
  modified_at: number;
}

/** Of one message to one subscription. Made by a trigger on `events`. */
interface WebhookDeliveryTable {
  subscription_id: string;
  event_seq: number;
  state: DeliveryState;
  /** Those that have ended, since it was made or recovered. */
  attempts: number;
  /** While it is leased: when the lease runs out. */
  due_at: number;
  /** Of the process that is at it. */
  lease_token: string | null;
  /** Of the message. */
  created_at: number;
}

/** That has ended. */
export interface WebhookAttemptTable {
  id: string;
  organization_id: string;
  subscription_id: string;
  message_id: string;
  status: 'success' | 'failed';
  /** Its first KiB. */
  response: string;
  /** 0 without an answer. */
  response_status_code: number;
  error: string | null;
  url: string;
  duration_ms: number;
  /** When it began. */
  created_at: number;
}

interface WebhookRecoveryTable {
  id: string;
  subscription_id: string;
  /** Of messages, until before `until`; null until the end. */
  since: number;
  until: number | null;
  status: 'running' | 'completed';
  /** How far it has come, and how many messages it has found. */
  after_seq: number;
  messages: number;
  created_at: number;
  completed_at: number | null;
}

/** One row. */
interface RefusedWriteTable {
  /** Why the database refused a write last, in a few words; null while it takes writes. */
  reason: string | null;
  /** When it refused the first one. */
  since: number | null;
  /** What a trial writes; null after one that succeeded. */
  trial: Uint8Array | null;
  probed_at: number | null;
}

export interface Schema {
  organizations: OrganizationTable;
  users: UserTable;
  memberships: MembershipTable;
  api_keys: ApiKeyTable;
  collections: CollectionTable;
  connections: ConnectionTable;
  entity_counts: EntityCountTable;
  entity_fields: EntityFieldTable;
  sync_jobs: SyncJobTable;
  job_counts: JobCountTable;
  left_out_records: LeftOutRecordTable;
  job_partitions: JobPartitionTable;
  pushes: PushTable;
  entities: EntityTable;
  group_members: GroupMemberTable;
  indexes: IndexTable;
  index_forms: IndexFormTable;
  chunks: ChunkTable;
  chunk_bodies: ChunkBodyTable;
  gone: GoneTable;
  jobs: JobTable;
  events: EventTable;
  maintenance_runs: MaintenanceRunTable;
  maintenance_tasks: MaintenanceTaskTable;
  agentic_queries: AgenticQueryTable;
  transformers: TransformerTable;
  webhook_subscriptions: WebhookSubscriptionTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
  webhook_recoveries: WebhookRecoveryTable;
  refused_writes: RefusedWriteTable;
}

export type Tx = Transaction<Schema>;

/** What a store needs: the database, or the transaction that its caller has opened. */
export type Db = Kysely<Schema> | Tx;
