/** Opens the empty database that a copy fills, and closes it again. */
import { dirname } from 'node:path';
import { type CopyOrigin, copyIntoPostgres, copyIntoSqlite } from '../backup/copy-into.ts';
import { digestOfTables, type TableTotals } from '../backup/parts.ts';
import type { Config } from '../config.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { prepareDataDir } from '../db/data-dir.ts';
import { lockDataDir } from '../db/lock.ts';
import { explained } from '../db/unavailable.ts';
import { opensStored } from '../encryption/keys.ts';
import type { CopyFacts } from './copy-text.ts';

/** Takes the address of a database in the form of `connect`. Throws an Error with a sentence, and then nothing has changed. */
export async function fillDatabase(url: string, origin: CopyOrigin): Promise<CopyFacts> {
  const totals = await (databaseKind(url) === 'sqlite' ? fillSqlite : fillPostgres)(url, origin);
  return {
    tables: totals.length,
    rows: totals.reduce((sum, one) => sum + one.rows, 0),
    digest: digestOfTables(totals),
  };
}

async function fillPostgres(url: string, origin: CopyOrigin): Promise<readonly TableTotals[]> {
  const db = connect(url);
  try {
    return await copyIntoPostgres(db, origin);
  } catch (error) {
    throw explained(error);
  } finally {
    await db.destroy();
  }
}

async function fillSqlite(path: string, origin: CopyOrigin): Promise<readonly TableTotals[]> {
  prepareDataDir(dirname(path));
  const free = lockDataDir(dirname(path));
  try {
    return await copyIntoSqlite(path, origin);
  } catch (error) {
    throw explained(error);
  } finally {
    free();
  }
}

/** Says what is missing when the keys of the settings do not open what the database holds; otherwise returns null. */
export async function keyAdvice(url: string, config: Config): Promise<string | null> {
  const db = connect(url);
  try {
    if (await opensStored(db, config)) return null;
  } finally {
    await db.destroy();
  }
  return `The stored credentials and signing secrets are sealed with another encryption key, and a start is refused until it is there: copy encryption.key of the first installation into ${config.QUARRY_DATA_DIR}, or set QUARRY_ENCRYPTION_KEY to its key (docs/encryption.md).`;
}
