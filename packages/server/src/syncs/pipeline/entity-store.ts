/** Writes the rows of entities, new ones and those that replace older ones. */
import { type Insertable, sql } from 'kysely';
import { DECODED_COLUMNS } from '../../db/columns.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { EntityTable, Tx } from '../../db/schema.ts';
import { chunked, must } from '../../util.ts';

type WrittenRow = Insertable<EntityTable>;
type EntityColumn = keyof EntityTable;

/** This keeps the bind variables of a statement below the limit of SQLite. */
const ROWS = 100;

/** These columns are unique together. On PostgreSQL the collection is one of them (db/distributed.ts). */
const UNIQUE: Readonly<Record<DatabaseKind, readonly EntityColumn[]>> = {
  sqlite: ['connection_id', 'entity_id'],
  postgres: ['connection_id', 'entity_id', 'collection_id'],
};

/** All rows must have the same columns. */
export async function writeEntities(
  tx: Tx,
  kind: DatabaseKind,
  rows: readonly WrittenRow[],
): Promise<void> {
  for (const some of chunked(rows, ROWS))
    await inserting(tx, kind, some)
      .onConflict((conflict) =>
        conflict.columns(UNIQUE[kind]).doUpdateSet((row) => ({
          entity_type: row.ref('excluded.entity_type'),
          definition_id: row.ref('excluded.definition_id'),
          sync_job_id: row.ref('excluded.sync_job_id'),
          hash: row.ref('excluded.hash'),
          source_hash: row.ref('excluded.source_hash'),
          origin: row.ref('excluded.origin'),
          is_hidden: row.ref('excluded.is_hidden'),
          has_secret: row.ref('excluded.has_secret'),
          extract_version: row.ref('excluded.extract_version'),
          content_hash: row.ref('excluded.content_hash'),
          chunk_version: row.ref('excluded.chunk_version'),
          is_searchable: row.ref('excluded.is_searchable'),
          is_listable: row.ref('excluded.is_listable'),
          chain: row.ref('excluded.chain'),
          chain_version: row.ref('excluded.chain_version'),
          failed_attempt: row.ref('excluded.failed_attempt'),
          is_damaged: row.ref('excluded.is_damaged'),
          version: row.ref('excluded.version'),
          partition: row.ref('excluded.partition'),
          parent: row.ref('excluded.parent'),
          generation: row.ref('excluded.generation'),
          is_listed: row.ref('excluded.is_listed'),
          name: row.ref('excluded.name'),
          url: row.ref('excluded.url'),
          breadcrumbs: row.ref('excluded.breadcrumbs'),
          source_created_at: row.ref('excluded.source_created_at'),
          source_updated_at: row.ref('excluded.source_updated_at'),
          viewers: row.ref('excluded.viewers'),
          is_public: row.ref('excluded.is_public'),
          metadata: row.ref('excluded.metadata'),
          raw: row.ref('excluded.raw'),
          shown: row.ref('excluded.shown'),
          modified_at: row.ref('excluded.modified_at'),
        })),
      )
      .execute();
}

/**
 * PostgreSQL gets an array for each column. With a parameter for each value, a statement would have 4,000 of them, and
 * another text for each number of rows.
 */
function inserting(tx: Tx, kind: DatabaseKind, rows: readonly WrittenRow[]) {
  const into = tx.insertInto('entities');
  if (kind !== 'postgres') return into.values(rows);
  const columns = Object.keys(must(rows[0])) as EntityColumn[];
  const arrays = columns.map((name) => {
    const values = rows.map((row) => row[name] ?? null);
    return sql`${values}::${sql.raw(typeOf(name))}[]`;
  });
  return into.columns(columns).expression(sql`select * from unnest(${sql.join(arrays)})`);
}

const TYPES: Readonly<Partial<Record<EntityColumn, 'bigint' | 'bytea'>>> = {
  generation: 'bigint',
  source_created_at: 'bigint',
  source_updated_at: 'bigint',
  created_at: 'bigint',
  modified_at: 'bigint',
  raw: 'bytea',
  shown: 'bytea',
};

function typeOf(name: EntityColumn): string {
  const decoded: Readonly<Partial<Record<EntityColumn, string>>> = DECODED_COLUMNS.entities;
  if (decoded[name] === 'json') return 'jsonb';
  return decoded[name] ?? TYPES[name] ?? 'text';
}
