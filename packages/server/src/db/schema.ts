/**
 * These types describe every table to Kysely, and are the same for SQLite and PostgreSQL: ids are text (UUIDv7),
 * instants are integers (milliseconds since 1970), JSON is written with JSON.stringify and is decoded when it is read,
 * and booleans are read as booleans. `db/columns.ts` must name the JSON and boolean columns; the compiler checks it.
 */
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { AuditAction } from '../model/audit.ts';
import type { AuthProviderName } from '../model/auth-provider.ts';
import type { AttemptResult, DeliveryState, RecoveryState } from '../model/delivery-state.ts';
import type { Breadcrumb } from '../model/entity.ts';
import type { MaintenanceKind, MaintenanceStatus } from '../model/maintenance-status.ts';
import type { OwnWeights } from '../model/own-weights.ts';
import type { Role } from '../model/role.ts';
import type { Sealed } from '../model/sealed.ts';
import type { SyncStatus } from '../model/sync-status.ts';
import type { WatchState } from '../model/watch-state.ts';
import type { Cause } from '../telemetry/trace.ts';

/** A JSON column is written as text and decoded when it is read. */
type JsonColumn<T> = ColumnType<T, string, string>;
type NullableJsonColumn<T> = ColumnType<T | null, string | null, string | null>;
type CauseColumn = ColumnType<Cause | null, string | null | undefined, string | null>;
/** Both drivers accept and return booleans for such a column. */
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
  /** It has the form of password.ts. It is null until the person has set a password. */
  password_hash: ColumnType<string | null, string | null | undefined, string | null>;
  /** The issuer has vouched for the e-mail since this time. It is null while nobody but the inviter has named it. */
  vouched_at: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: number;
}

export interface MembershipTable {
  organization_id: string;
  user_id: string;
  role: Role;
  created_at: number;
}

/** An organization has at most one invitation for each e-mail, which is in lower case. */
export interface InvitationTable {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  /** This is the SHA-256 of the token in hex; it is unique. */
  hash: string;
  /** This account made it, and is an admin of the organization. It is null for an invitation older than the column. */
  invited_by: string | null;
  created_at: number;
  expires_at: number;
}

export interface SessionTable {
  id: string;
  user_id: string;
  /** This is the SHA-256 of the token in hex; it is unique. */
  hash: string;
  created_at: number;
  last_used_at: number;
  /** The person signed in from this address of the network, by this browser. */
  address: string;
  user_agent: string | null;
}

/** An act of an administrator or of a person who signs in, in the log of one organization. */
export interface AuditEventTable {
  id: string;
  organization_id: string;
  created_at: number;
  action: AuditAction;
  /** An operator used the command line on the machine of the data, and has no account. */
  actor_type: 'user' | 'api_key' | 'operator';
  actor_id: string | null;
  actor_name: string | null;
  actor_email: string | null;
  target_type: string;
  target_id: string;
  target_name: string | null;
  address: string | null;
  details: JsonColumn<Record<string, unknown>>;
}

/** The link signs the account in once. */
interface StartLinkTable {
  id: string;
  user_id: string;
  /** This is the SHA-256 of the token in hex; it is unique. */
  hash: string;
  expires_at: number;
}

/** The two rows of one sign-in, for its account and for its address, have the same id. */
interface SignInFailureTable {
  id: string;
  subject: string;
  at: number;
}

export interface ApiKeyTable {
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  role: Role;
  /** This is the SHA-256 of the key in hex; it is unique. */
  hash: string;
  /** If true, the key reaches every organization in which its account is an admin; otherwise only its own. */
  all_organizations: ColumnType<boolean, boolean | undefined, boolean>;
  /** If true, the key may search on behalf of other people, whatever its role is. */
  search_as: ColumnType<boolean, boolean | undefined, boolean>;
  /** The key reaches only the collections with these ids; null means all collections. */
  collection_ids: NullableJsonColumn<string[]>;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

/** This says whether the entities of a collection get chunks, and whether GET /v1/entities lists them. */
export interface SyncConfig {
  handlers: { enable_vector_handlers: boolean; enable_metadata_handlers: boolean };
}

export interface CollectionTable {
  id: string;
  organization_id: string;
  readable_id: string;
  name: string;
  /**
   * This is the name in lower case. Quarry itself converts it, because a database converts only the letters of its
   * locale.
   */
  folded_name: string;
  sync_config: NullableJsonColumn<SyncConfig>;
  vector_size: number;
  embedding_model_name: string;
  /** The built-in reranker uses these weights for the collection; null stands for the default weights. */
  rerank_weights: NullableJsonColumn<OwnWeights>;
  /** This is the time of the first completed sync; once it is set, the status is never NEEDS_SOURCE again. */
  synced_at: number | null;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
  deleted_at: number | null;
}

export interface AuthProviderTable {
  id: string;
  organization_id: string;
  readable_id: string;
  name: string;
  short_name: AuthProviderName;
  /** The credentials sign in to the provider. They are encrypted with the key that `credentials_key` names. */
  credentials: Sealed;
  credentials_key: string;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
}

export interface ConnectionTable {
  id: string;
  organization_id: string;
  collection_id: string;
  name: string;
  /** The name in lower case and without accents. Searches for a part of the name look here. */
  folded_name: Generated<string>;
  description: string | null;
  short_name: string;
  config: JsonColumn<Record<string, unknown>>;
  auth_method: string;
  /** The credentials come from this provider; null for another method. */
  auth_provider_id: Generated<string | null>;
  /** The credentials are encrypted with the key that `credentials_key` names; null for a source without credentials. */
  credentials: Sealed | null;
  credentials_key: string | null;
  authenticated_at: number | null;
  /** This is the account at the source that has signed in; null when the source cannot tell. */
  account: Generated<string | null>;
  /** This is when the source last refused the credentials; null again once they are renewed or accepted. */
  refused_at: number | null;
  /**
   * This is when the configuration last changed. The first full pull after a change may delete many records, because
   * they are not wanted any more.
   */
  configured_at: number;
  cron: string | null;
  continuous: Flag;
  cursor_field: string | null;
  /** A continuous connection is pulled in full at least once in this many hours; null means never. */
  full_every: Generated<number | null>;
  /** This is when the schedule fires next; it is null without a schedule. */
  next_run_at: number | null;
  transformers: JsonColumn<{ transformer_id: string; config: Record<string, unknown> }[]>;
  /**
   * This is the signature of the transformers that all stored records have passed: '' without transformers, and
   * 'incomplete' when some records may not have passed them.
   */
  transformed: Generated<string>;
  sync_id: string;
  /** This is the generation of the newest pull; each entity carries the generation of the pull that saw it last. */
  generation: number;
  /**
   * This is the generation of the member list that is used; rows of group_members with another generation are ignored.
   */
  members_list: Generated<number>;
  /** This is when that list was completed; null before the first one. */
  members_read_at: Generated<number | null>;
  /** The next incremental pull goes on at this cursor. */
  cursor: NullableJsonColumn<unknown>;
  /**
   * The last completed sync began to read the source at this time, or its push arrived at this time; null before the
   * first one.
   */
  true_as_of: Generated<number | null>;
  total_runs: number;
  successful_runs: number;
  failed_runs: number;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
  deleted_at: number | null;
}

/**
 * A row has the tokens with which the requests of a connection are signed. sign-in/keeper.ts says how they are renewed.
 */
interface ConnectionTokenTable {
  connection_id: string;
  /** The tokens are encrypted with the key that `tokens_key` names. They are null before the first renewal. */
  tokens: Sealed | null;
  tokens_key: string | null;
  /** The version grows with every change of the tokens. */
  version: number;
  /** The access token is valid until this time, by the clock of the database; null means that the time is not known. */
  expires_at: number | null;
  /** From this time on, the access token is renewed ahead of its end. */
  renew_at: number | null;
  /** This is the id of the caller that renews the tokens, or that died during the renewal. */
  claim: string | null;
  claimed_until: number | null;
  /** This is when a renewal first sent the present refresh token; null means that none did. */
  sent_at: number | null;
  /** These columns describe the renewals that have failed since the last one that succeeded. */
  failures: Generated<number>;
  fault: string | null;
  /** This is a SourceErrorKind. */
  fault_kind: string | null;
  /** Nobody asks the token endpoint before this time. */
  rest_until: number | null;
}

/** A row is the newest sign-in link of a connection. Links, states and cookies are stored as hashes. */
interface BrowserSignInTable {
  connection_id: string;
  /** The browser goes to this address at the end; null stands for a page of our own. */
  redirect_uri: string | null;
  /** If true, the first sync starts when the sign-in has succeeded. */
  starts_sync: Flag;
  /** This account asked for the link. */
  email: string;
  link_hash: string;
  link_expires_at: number;
  opened_at: number | null;
  state_hash: string | null;
  browser_hash: string | null;
  state_expires_at: number | null;
  /** The browser brought the state back from the provider at this time. */
  used_at: number | null;
  /** These say why the sign-in can no longer succeed; they are null otherwise. */
  failure_code: string | null;
  failure_message: string | null;
}

/** The table counts the entities of a connection by type. Commits keep the counts, so no query counts rows. */
interface EntityCountTable {
  connection_id: string;
  entity_type: string;
  /** `count` is the number of stored entities, `listed` the number of those with `is_listed`. */
  count: number;
  listed: number;
}

/** A row says how many entities a connection had from this time on, until the next row. */
interface EntityCountPointTable {
  connection_id: string;
  at: number;
  total: number;
  /** These are the counts of the most frequent types. */
  by_type: JsonColumn<Record<string, number>>;
}

/**
 * The table counts the shown entities that have a field, by type and field. It has only fields that a filter can name.
 * Commits keep the counts.
 */
interface EntityFieldTable {
  connection_id: string;
  entity_type: string;
  field: string;
  /** `count` entities have the field; `open` of them are visible to everyone who may search the collection. */
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

export interface Bookmark extends SettledCounts {
  /** This is the position in the form that the source has chosen. */
  position: unknown;
}

/** These count the records that a job left out before a place at which its next attempt goes on. */
export interface SettledCounts {
  /** The place is valid only while the connection's `configured_at` has this value. */
  configuredAt: number;
  /**
   * The place is valid only for pulls with this cursor field. Bookmarks of older versions do not have this property.
   */
  readonly cursorField?: string | null;
  skipped: number;
  failed: number;
  leftOut: Record<string, number>;
  /** Bookmarks of older versions do not have these counts. */
  readonly skippedBy?: Record<string, number>;
  /** This counts the failed records by type. Bookmarks of older versions do not have it. */
  readonly failedBy?: Readonly<Record<string, number>>;
}

/** Each property counts records of a job by type. */
export interface CountsByType {
  readonly inserted: Readonly<Record<string, number>>;
  readonly updated: Readonly<Record<string, number>>;
  readonly deleted: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
}

export interface SyncJobTable {
  id: string;
  organization_id: string;
  connection_id: string;
  sync_id: string;
  status: SyncStatus;
  trigger: 'manual' | 'schedule' | 'push' | 'creation' | 'confirmation' | 'reprocess' | 'watch';
  full: Flag;
  /** If true, deletions are not held back, because a user has confirmed them. */
  accept_deletions: Flag;
  attempt: number;
  /** This is the generation of the job's pull. An attempt that does not go on at a bookmark gets a new generation. */
  generation: number;
  /**
   * This is the generation of the first attempt. If an entity has this generation or a later one, the job has already
   * counted it.
   */
  first_generation: Generated<number>;
  entities_inserted: number;
  entities_updated: number;
  entities_deleted: number;
  /** These of the deleted entities were missing in a listing of the source. */
  entities_missing: Generated<number>;
  /** The job has not deleted these missing entities, because they wait for a confirmation. */
  deletions_held_back: Generated<number>;
  entities_kept: number;
  entities_skipped: number;
  entities_failed: number;
  /** This counts the inserted, updated and kept records by type. */
  encountered: JsonColumn<Record<string, number>>;
  /** This counts the skipped and failed records by type. */
  left_out: JsonColumn<Record<string, number>>;
  /** This counts more by type. It is null when an older version began the job. */
  by_type: NullableJsonColumn<CountsByType>;
  /** This counts the records that the job has left out on purpose, by reason. */
  skipped_by_reason: ColumnType<Record<string, number>, string | undefined, string>;
  /** `secrets_found` counts the records with a secret; `secret_examples` has the ids of the first of them. */
  secrets_found: Generated<number>;
  secret_examples: ColumnType<string[], string | undefined, string>;
  chunks_written: number;
  bytes_fetched: number;
  requests: number;
  /** A full pull may go on at this bookmark. */
  bookmark: NullableJsonColumn<Bookmark>;
  /** An incremental job has left out these records before the cursor that it has stored last. */
  settled: NullableJsonColumn<SettledCounts>;
  /** `waits_for` says in words why the job waits, `waits_until` until when. */
  waits_for: string | null;
  waits_until: number | null;
  /** This counts the attempts since the last bookmark that ended with a network error. */
  retries: Generated<number>;
  /** The job has begun again from the start this often, because the source no longer knew its cursor or bookmark. */
  begun_again: Generated<number>;
  /** This is the time of the job's last commit of records, or of its beginning when it has made none. */
  progressed_at: Generated<number | null>;
  /**
   * The job processes records by this configuration. A full sync takes the configuration of the collection. Any other
   * job takes that of the connection's last completed full sync, or else that of the collection.
   */
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

/** The table counts the jobs of a connection by status. Only triggers on sync_jobs write it. */
interface JobCountTable {
  connection_id: string;
  status: SyncStatus;
  count: number;
}

/** A row is a record that a job has skipped or that has failed, with the reason. */
interface LeftOutRecordTable {
  id: string;
  job_id: string;
  /** `skip` means that the record was left out on purpose, `fail` that the job tried to take it in and could not. */
  kind: 'skip' | 'fail';
  entity_id: string;
  entity_type: string;
  stage: string;
  message: string;
  /** The detail concerns this record alone, such as its size. It is null for a record that failed. */
  detail: string | null;
  hint: string | null;
  created_at: number;
  /** If true, the record comes before the bookmark or cursor, so an attempt that goes on there does not meet it again. */
  settled: ColumnType<boolean, boolean | undefined, boolean>;
}

/** The file of this record could not be read. The next syncs need not read it again (pipeline/refusals.ts). */
interface RefusedRecordTable {
  connection_id: string;
  entity_id: string;
  entity_type: string;
  /** This is the version of the record that was refused. */
  version: string;
  /** This names the converters and the configuration by which the file was read. */
  read_by: string;
  kind: LeftOutRecordTable['kind'];
  message: string;
  detail: string | null;
  hint: string | null;
  created_at: number;
}

/** A row is an entity that a job has kept, because its deletion waits for a confirmation. */
interface HeldBackDeletionTable {
  job_id: string;
  /** This is the row id of the entity, which may have been deleted since. */
  entity: string;
}

/** A row is a partition that a full pull listed, met or lost before its bookmark. */
interface JobPartitionTable {
  job_id: string;
  partition: string;
  /** If true, the partition was listed to its end. */
  is_listed: Flag;
  /** If true, the partition could not be listed. */
  lost: Flag;
}

/** connections/watch/watch-store.ts describes these rows. */
interface FolderWatchTable {
  connection_id: string;
  worker: string;
  lease_until: number;
  /** These are null until the watch has begun. */
  state: Generated<WatchState | null>;
  message: Generated<string | null>;
  device: Generated<string | null>;
}

/** A row has the body of a push until the job of that push has ended. */
interface PushTable {
  job_id: string;
  body: Bytes;
  /** This is the file of which the text of the only pushed entity is extracted; null when the body has the texts. */
  file: Bytes | null;
  file_name: string | null;
}

/** syncs/jobs/push-key-store.ts describes these rows. */
interface PushKeyTable {
  connection_id: string;
  key: string;
  /** This is a digest of the body. */
  digest: string;
  job_id: string;
  created_at: number;
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
  /** This job created the entity or changed it last. */
  sync_job_id: string;
  /** This is `sha256:<hex>` of the content and of the fields that a search result shows. */
  hash: string;
  /** This is the hash of the source's own record, if transformers apply to it; else null. */
  source_hash: Generated<string | null>;
  /** A transformer made the entity from the record with this id. Null means that the source itself has the entity. */
  origin: Generated<string | null>;
  /** If true, transformers dropped or failed the entity. The row is kept only so that it can be transformed again. */
  is_hidden: ColumnType<boolean, boolean | undefined, boolean>;
  /** If true, what is shown of the entity contains a private key or a provider's API key. */
  has_secret: ColumnType<boolean, boolean | undefined, boolean>;
  /** This is the version of the extraction that made the entity's text. */
  extract_version: Generated<string>;
  /** This is the SHA-256 of the file of which the text was extracted, together with its kind; else null. */
  content_hash: Generated<string | null>;
  /** This names the embedding model, and the versions of everything else that makes chunks of a text. */
  chunk_version: Generated<string>;
  /** If true, the entity gets chunks, so that a search finds it. */
  is_searchable: ColumnType<boolean, boolean | undefined, boolean>;
  /** If true, GET /v1/entities lists the entity, unless it is hidden. */
  is_listable: ColumnType<boolean, boolean | undefined, boolean>;
  /**
   * This is a hash of the transformers that were applied to the entity, whether the entity passed or failed; null when
   * no transformer applies.
   */
  chain: string | null;
  /** This is a hash of the same transformers with their versions and configurations. */
  chain_version: string | null;
  /**
   * This is the lease token of the attempt in which a transformer failed, or null when none failed. It begins with
   * `before:` when a pull of everything followed in the same attempt, which therefore tried the entity again.
   */
  failed_attempt: string | null;
  /** If true, the stored record cannot be read, and the next full sync asks the source for it again. */
  is_damaged: ColumnType<boolean, boolean | undefined, boolean>;
  /** This is the source's own version of the record, where the source names one. */
  version: string | null;
  partition: string;
  /** The record is below the one with this id at the source, such as a file below its message; null is the top. */
  parent: Generated<string | null>;
  /**
   * Everything below the record was stored when the record had this version (syncs/pipeline/below.ts). Null means that
   * nothing is below it, or that the source must be asked again.
   */
  below_version: Generated<string | null>;
  /** This is the generation of the pull that saw the entity last. */
  generation: number;
  /** This is the generation of the last pull that met the record and failed to take it in; its sweep keeps the entity. */
  spared: Generated<number>;
  /** If true, GET /v1/entities lists the entity: it was listable and not hidden when the row was last written. */
  is_listed: Flag;
  name: string;
  url: string | null;
  breadcrumbs: JsonColumn<Breadcrumb[]>;
  source_created_at: number | null;
  source_updated_at: number | null;
  /** These principals may see the entity; null means that the source does not restrict access. */
  viewers: NullableJsonColumn<string[]>;
  is_public: Flag;
  metadata: JsonColumn<Record<string, unknown>>;
  /**
   * This is the whole entity before all transformers, as compressed JSON (deflate). When the transformers of the
   * connection change, they are applied to it again.
   */
  raw: Bytes;
  /** This is the entity as the transformers changed it, in the form of `raw`; null when they did not change it. */
  shown: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>;
  created_at: number;
  modified_at: number;
}

/** A row is a transformer of an organization; the transformers of the system are code. */
export interface TransformerTable {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  method_name: string;
  /** The path is relative to QUARRY_TRANSFORMERS_DIR. */
  module_name: string;
  config_schema: JsonColumn<Record<string, unknown>>;
  /** These are ids of entity definitions. */
  input_definitions: JsonColumn<string[]>;
  output_definitions: JsonColumn<string[]>;
  created_at: number;
  modified_at: number;
  created_by_email: string;
  modified_by_email: string;
}

interface GroupMemberTable {
  connection_id: string;
  /**
   * This is the generation of the pull that listed the membership. Only rows with the generation in the connection's
   * `members_list` are used.
   */
  list: Generated<number>;
  group_name: string;
  member: string;
}

/** A row is the index of one collection. engines/index/rows.ts explains the numbering of chunks. */
export interface IndexTable {
  number: Generated<number>;
  collection_id: string;
  /** This number grows with every commit that may change a search result. */
  version: number;
  /** This is the number of the next chunk. */
  next_chunk: number;
  chunks: number;
  /** This is the number of terms in all chunks. */
  terms: number;
  /** These are mean and standard deviation of the cosines of the texts; null until enough texts have vectors. */
  cosine_mean: Generated<number | null>;
  cosine_spread: Generated<number | null>;
  /** The collection had this many chunks with vectors when `cosine_mean` and `cosine_spread` were measured. */
  cosine_chunks: Generated<number>;
  /** This is the name of the stored copy of the memory (engines/index/segments.ts); null while there is none. */
  segment: Generated<string | null>;
}

/**
 * A row names the form of a collection's index. Only PostgreSQL uses the table; see engines/index/postgres-forms.ts.
 */
interface IndexFormTable {
  /** This is the number of the row in `indexes`. */
  number: number;
  collection_id: string;
  words: 'memory' | 'bm25';
  vectors: 'scan' | 'hnsw';
}

interface ChunkTable {
  n: number;
  collection_id: string;
  connection_id: string;
  /** This is the row id of the entity. */
  entity: string;
  position: number;
  heading: string | null;
  page: number | null;
  place: string | null;
  /** It is null until the entity is split again after an upgrade. */
  line: number | null;
  text_hash: string;
  /** This is the number of terms of the chunk. */
  length: number;
}

interface ChunkBodyTable {
  n: number;
  collection_id: string;
  text: string;
  scale: number;
  vector: Bytes;
  /** These are the numbers that `termNumbers` returns. Null is a fault, which the doctor repairs. */
  terms: Bytes | null;
  /** If false, the terms do not begin with those of the entity's name, because the text begins with the name. */
  is_titled: Flag;
}

/** The table lists the numbers of removed chunks, so that processes with chunks in memory can remove these chunks. */
interface GoneTable {
  seq: Generated<number>;
  collection_id: string;
  n: number;
  at: number;
}

interface JobTable {
  /** The database assigns the number; within a lane a smaller number is older. */
  seq: Generated<number>;
  id: string;
  name: string;
  data: JsonColumn<unknown>;
  /** It is null when no request has caused the job. */
  cause: CauseColumn;
  /** Entries of one lane run one at a time, in the order in which they were inserted. */
  lane: string;
  run_at: number;
  attempts: number;
  lease_token: string | null;
  lease_until: number | null;
}

/** This table is the outbox. A row is an event, from which webhook deliveries are made. See events/store.ts. */
interface EventTable {
  /** Within a connection and within a collection, the numbers are in the order of the commits. */
  seq: Generated<number>;
  id: string;
  organization_id: string;
  collection_id: string;
  connection_id: string | null;
  event_type: string;
  /** The payload is JSON. Deliveries send exactly these bytes. */
  payload: string;
  cause: CauseColumn;
  created_at: number;
}

interface MaintenanceRunTable {
  id: string;
  collection_id: string;
  kind: MaintenanceKind;
  created_at: number;
  created_by_email: string;
}

export interface StoredProblem {
  kind: string;
  count: number;
  examples: string[];
}

/** A task is the part of a run that concerns one connection, or the collection's index (then without a connection). */
export interface MaintenanceTaskTable {
  id: string;
  run_id: string;
  kind: 'reindex' | 'repair' | 'index' | 'listing';
  connection_id: string | null;
  status: MaintenanceStatus;
  /**
   * The task processes entities in the order of their ids at the source. This is the id of the last one that is done.
   */
  after_id: string | null;
  /**
   * `total` counts the entities of the task, and `done` those that are done. `rewritten` and `failed` count the done
   * entities that were rewritten, and those that could not be read.
   */
  total: number;
  done: number;
  rewritten: number;
  failed: number;
  /**
   * These are row ids of entities that the task rewrites without checking them again. Null stands for all entities of
   * the connection.
   */
  suspects: JsonColumn<string[] | null>;
  findings: JsonColumn<StoredProblem[]>;
  error: string | null;
  started_at: number | null;
  /** This is when the task began or last made progress. */
  progressed_at: Generated<number | null>;
  ended_at: number | null;
}

/** A row counts the agentic queries of one organization in the present hour, for its quota. */
interface AgenticQueryTable {
  organization_id: string;
  /** This is the number of hours since 1970, by the clock of the database. */
  hour: number;
  /** This counts the queries of that hour. */
  count: number;
}

interface UsageDayTable {
  organization_id: string;
  /** This is the number of days since 1970 in UTC, by the clock of the database. */
  day: number;
  searches: number;
  agentic_searches: number;
  /** This is the number of stored records when they were last counted on that day; null when they never were. */
  records: number | null;
}

export interface WebhookSubscriptionTable {
  id: string;
  organization_id: string;
  url: string;
  description: string | null;
  filter_types: JsonColumn<string[]>;
  /**
   * This secret and those in `old_secrets` are encrypted for the `id` of the row; `secret_key` names the encryption
   * key.
   */
  secret: Sealed;
  secret_key: string;
  /** These are earlier secrets, the newest first. Each is used for an additional signature until its `until`. */
  old_secrets: ColumnType<{ secret: Sealed; until: number }[], string | undefined, string>;
  disabled_at: number | null;
  /** This sentence says why Quarry disabled the subscription; null when a person disabled it, and while it is enabled. */
  disabled_reason: string | null;
  /** This is the time of the first failure since the last success. */
  failing_since: number | null;
  /** Nothing is sent before this time, because the endpoint has asked us to wait (Retry-After). */
  rest_until: Generated<number>;
  created_at: number;
  modified_at: number;
}

/** A row is the delivery of one message to one subscription. A trigger on `events` makes it. */
interface WebhookDeliveryTable {
  subscription_id: string;
  event_seq: number;
  state: DeliveryState;
  /** This counts the attempts that have ended since the delivery was made or recovered. */
  attempts: number;
  /** This is the due time of the delivery. While the delivery is leased, it is the end of the lease. */
  due_at: number;
  /** This is the token of the lease that a process holds while it works on the delivery; otherwise null. */
  lease_token: string | null;
  /** This is when the message was created. */
  created_at: number;
}

/** A row is an attempt that has ended. */
export interface WebhookAttemptTable {
  id: string;
  organization_id: string;
  subscription_id: string;
  message_id: string;
  status: AttemptResult;
  /** This is the first KiB of the answer's body. */
  response: string;
  /** This is 0 when no answer came. */
  response_status_code: number;
  error: string | null;
  url: string;
  duration_ms: number;
  /** This is when the attempt began. */
  created_at: number;
}

interface WebhookRecoveryTable {
  id: string;
  subscription_id: string;
  /**
   * The recovery covers the messages from `since` on and before `until`. With a null `until` it covers all later
   * messages.
   */
  since: number;
  until: number | null;
  status: RecoveryState;
  /** `after_seq` is the number of the last processed message, `messages` the number of messages that became due. */
  after_seq: number;
  messages: number;
  created_at: number;
  completed_at: number | null;
}

/**
 * A row limits how many requests an organization sends to a source in a span of time. `provider_proxy` stands for all
 * requests that auth providers forward.
 */
export interface SourceRateLimitTable {
  id: string;
  organization_id: string;
  source_short_name: string;
  max_requests: number;
  window_seconds: number;
  created_at: number;
  modified_at: number;
}

/** A row is a window: all requests that it admits are counted together. */
interface SourceWindowTable {
  id: Generated<number>;
  organization_id: string;
  source_short_name: string;
  /** This is '' when all connections of the organization share the window, and for settings that are not saved yet. */
  connection_id: string;
}

/** A row is a request that was admitted. rate-limits/admission-store.ts explains the numbers and times. */
interface SourceAdmissionTable {
  window_id: number;
  seq: number;
  at: number;
  skew: number;
  /** This is '' for settings that are not saved yet. */
  connection_id: string;
}

/**
 * A row is a connection that waits for its turn in a window. Both times are by the clock of the window
 * (rate-limits/window.ts).
 */
interface SourceWaitTable {
  window_id: number;
  connection_id: string;
  since: number;
  /** After this time the row is ignored, because the connection did not come back. */
  until: number;
}

/** The table has one row. */
interface RefusedWriteTable {
  /** This says in a few words why the database refuses writes; null while the database accepts writes. */
  reason: string | null;
  /** This is the time of the first refused write since the last accepted one. */
  since: number | null;
  /** These are the bytes of the last test write; null once a test write succeeded. */
  trial: Uint8Array | null;
  probed_at: number | null;
}

/** A backup that the service makes into its folder. It belongs to the installation, and to no organization. */
export interface BackupTable {
  id: string;
  /** The file in the folder has this name. */
  name: string;
  trigger: 'request' | 'schedule';
  status: MaintenanceStatus;
  /** It is 1 until the backup has ended, and then null: it is unique, so one backup is made at a time. */
  active: number | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  size_bytes: number | null;
  table_count: number | null;
  row_count: number | null;
  digest: string | null;
  error: string | null;
  /** Only the worker with this lease may write the file. */
  lease_token: string | null;
  /** They say how the last check of the file went. They are null when nobody has asked for one. */
  check_status: MaintenanceStatus | null;
  check_ended_at: number | null;
  check_error: string | null;
}

/** A process on PostgreSQL, which is alive until the time that its row says (process-store.ts). */
export interface ProcessTable {
  id: string;
  host: string;
  /** They are separated by commas. */
  roles: string;
  version: string;
  /** The process knows this migration and those before it. */
  newest_migration: string;
  started_at: number;
  alive_until: number;
}

/** An older version that does not know the migration may use the database (side-by-side.ts). */
interface AdditiveMigrationTable {
  name: string;
}

export interface Schema {
  organizations: OrganizationTable;
  users: UserTable;
  memberships: MembershipTable;
  invitations: InvitationTable;
  sessions: SessionTable;
  audit_events: AuditEventTable;
  start_links: StartLinkTable;
  sign_in_failures: SignInFailureTable;
  api_keys: ApiKeyTable;
  collections: CollectionTable;
  auth_providers: AuthProviderTable;
  connections: ConnectionTable;
  connection_tokens: ConnectionTokenTable;
  browser_sign_ins: BrowserSignInTable;
  entity_counts: EntityCountTable;
  entity_count_points: EntityCountPointTable;
  entity_fields: EntityFieldTable;
  sync_jobs: SyncJobTable;
  job_counts: JobCountTable;
  left_out_records: LeftOutRecordTable;
  refused_records: RefusedRecordTable;
  held_back_deletions: HeldBackDeletionTable;
  job_partitions: JobPartitionTable;
  folder_watches: FolderWatchTable;
  pushes: PushTable;
  push_keys: PushKeyTable;
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
  usage_days: UsageDayTable;
  transformers: TransformerTable;
  webhook_subscriptions: WebhookSubscriptionTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
  webhook_recoveries: WebhookRecoveryTable;
  refused_writes: RefusedWriteTable;
  backups: BackupTable;
  processes: ProcessTable;
  additive_migrations: AdditiveMigrationTable;
  source_rate_limits: SourceRateLimitTable;
  source_windows: SourceWindowTable;
  source_admissions: SourceAdmissionTable;
  source_waits: SourceWaitTable;
}

export type Tx = Transaction<Schema>;

/** Queries run on the database, or in the transaction that the caller has opened. */
export type Db = Kysely<Schema> | Tx;
