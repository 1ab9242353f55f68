/**
 * This file makes Kysely work with Node's own `node:sqlite`.
 *
 * Every call blocks its thread, so long statements belong in the worker and search threads. SQLite's own waiting for a
 * lock would block the event loop, so it is switched off: a connection that finds the database locked tries again every
 * millisecond, with an await in between. A transaction takes the write lock when it begins, unless it is read-only. If
 * it read first and took the lock later, its write would fail when another connection has written in between, whatever
 * the timeout is. Readers do not wait for writers (WAL). There are several connections, so that reads go on while a
 * transaction of this thread waits for the lock.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { LRUCache } from 'lru-cache';
import { instantOf } from '../model/instant.ts';
import { type Decode, decoderOf } from './columns.ts';

export const MAX_CONNECTIONS = 4;
const CACHED_STATEMENTS = 300;
const CHANGES_SCHEMA = /^\s*(alter|create|drop)\b/i;

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
  const database = new DatabaseSync(path, { timeout: 0, defensive: true });
  const synchronous = durability === 'full' ? 'full' : 'normal';
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`);
  database.exec('pragma wal_autocheckpoint = 2000');
  // This function replaces SQLite's own date functions, which accept the 31st of February.
  database.function('instant_of', { deterministic: true }, (text) =>
    typeof text === 'string' ? (instantOf(text) ?? null) : null,
  );
  database.exec('pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -8000');
  database.exec(`pragma mmap_size = ${mappedBytes}`);
  return database;
}

class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #options: SqliteOptions;
  readonly #idle: SqliteConnection[] = [];
  readonly #all: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(path: string, options: SqliteOptions) {
    this.#path = path;
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const { lockWaitMs, mappedBytes, durability, maxConnections = MAX_CONNECTIONS } = this.#options;
    if (this.#all.length < maxConnections) {
      const database = openSqlite(this.#path, mappedBytes, durability);
      const connection = new SqliteConnection(database, lockWaitMs);
      this.#all.push(connection);
      return connection;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next(connection as SqliteConnection);
    else this.#idle.push(connection as SqliteConnection);
  }

  async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const begin = settings.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After some errors (disk full, I/O), SQLite has already rolled the transaction back.
    if ((connection as SqliteConnection).inTransaction)
      await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    for (const connection of this.#all) connection.close();
  }
}

interface CachedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
  readonly decode: Decode | null;
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #lockWaitMs: number;
  readonly #statements = new LRUCache<string, CachedStatement>({ max: CACHED_STATEMENTS });

  constructor(database: DatabaseSync, lockWaitMs: number) {
    this.#database = database;
    this.#lockWaitMs = lockWaitMs;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const parameters = query.parameters.map(bind);
    for (const deadline = performance.now() + this.#lockWaitMs; ; await sleep(1)) {
      try {
        return this.#run<Row>(query.sql, parameters);
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
    }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    // A statement has one cursor, so two streams of the same query need two statements.
    const { statement, decode } = this.#prepareNew(query.sql);
    for (const row of statement.iterate(...query.parameters.map(bind))) {
      decode?.(row);
      yield { rows: [row as Row] };
    }
  }

  close(): void {
    this.#database.close();
  }

  #run<Row>(sql: string, parameters: SQLInputValue[]): QueryResult<Row> {
    const { statement, givesRows, decode } = this.#prepare(sql);
    if (givesRows) {
      const rows = statement.all(...parameters);
      if (decode) rows.forEach(decode);
      return { rows: rows as Row[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    // A `select *` may have other columns after a change of the schema.
    if (CHANGES_SCHEMA.test(sql)) this.#statements.clear();
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  #prepare(sql: string): CachedStatement {
    let prepared = this.#statements.get(sql);
    if (!prepared) {
      // The decoder is cached too, because listing the columns of a result often takes longer than running the
      // statement.
      prepared = this.#prepareNew(sql);
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }

  #prepareNew(sql: string): CachedStatement {
    const statement = this.#database.prepare(sql);
    const columns = statement.columns();
    return { statement, givesRows: columns.length > 0, decode: decoderOf(columns) };
  }
}

const bind = (value: unknown) =>
  (typeof value === 'boolean' ? Number(value) : value) as SQLInputValue;

/** Returns true for SQLITE_BUSY with all its extended codes. https://sqlite.org/rescode.html#busy */
export const isBusy = (error: unknown) =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
