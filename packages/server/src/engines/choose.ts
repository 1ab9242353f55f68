/** Configuration → engines. The only place that decides which implementation runs. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { databaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { createExactIndex } from './index/exact.ts';
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

export function chooseIndex(
  settings: DatabaseSettings,
  db: Kysely<Schema>,
  embedder: Embedder,
): SearchIndex {
  const url = databaseUrl(settings);
  const options = {
    dimensions: embedder.dimensions,
    budget: settings.QUARRY_INDEX_MEMORY_MB * 2 ** 20,
  };
  return databaseKind(url) === 'sqlite'
    ? createSqliteIndex({ path: url, ...options })
    : createExactIndex({ db, kind: 'postgres', ...options });
}
