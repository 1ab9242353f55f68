/** This file opens the configured database. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { CONNECT_MS, clientSettings, setSession } from './client-settings.ts';
import { clientWithDeadlines } from './deadline.ts';
import { migratedInTransaction } from './migration-lock.ts';
import { PipelinedDialect } from './pipelined.ts';
import type { Schema } from './schema.ts';
import { withDeadline } from './short.ts';
import { MAX_CONNECTIONS, type SqliteOptions, sqliteDialect } from './sqlite.ts';

// The driver returns 64-bit integers as text unless a parser is set. Our times and counts fit into a number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseKind = 'sqlite' | 'postgres';

/** `url` is `postgres://…`, or the path of a SQLite file. */
export const databaseKind = (url: string): DatabaseKind =>
  /^postgres(ql)?:/.test(url) ? 'postgres' : 'sqlite';

export interface ConnectOptions extends Pick<SqliteOptions, 'durability' | 'maxConnections'> {
  /**
   * A write waits at most this long for another writer. On PostgreSQL, a statement of a transaction waits so long for a lock,
   * unless the transaction has no limits (limits.ts).
   */
  readonly lockWaitMs?: number;
  /**
   * A statement fails when it is not answered in this time, unless its transaction has no limits (limits.ts). Without this, only
   * the operating system gives up on a server that is gone, after about 15 minutes (PostgreSQL only).
   */
  readonly statementMs?: number;
  /**
   * This is the time limit for connecting to the server, and for a query to get a connection of the pool (PostgreSQL
   * only).
   */
  readonly connectMs?: number;
  /** The pool opens at most this many connections at once (PostgreSQL only). */
  readonly poolSize?: number;
  /** If true, a part of the file is mapped into memory, because searches read much of it (SQLite only). */
  readonly isSearched?: boolean;
}

/**
 * All connections of a thread together map this much, because each of them has a map of its own, whose pages count as
 * memory of the process again. With a quarter of it, one connection reads the rows of 200 chunks in 2.0 ms of processor
 * time, instead of 1.9 with all of it and 2.2 without a map.
 */
const MAPPED_BYTES = 2 ** 26;

const POOL = 10;

/** The first limit is that of SQLite, where all writers wait for each other, and the second one that of PostgreSQL. */
const WRITE_WAIT_MS = 5000;
const LOCK_WAIT_MS = 10_000;

export function connect(
  url: string,
  {
    lockWaitMs,
    statementMs,
    connectMs = CONNECT_MS,
    poolSize = POOL,
    isSearched = false,
    ...sqlite
  }: ConnectOptions = {},
): Kysely<Schema> {
  if (databaseKind(url) === 'postgres')
    return postgres(
      new pg.Pool({
        ...clientSettings(url, connectMs),
        onConnect: (client) => setSession(client, connectMs),
        max: poolSize,
        pipeline: true,
        Client: clientWithDeadlines(statementMs),
      }),
      lockWaitMs,
    );
  const { maxConnections = MAX_CONNECTIONS } = sqlite;
  const mappedBytes = isSearched ? MAPPED_BYTES / maxConnections : 0;
  return new Kysely<Schema>({
    dialect: sqliteDialect(url, {
      ...sqlite,
      lockWaitMs: lockWaitMs ?? WRITE_WAIT_MS,
      mappedBytes,
    }),
  });
}

/** Makes a database from a pool of PostgreSQL connections. Tests give a pool of their own. */
export function postgres(pool: pg.Pool, lockWaitMs = LOCK_WAIT_MS): Kysely<Schema> {
  // When the server closes an idle connection, the pool replaces it at the next query, so the error is ignored.
  pool.on('error', () => {});
  // When a connection in use is closed between two statements, the next statement fails, so this error is ignored too.
  // Without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const dialect = pool.options.pipeline
    ? new PipelinedDialect(pool, lockWaitMs)
    : new PostgresDialect({ pool });
  return new Kysely<Schema>({ dialect: migratedInTransaction(dialect) });
}

/** Throws when the database does not answer. */
export const ping = async (db: Kysely<Schema>): Promise<void> =>
  void (await sql`select 1`.execute(withDeadline(db)));
