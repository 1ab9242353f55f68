/** Opens SQLite in such a way that each statement waits for a permission, and each commit reports its statements. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { sqliteDialect } from '../../db/sqlite.ts';

export interface Gate {
  /** Resolves when the statement may run, or throws the error that the database must throw instead. */
  before(statement: string, isInside: boolean, parameters: readonly unknown[]): Promise<void>;
  /** Receives the statements of a transaction that has just been committed. */
  committed(statements: readonly string[]): void;
}

export interface GatedDatabase {
  readonly db: Kysely<Schema>;
  /** Ends everything that its connections do, as the end of a process does: what is not committed is lost. */
  sever(): Promise<void>;
}

/** SqliteDriver also reads this property, which the interface does not have. */
type Connection = DatabaseConnection & { readonly inTransaction: boolean };

const PATIENCE_MS = 5000;

/** Opens the database on connections that another process has left, or on new ones. */
export function openGated(path: string, driver: Driver, gate: Gate): GatedDatabase {
  const gated = new GatedDriver(driver, gate);
  const db = new Kysely<Schema>({ dialect: { ...dialectOf(path), createDriver: () => gated } });
  return { db, sever: () => gated.sever() };
}

export const dialectOf = (path: string) =>
  sqliteDialect(path, { lockWaitMs: PATIENCE_MS, mappedBytes: 0 });

class GatedDriver implements Driver {
  readonly #driver: Driver;
  readonly #gate: Gate;
  /** The process uses these connections at the moment. */
  readonly #held = new Map<DatabaseConnection, GatedConnection>();
  #isSevered = false;

  constructor(driver: Driver, gate: Gate) {
    this.#driver = driver;
    this.#gate = gate;
  }
  init(): Promise<void> {
    return this.#driver.init();
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = (await this.#driver.acquireConnection()) as Connection;
    if (this.#isSevered) {
      // The process died while it waited for a connection, which now belongs to the next process.
      await this.#driver.releaseConnection(connection);
      return new Promise(() => {});
    }
    const gated = new GatedConnection(connection, this.#gate);
    this.#held.set(connection, gated);
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
    const { inner } = connection as GatedConnection;
    this.#held.delete(inner);
    return this.#driver.releaseConnection(inner);
  }
  async sever(): Promise<void> {
    this.#isSevered = true;
    for (const [connection, gated] of this.#held) {
      gated.sever();
      if (gated.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
      await this.#driver.releaseConnection(connection);
    }
    this.#held.clear();
  }
  async destroy(): Promise<void> {
    await this.sever();
  }
}

class GatedConnection implements DatabaseConnection {
  readonly inner: Connection;
  readonly #gate: Gate;
  #statements: string[] = [];
  #isSevered = false;

  constructor(inner: Connection, gate: Gate) {
    this.inner = inner;
    this.#gate = gate;
  }
  get inTransaction(): boolean {
    return this.inner.inTransaction;
  }
  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.inTransaction) this.#statements = [];
    if (query.sql !== 'rollback')
      await this.#gate.before(query.sql, this.inTransaction, query.parameters);
    this.#checkAlive();
    const result = await this.inner.executeQuery<Row>(query).catch((error: unknown) => {
      if (!this.#isSevered) throw error;
      // The process died while it waited for its turn to write, so nobody hears of the error.
      return new Promise<never>(() => {});
    });
    this.#statements.push(query.sql);
    if (!this.inTransaction && query.sql !== 'rollback') this.#gate.committed(this.#statements);
    return result;
  }
  streamQuery<Row>(query: CompiledQuery, rows: number): AsyncIterableIterator<QueryResult<Row>> {
    this.#checkAlive();
    return this.inner.streamQuery<Row>(query, rows);
  }
  sever(): void {
    this.#isSevered = true;
  }
  /** Throws when the process is dead, because its connection may already belong to another process. */
  #checkAlive(): void {
    if (this.#isSevered) throw new Error('the process that asks is dead');
  }
}
