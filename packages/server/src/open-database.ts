/** Opens the database of a process, and brings it to the version of the process or refuses it. */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { databaseUrl } from './db/address.ts';
import { connect, databaseKind } from './db/connect.ts';
import { prepareDataDir } from './db/data-dir.ts';
import { joinProcesses } from './db/join-processes.ts';
import { lockDataDir } from './db/lock.ts';
import { assertMigrated, migrate } from './db/migrate.ts';
import type { OpenDatabase } from './engines/choose.ts';
import type { Closing } from './process-roles.ts';
import { takeOverFromDead } from './take-over.ts';
import { poolSizes } from './thread-settings.ts';
import { VERSION } from './version.ts';

/** No statement of a request takes so long, so the machine of the database is gone, or it will never answer on this connection. */
const STATEMENT_MS = 120_000;

interface OpeningProcess {
  readonly log: Logger;
  /** An open database replaces the one that the configuration names. */
  readonly database?: OpenDatabase;
  /** The function is called when the process cannot go on. */
  readonly onFatal: (error: Error) => void;
}

export async function openDatabase(
  config: Config,
  options: OpeningProcess,
  closing: Closing,
): Promise<OpenDatabase> {
  prepareDataDir(config.QUARRY_DATA_DIR);
  if (!config.DATABASE_URL && !options.database) closing.push(lockDataDir(config.QUARRY_DATA_DIR));
  const database = options.database ?? connectTo(databaseUrl(config), poolSizes(config).requests);
  const { db, kind } = database;
  if (!options.database) closing.push(() => db.destroy());
  await (config.QUARRY_MIGRATE ? migrate : assertMigrated)(db, kind);
  // Only one process uses an embedded database, so every lease in it was held by a process that has ended.
  if (kind === 'sqlite') await takeOverFromDead(db);
  else {
    const roles = config.QUARRY_ROLES;
    closing.push(await joinProcesses(db, { ...options, kind, roles, version: VERSION }));
  }
  return database;
}

const connectTo = (url: string, poolSize: number): OpenDatabase => ({
  db: connect(url, { poolSize, statementMs: STATEMENT_MS }),
  kind: databaseKind(url),
  url,
});
