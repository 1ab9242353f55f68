/**
 * SQLite stores booleans as integers and JSON as text. This file lists the columns with such values and decodes them to
 * the types that `schema.ts` declares. The compiler checks that the list is complete. PostgreSQL has both types and
 * does not need this.
 *
 * For each column of a result, SQLite reports the table and column from which its values come, even through joins,
 * aliases, subselects, unions and `returning` (https://sqlite.org/c3ref/column_database_name.html). So a text of a user
 * that looks like JSON stays a text. The value of an SQL expression does not come from a column and is not decoded.
 */
import type { StatementColumnMetadata } from 'node:sqlite';
import type { SelectType, UpdateType } from 'kysely';
import type { Schema } from './schema.ts';

type Kind = 'json' | 'boolean';

/** Finds the kind of a column by its types: a JSON column is written as text and read as another type. */
type KindOf<Column> = [SelectType<Column>] extends [boolean | null]
  ? 'boolean'
  : [UpdateType<Column>] extends [string | null]
    ? [SelectType<Column>] extends [string | null]
      ? never
      : 'json'
    : never;
type KindsOf<Table> = {
  [Name in keyof Table as KindOf<Table[Name]> extends never ? never : Name]: KindOf<Table[Name]>;
};
type Declared = {
  [Name in keyof Schema as keyof KindsOf<Schema[Name]> extends never ? never : Name]: KindsOf<
    Schema[Name]
  >;
};

export const DECODED_COLUMNS: Declared = {
  organizations: { feature_flags: 'json', quotas: 'json' },
  api_keys: { all_organizations: 'boolean', search_as: 'boolean', collection_ids: 'json' },
  audit_events: { details: 'json' },
  events: { cause: 'json' },
  collections: { sync_config: 'json', rerank_weights: 'json' },
  connections: { config: 'json', continuous: 'boolean', transformers: 'json', cursor: 'json' },
  browser_sign_ins: { starts_sync: 'boolean' },
  sync_jobs: {
    full: 'boolean',
    accept_deletions: 'boolean',
    encountered: 'json',
    left_out: 'json',
    by_type: 'json',
    skipped_by_reason: 'json',
    secret_examples: 'json',
    bookmark: 'json',
    settled: 'json',
    sync_config: 'json',
    error_details: 'json',
  },
  entity_count_points: { by_type: 'json' },
  left_out_records: { settled: 'boolean' },
  chunk_bodies: { is_titled: 'boolean' },
  job_partitions: { is_listed: 'boolean', lost: 'boolean' },
  entities: {
    is_hidden: 'boolean',
    has_secret: 'boolean',
    is_searchable: 'boolean',
    is_listable: 'boolean',
    is_damaged: 'boolean',
    is_listed: 'boolean',
    breadcrumbs: 'json',
    viewers: 'json',
    is_public: 'boolean',
    metadata: 'json',
  },
  jobs: { data: 'json', cause: 'json' },
  maintenance_tasks: { suspects: 'json', findings: 'json' },
  transformers: { config_schema: 'json', input_definitions: 'json', output_definitions: 'json' },
  webhook_subscriptions: { filter_types: 'json', old_secrets: 'json' },
};

type Row = Record<string, unknown>;

/** Decodes the values of a row in place. */
export type Decode = (row: Row) => void;

const DECODERS: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  json: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
  boolean: (value) => (typeof value === 'number' ? value !== 0 : value),
};

/** Returns the decoder of a result, or null when no column needs decoding. */
export function decoderOf(columns: readonly StatementColumnMetadata[]): Decode | null {
  const kinds: Readonly<Record<string, Readonly<Record<string, Kind>>>> = DECODED_COLUMNS;
  const decoded = columns.flatMap(({ name, table, column }) => {
    const kind = kinds[table ?? '']?.[column ?? ''];
    return kind === undefined ? [] : [[name, DECODERS[kind]] as const];
  });
  if (decoded.length === 0) return null;
  return (row) => {
    for (const [name, decode] of decoded) row[name] = decode(row[name]);
  };
}
