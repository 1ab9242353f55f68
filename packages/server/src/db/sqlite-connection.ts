/** A connection to a SQLite file, with the statements that it has prepared. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type Decode, decoderOf } from './columns.ts';

const CACHED_STATEMENTS = 300;
const CHANGES_SCHEMA = /^\s*(alter|create|drop)\b/i;

interface CachedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
  readonly decode: Decode | null;
}

/** Each call runs at once and blocks the thread. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new LRUCache<string, CachedStatement>({ max: CACHED_STATEMENTS });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Tries again until the deadline while another connection writes. The deadline is a time of `performance.now()`. */
  async run<Row>(query: CompiledQuery, deadline: number): Promise<QueryResult<Row>> {
    const parameters = query.parameters.map(bind);
    for (; ; await sleep(1)) {
      try {
        return this.#runOnce<Row>(query.sql, parameters);
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
    }
  }

  async *stream<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
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

  #runOnce<Row>(sql: string, parameters: SQLInputValue[]): QueryResult<Row> {
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

const SQLITE_BUSY = 5;

/** Returns true for SQLITE_BUSY with all its extended codes. https://sqlite.org/rescode.html#busy */
export const isBusy = (error: unknown) =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;

/** Makes the error of a connection that does not get the lock. */
export const busyError = () =>
  Object.assign(new Error('database is locked'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: SQLITE_BUSY,
  });
