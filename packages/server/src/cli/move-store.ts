/** `quarry migrate-store` copies everything from one database into another, such as from SQLite into PostgreSQL. */
import { join, resolve } from 'node:path';
import { withContentsAlone } from '../backup/contents.ts';
import type { Config } from '../config.ts';
import { directDatabaseUrl } from '../db/address.ts';
import { databaseKind } from '../db/connect.ts';
import { lockDataDir } from '../db/lock.ts';
import { copyLine, describeCopy } from './copy-text.ts';
import { fillDatabase, keyAdvice } from './fill-database.ts';
import { withOwnDatabase } from './own-database.ts';

/** The target is the address of a PostgreSQL, or a data directory. */
export async function moveStore(config: Config, target: string): Promise<void> {
  const from = directDatabaseUrl(config);
  const isPostgres = databaseKind(target) === 'postgres';
  // A folder of this name would hold a copy of everything, and the name may have a password in it.
  if (!isPostgres && target.includes('://'))
    throw new Error(
      '--to takes an address that begins with postgres:// or postgresql://, or a data directory',
    );
  const to = isPostgres ? target : join(resolve(target), 'quarry.db');
  if (to === from) throw new Error('the database is there already: name another one with --to');
  const kind = databaseKind(from);
  const line = copyLine();
  const copy = await withOwnDatabase(config, async (db) => {
    const free = kind === 'sqlite' ? lockDataDir(config.QUARRY_DATA_DIR) : null;
    try {
      return await withContentsAlone({ db, kind }, ({ migrations, parts }, stillAlone) =>
        fillDatabase(to, { migrations, parts, progress: line.progress, lastCheck: stillAlone }),
      );
    } finally {
      free?.();
    }
  }).finally(line.clear);
  process.stdout.write(
    `Both databases hold the same: ${describeCopy(copy)}.\n${isPostgres ? 'Start the service with its address in DATABASE_URL.' : `Start the service with QUARRY_DATA_DIR=${resolve(target)} and without DATABASE_URL.`} The first database is as it was: never start a service with it again, because it would repeat syncs and deliveries.\n`,
  );
  const settings = isPostgres ? config : { ...config, QUARRY_DATA_DIR: resolve(target) };
  const advice = await keyAdvice(to, settings);
  if (advice) process.stdout.write(`${advice}\n`);
}
