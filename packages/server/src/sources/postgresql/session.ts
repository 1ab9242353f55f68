/**
 * A session is one read-only connection to a user's database.
 *
 * Everything runs in transactions that cannot write and see one state of the database. Statements use the extended
 * protocol, which takes exactly one statement. Values come in one notation, whatever the settings of the server
 * are: Quarry's settings hold only for the transaction, because behind a pooler the next transaction of this
 * connection may belong to another client.
 */
import pg from 'pg';
import type { SourceContext } from '../define.ts';
import { connect } from './connect.ts';
import { type Credentials, endpointOf } from './credentials.ts';
import { toSourceError } from './failure.ts';
import { extended, type RawRow, readRows } from './stream.ts';

export interface Column {
  readonly name: string;
  /** A domain has the oid of its base type. */
  readonly typeOid: number;
}

export interface DatabaseSession {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** The caller rolls back after a statement that failed. */
  rollback(): Promise<void>;
  /** Returns a few rows by column name, with the driver's own types. */
  query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  columns(text: string): Promise<Column[]>;
  /**
   * Yields rows in runs, as they come. A session has only one stream at a time, which is read to its end or
   * left together with the session.
   */
  stream(text: string, values: readonly unknown[]): AsyncGenerator<readonly RawRow[], void, void>;
  close(): Promise<void>;
}

const FAREWELL_MS = 2000;

/** One statement may take `statementMs` milliseconds; 0 lets it take as long as it needs. */
export async function openSession(
  ctx: SourceContext<unknown, Credentials>,
  statementMs: number,
): Promise<DatabaseSession> {
  const { signal, meter, credentials } = ctx;
  const endpoint = endpointOf(credentials);
  const { host, port } = endpoint;
  const address = host.startsWith('/') ? host : `${host}:${port}`;
  const client = await connect(ctx, endpoint).catch(explain);
  const destroy = () => client.connection.stream.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  client.connection.stream.on('data', (bytes: Buffer) => {
    meter.bytes += bytes.length;
  });

  const begin = beginWith({
    timezone: 'UTC',
    datestyle: 'ISO, YMD',
    intervalstyle: 'iso_8601',
    bytea_output: 'hex',
    extra_float_digits: '1',
    search_path: `${pg.escapeIdentifier(credentials.schema)}, public`,
    statement_timeout: `${statementMs}`,
    // A sync that waits for its own work must not count as idle.
    idle_in_transaction_session_timeout: '0',
  });
  const command = async (text: string) => {
    meter.requests++;
    await client.query(text).catch(explain);
  };

  return {
    begin: () => command(begin),
    commit: () => command('commit'),
    rollback: () => command('rollback'),
    async query(text, values = []) {
      meter.requests++;
      const { rows } = await client.query(extended(text, values)).catch(explain);
      return rows;
    },
    async columns(text) {
      meter.requests++;
      const { fields } = await client.query(extended(text, [])).catch(explain);
      return fields.map(({ name, dataTypeID }) => ({ name, typeOid: dataTypeID }));
    },
    async *stream(text, values) {
      meter.requests++;
      try {
        yield* readRows(client, text, values);
      } catch (error) {
        explain(error);
      }
    },
    async close() {
      // When the server does not answer the farewell, the session ends without an answer.
      const impatient = setTimeout(destroy, FAREWELL_MS);
      try {
        await client.end();
      } finally {
        clearTimeout(impatient);
        signal.removeEventListener('abort', destroy);
      }
    },
  };

  function explain(error: unknown): never {
    signal.throwIfAborted();
    throw toSourceError(error, address);
  }
}

const beginWith = (settings: Readonly<Record<string, string>>): string => {
  const local = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`,
  );
  return `begin isolation level repeatable read read only; select ${local.join(', ')}`;
};
