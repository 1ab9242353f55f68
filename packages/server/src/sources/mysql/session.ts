/**
 * A session is one read-only connection to a user's database.
 *
 * Each transaction is read-only and sees one state of the tables that have transactions (InnoDB). Settings are set
 * before each transaction, because behind a proxy another client may have used the connection in between.
 *
 * Rows come by the text protocol, in which every value has its exact text. Statements that users write are first
 * prepared, alone and as a part of our statement. The server prepares exactly one statement, so no query can end our
 * parenthesis and go on.
 */
import mysql from 'mysql2';
import type { SourceContext } from '../define.ts';
import { endpointOf } from '../sql/credentials.ts';
import type { Batches, Transactions } from '../sql/database.ts';
import type { RawRow } from '../sql/shape.ts';
import { readRows } from '../sql/stream.ts';
import type { WireColumn } from './columns.ts';
import { connect, socketOf } from './connect.ts';
import { MYSQL_URL, type MysqlCredentials } from './credentials.ts';
import { toSourceError } from './failure.ts';

/** The columns are those of the result; `parameters` counts its question marks. */
interface PreparedStatement {
  readonly columns: readonly WireColumn[];
  readonly parameters: number;
}

export interface MysqlSession extends Transactions {
  /** This is the database in which the session looks for tables. */
  readonly home: string;
  /** Returns all rows of a small result. `values` take the places of the question marks. */
  query(text: string, values?: readonly SqlValue[]): Promise<readonly RawRow[]>;
  /** Returns the columns of a statement without running it. */
  prepare(text: string): Promise<PreparedStatement>;
  /**
   * Yields rows in batches as they arrive. A session can have only one stream at a time. The caller must read the
   * stream to its end or close the session.
   */
  stream(text: string): Batches;
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2000;

/** A statement may take `statementMs` milliseconds; 0 means without a limit. */
export async function openSession(
  ctx: SourceContext<unknown, MysqlCredentials>,
  statementMs: number,
): Promise<MysqlSession> {
  const { signal, meter, credentials } = ctx;
  const given = endpointOf(MYSQL_URL, credentials);
  const home = credentials.schema ?? given.database;
  const { host, port } = given;
  const address = host.startsWith('/') ? host : `${host}:${port}`;
  const connection = await connect(ctx, { ...given, database: home }).catch(explain);
  const socket = socketOf(connection);
  let isStreaming = false;
  const destroy = () => void socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  socket.on('data', (bytes: Buffer) => {
    meter.bytes += bytes.length;
  });

  const query = (text: string, values: readonly SqlValue[] = []) => {
    meter.requests++;
    const sql = values.length === 0 ? text : mysql.format(text, values.map(asParameter));
    return new Promise<readonly RawRow[]>((resolve, reject) => {
      connection.query({ sql, ...AS_TEXT }, (error, rows) =>
        error ? reject(error) : resolve(rows as unknown as readonly RawRow[]),
      );
    }).catch(explain);
  };
  const [row = []] = await query('select version()').catch((error) => {
    destroy();
    throw error;
  });
  const settings = settingsOf(String(row[0]).includes('MariaDB'), statementMs);

  return {
    home,
    query,
    async begin() {
      await query(settings);
      await query('set session transaction isolation level repeatable read, read only');
      await query('start transaction with consistent snapshot, read only');
    },
    commit: async () => void (await query('commit')),
    rollback: async () => void (await query('rollback')),
    prepare(text) {
      meter.requests++;
      return new Promise<PreparedStatement>((resolve, reject) => {
        connection.prepare(text, (error, statement) => {
          if (error) return reject(error);
          resolve(preparedOf(statement));
          statement.close();
        });
      }).catch(explain);
    },
    async *stream(text) {
      meter.requests++;
      isStreaming = true;
      let broke: (error: Error) => void = () => {};
      try {
        yield* readRows(socket, ({ row, end }) => {
          // The driver reports a broken connection only here, and not to the query.
          broke = end;
          connection.on('error', broke);
          connection
            .query({ sql: text, ...AS_TEXT })
            .on('result', (values: unknown) => row(values as RawRow))
            .on('error', end)
            .on('end', () => end(null));
        });
        isStreaming = false;
      } catch (error) {
        isStreaming = false;
        explain(error);
      } finally {
        connection.off('error', broke);
      }
    },
    async close() {
      signal.removeEventListener('abort', destroy);
      // The server would not see a request to close before it has sent all rows.
      if (isStreaming) return destroy();
      // When the server does not answer the request to close in time, the connection is destroyed.
      const timeout = setTimeout(destroy, CLOSE_TIMEOUT_MS);
      await new Promise<void>((resolve) => {
        connection.end(() => resolve());
      });
      clearTimeout(timeout);
    },
  };

  function explain(error: unknown): never {
    signal.throwIfAborted();
    throw toSourceError(error, address);
  }
}

/** A list takes the place of one question mark, as in `in (?)`. */
type SqlValue = string | readonly string[];
const asParameter = (value: SqlValue) => (typeof value === 'string' ? value : [...value]);

const AS_TEXT = {
  rowsAsArray: true,
  typeCast: (field: { string(encoding: string): string | null }) => field.string('utf8'),
} as const;

/** These properties of the driver are not in its types. */
interface DriverStatement {
  readonly parameters: readonly unknown[];
  readonly columns: readonly {
    readonly name: string;
    readonly columnType: number;
    readonly flags: number;
    readonly characterSet: number;
    readonly columnLength: number;
    readonly decimals: number;
    readonly extendedTypeName?: string;
    readonly extendedFormat?: string;
  }[];
}

function preparedOf(statement: unknown): PreparedStatement {
  const { parameters, columns } = statement as DriverStatement;
  return {
    parameters: parameters.length,
    columns: columns.map(({ name, columnType, flags, characterSet, ...column }) => ({
      name,
      code: columnType,
      flags,
      charset: characterSet,
      length: column.columnLength,
      decimals: column.decimals,
      extended: column.extendedFormat ?? column.extendedTypeName ?? null,
    })),
  };
}

/** A reader may be slower than the server, which must not give up for that. */
const PATIENCE_S = 3600;
/** A table may be locked for this long by a change of its columns. */
const LOCK_S = 30;

function settingsOf(isMariaDb: boolean, statementMs: number): string {
  const settings = {
    time_zone: "'+00:00'",
    // Queries mean the same on every server, and days such as 2026-02-00 can be compared.
    sql_mode: "'ALLOW_INVALID_DATES'",
    net_write_timeout: PATIENCE_S,
    wait_timeout: PATIENCE_S,
    lock_wait_timeout: LOCK_S,
    innodb_lock_wait_timeout: LOCK_S,
    // Texts are compared whole when they are sorted.
    max_sort_length: 65_536,
    ...(isMariaDb
      ? {
          max_statement_time: statementMs / 1000,
          idle_transaction_timeout: 0,
          idle_readonly_transaction_timeout: 0,
        }
      : { max_execution_time: statementMs }),
  };
  return `set session ${Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}`;
}
