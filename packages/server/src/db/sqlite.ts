/**
 * This file makes Kysely work with Node's own `node:sqlite`.
 *
 * Every call blocks its thread, so long statements belong in the worker and search threads. SQLite's own waiting for a
 * lock would block the event loop, so it is switched off: a connection that finds the database locked tries again every
 * millisecond, with an await in between. A transaction takes the write lock when it begins, unless it is read-only. If
 * it read first and took the lock later, its write would fail when another connection has written in between, whatever
 * the timeout is. Readers do not wait for writers (WAL). There are several connections, so that reads go on while a
 * transaction of this thread writes. Only one of them writes at a time: the others that want to write wait for their
 * turn (write-turns.ts) and occupy no connection meanwhile.
 */
import { DatabaseSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { instantOf } from '../model/instant.ts';
import { keepPrivate } from './private-file.ts';
import { busyError, SqliteConnection } from './sqlite-connection.ts';
import { createWriteTurns } from './write-turns.ts';

export const MAX_CONNECTIONS = 4;

/**
 * With 'full', the default, a commit returns when it is on the disk (fsync). With 'process', it returns when the
 * operating system has it: it survives the end of the process, but a loss of power may undo the last such commits.
 * Neither setting can damage the database (https://sqlite.org/pragma.html#pragma_synchronous).
 */
type SqliteDurability = 'full' | 'process';

export interface SqliteOptions {
  /** A statement may try this long to get the write lock. */
  readonly lockWaitMs: number;
  readonly durability?: SqliteDurability;
  /** The number of connections that may be open at a time; others wait for one of them. */
  readonly maxConnections?: number;
  /** Each connection maps up to this many bytes of the file into memory, so that reads need no copies. */
  readonly mappedBytes: number;
}

export const sqliteDialect = (path: string, options: SqliteOptions): Dialect => ({
  createDriver: () => new SqliteDriver(path, options),
  createAdapter: () => new PooledAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});

class PooledAdapter extends SqliteAdapter {
  /** Without this, Kysely would run only one query at a time, although there are several connections. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * Without this, Kysely would commit each statement of a migration separately, and a start that dies during a
   * migration would leave a schema that no start can complete.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Opens a connection with the pragmas that all connections share. */
export function openSqlite(
  path: string,
  mappedBytes = 0,
  durability: SqliteDurability = 'full',
): DatabaseSync {
  keepPrivate(path);
  const database = new DatabaseSync(path, { timeout: 0, defensive: true });
  const synchronous = durability === 'full' ? 'full' : 'normal';
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`);
  database.exec('pragma wal_autocheckpoint = 2000');
  // This function replaces SQLite's own date functions, which accept the 31st of February. SQLite may call it for any
  // value, and Node refuses to pass a whole number from 2^53 as a number.
  database.function('instant_of', { deterministic: true, useBigIntArguments: true }, (value) =>
    typeof value === 'string' ? (instantOf(value) ?? null) : null,
  );
  database.exec('pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -8000');
  database.exec(`pragma mmap_size = ${mappedBytes}`);
  return database;
}

/** The connections to one file, of which each serves one caller at a time. */
class SqlitePool {
  readonly turns = createWriteTurns();
  readonly options: SqliteOptions;
  readonly #path: string;
  readonly #idle: SqliteConnection[] = [];
  readonly #all: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(path: string, options: SqliteOptions) {
    this.#path = path;
    this.options = options;
  }

  async take(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const { mappedBytes, durability, maxConnections = MAX_CONNECTIONS } = this.options;
    if (this.#all.length < maxConnections) {
      const database = openSqlite(this.#path, mappedBytes, durability);
      const connection = new SqliteConnection(database);
      this.#all.push(connection);
      return connection;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  giveBack(connection: SqliteConnection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}

/** Stands for a connection, and takes one when it is used: the first statement says whether it needs a turn to write. */
class SqliteLease implements DatabaseConnection {
  readonly #pool: SqlitePool;
  #opened: Promise<SqliteConnection> | undefined;
  #connection: SqliteConnection | undefined;
  #endTurn: (() => void) | undefined;
  #isGivenBack = false;

  constructor(pool: SqlitePool) {
    this.#pool = pool;
  }

  get inTransaction(): boolean {
    return this.#connection?.inTransaction ?? false;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const deadline = performance.now() + this.#pool.options.lockWaitMs;
    return (await this.#open(query)).run(query, deadline);
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield* (await this.#open(query)).stream<Row>(query);
  }

  #open(query: CompiledQuery): Promise<SqliteConnection> {
    this.#opened ??= this.#openNow(writes(query));
    return this.#opened;
  }

  giveBack(): void {
    this.#isGivenBack = true;
    this.#endTurn?.();
    if (this.#connection) this.#pool.giveBack(this.#connection);
  }

  async #openNow(isWriting: boolean): Promise<SqliteConnection> {
    if (isWriting) {
      this.#endTurn = await this.#pool.turns.take(this.#pool.options.lockWaitMs, busyError);
      if (this.#isGivenBack) this.#endTurn();
    }
    const connection = await this.#pool.take();
    if (this.#isGivenBack) {
      this.#pool.giveBack(connection);
      throw new Error('the connection was given back before it was open');
    }
    this.#connection = connection;
    return connection;
  }
}

/**
 * Returns true when the statement may write. A statement for which it is wrong is executed all the same, and waits for
 * the lock of the database instead of its turn.
 */
const writes = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'RawNode'
    ? !/^\s*(select|with|pragma|explain|begin$)/i.test(sql)
    : query.kind !== 'SelectQueryNode';

class SqliteDriver implements Driver {
  readonly #pool: SqlitePool;

  constructor(path: string, options: SqliteOptions) {
    this.#pool = new SqlitePool(path, options);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteLease> {
    return new SqliteLease(this.#pool);
  }

  async releaseConnection(lease: DatabaseConnection): Promise<void> {
    (lease as SqliteLease).giveBack();
  }

  async beginTransaction(lease: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begin = settings.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await lease.executeQuery(CompiledQuery.raw(begin));
  }

  async commitTransaction(lease: DatabaseConnection): Promise<void> {
    await lease.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(lease: DatabaseConnection): Promise<void> {
    // After some errors (disk full, I/O), SQLite has already rolled the transaction back.
    if ((lease as SqliteLease).inTransaction)
      await lease.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    this.#pool.close();
  }
}
