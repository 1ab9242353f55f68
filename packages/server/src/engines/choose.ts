/** Configuration → engines. The only place that decides which implementation runs. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { must } from '../util.ts';
import { createPostgresIndex } from './index/postgres.ts';
import { preparePostgresIndex } from './index/postgres-prepare.ts';
import { createSqliteIndex } from './index/sqlite.ts';
import type { Embedder, SearchIndex } from './ports.ts';

export interface DatabaseSettings {
  readonly DATABASE_URL?: string | undefined;
  readonly QUARRY_DATA_DIR: string;
  readonly QUARRY_INDEX_MEMORY_MB: number;
}

/** PostgreSQL where one is named, else a SQLite file in the data directory. */
export const databaseUrl = (
  settings: Pick<DatabaseSettings, 'DATABASE_URL' | 'QUARRY_DATA_DIR'>,
): string => settings.DATABASE_URL ?? join(settings.QUARRY_DATA_DIR, 'quarry.db');

/** An open database. */
export interface OpenDatabase {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /** What `connect` takes; null when only this process can reach it, which is never so for SQLite. */
  readonly url: string | null;
}

export function chooseIndex(
  settings: Pick<DatabaseSettings, 'QUARRY_INDEX_MEMORY_MB'>,
  { db, kind, url }: OpenDatabase,
  embedder: Embedder,
): SearchIndex {
  const options = {
    dimensions: embedder.dimensions,
    budget: settings.QUARRY_INDEX_MEMORY_MB * 2 ** 20,
  };
  return kind === 'sqlite'
    ? createSqliteIndex({ path: must(url), ...options })
    : createPostgresIndex({ db, ...options });
}

/** Once at a start, after the migrations, which say what is in the database and not what can search it. */
export async function prepareIndex(
  { db, kind }: OpenDatabase,
  embedder: Embedder,
  log: Logger,
): Promise<void> {
  if (kind === 'sqlite') return;
  const { words, vectors } = await preparePostgresIndex(db, embedder.dimensions, (collections) =>
    log.info({ collections }, 'the search index is made anew for what the database has installed'),
  );
  log.info(
    {
      words: words === 'bm25' ? 'pg_textsearch' : 'full text of PostgreSQL',
      vectors: vectors === 'hnsw' ? 'pgvector' : 'scan in memory',
    },
    'search index on PostgreSQL',
  );
}
