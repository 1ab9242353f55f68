/** This file says where the database of the settings is. */
import { join } from 'node:path';

interface AddressSettings {
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_DIRECT_URL?: string | undefined;
  readonly QUARRY_DATA_DIR: string;
}

/**
 * Returns the URL of PostgreSQL when the settings name one, else the path of a SQLite file in the data directory.
 */
export const databaseUrl = (
  settings: Pick<AddressSettings, 'DATABASE_URL' | 'QUARRY_DATA_DIR'>,
): string => settings.DATABASE_URL ?? join(settings.QUARRY_DATA_DIR, 'quarry.db');

/** Returns the same without a pooler between, for what needs a session of its own. */
export const directDatabaseUrl = (settings: AddressSettings): string =>
  settings.DATABASE_DIRECT_URL ?? databaseUrl(settings);
