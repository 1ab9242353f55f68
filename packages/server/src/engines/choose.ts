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
}

/** PostgreSQL where one is named, else a SQLite file in the data directory. */
export const databaseUrl = (settings: DatabaseSettings): string =>
  settings.DATABASE_URL ?? join(settings.QUARRY_DATA_DIR, 'quarry.db');

export function chooseIndex(url: string, db: Kysely<Schema>, embedder: Embedder): SearchIndex {
  const { dimensions } = embedder;
  return databaseKind(url) === 'sqlite'
    ? createSqliteIndex({ path: url, dimensions })
    : createExactIndex({ db, kind: 'postgres', dimensions });
}
