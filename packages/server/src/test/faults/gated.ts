/** SQLite that asks before each statement whether it may run, and says what each commit was made of. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { DeclaredColumns } from '../../db/columns.ts';
import type { Schema } from '../../db/schema.ts';
import { sqliteDialect } from '../../db/sqlite.ts';

export interface Gate {
  /** Resolves when the statement may run; throws what the database is to throw instead. */
  before(statement: string, isInside: boolean): Promise<void>;
  /** These statements have been committed. */
  committed(statements: readonly string[]): void;
}

export interface GatedDatabase {
  readonly db: Kysely<Schema>;
  /** Closes all connections at once, as the end of a process does: what is not committed is not there. */
  sever(): Promise<void>;
}

export function openGated(path: string, gate: Gate): GatedDatabase {
  const dialect = sqliteDialect(path, { patienceMs: 5000 });
  const driver = dialect.createDriver();
  const db = new Kysely<Schema>({
    dialect: { ...dialect, createDriver: () => new GatedDriver(driver, gate) },
    plugins: [new DeclaredColumns()],
  });
  return { db, sever: () => driver.destroy() };
}

/** What SqliteDriver needs of a connection besides the interface. */
type Connection = DatabaseConnection & { readonly inTransaction: boolean };

class GatedDriver implements Driver {
  readonly #driver: Driver;
  readonly #gate: Gate;
  readonly #gated = new WeakMap<DatabaseConnection, GatedConnection>();

  constructor(driver: Driver, gate: Gate) {
    this.#driver = driver;
    this.#gate = gate;
  }
  init(): Promise<void> {
    return this.#driver.init();
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = (await this.#driver.acquireConnection()) as Connection;
    const gated = this.#gated.get(connection) ?? new GatedConnection(connection, this.#gate);
    this.#gated.set(connection, gated);
    return gated;
  }
  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(connection, settings);
  }
  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(connection);
  }
  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(connection);
  }
  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection((connection as GatedConnection).inner);
  }
  destroy(): Promise<void> {
    return this.#driver.destroy();
  }
}

class GatedConnection implements DatabaseConnection {
  readonly inner: Connection;
  readonly #gate: Gate;
  #statements: string[] = [];

  constructor(inner: Connection, gate: Gate) {
    this.inner = inner;
    this.#gate = gate;
  }
  get inTransaction(): boolean {
    return this.inner.inTransaction;
  }
  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.inTransaction) this.#statements = [];
    if (query.sql !== 'rollback') await this.#gate.before(query.sql, this.inTransaction);
    const result = await this.inner.executeQuery<Row>(query);
    this.#statements.push(query.sql);
    if (!this.inTransaction && query.sql !== 'rollback') this.#gate.committed(this.#statements);
    return result;
  }
  streamQuery<Row>(query: CompiledQuery, rows: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.inner.streamQuery<Row>(query, rows);
  }
}
