/**
 * A session is one read-only connection to a user's database.
 *
 * Each transaction is read-only and sees one state of the database. Statements use the extended protocol, which allows
 * exactly one statement at a time. Settings such as the time zone are set so that values always have the same form.
 * They are set for each transaction and not for the session, because behind a connection pooler the next transaction of
 * the session may belong to another client.
 */
import pg from 'pg';
import type { SourceContext } from '../define.ts';
import { endpointOf } from '../sql/credentials.ts';
import type { Batches, Transactions } from '../sql/database.ts';
import type { RawRow } from '../sql/shape.ts';
import { readRows } from '../sql/stream.ts';
import { connect } from './connect.ts';
import { type Credentials, POSTGRES_URL } from './credentials.ts';
import { toSourceError } from './failure.ts';

export interface Column {
  readonly name: string;
  /** For a domain, this is the oid of its base type. */
  readonly typeOid: number;
}

export interface DatabaseSession extends Transactions {
  /** Returns all rows of a small result as objects, with the types of the driver. */
  query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  columns(text: string): Promise<Column[]>;
  /**
   * Yields rows in batches as they arrive. A session can have only one stream at a time. The caller must read the
   * stream to its end or close the session.
   */
  stream(text: string, values: readonly unknown[]): Batches;
  close(): Promise<void>;
}

/** Makes a query for the extended protocol, which allows exactly one statement. */
const extended = (text: string, values: readonly unknown[]) => ({
  text,
  values: [...values],
  queryMode: 'extended' as const,
});

const asText = { getTypeParser: () => (text: string) => text };

const CLOSE_TIMEOUT_MS = 2000;

/** A statement may take `statementMs` milliseconds; 0 means without a limit. */
export async function openSession(
  ctx: SourceContext<unknown, Credentials>,
  statementMs: number,
): Promise<DatabaseSession> {
  const { signal, meter, credentials } = ctx;
  const endpoint = endpointOf(POSTGRES_URL, credentials);
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
    // While a sync processes rows, its transaction is idle; the server must not end it for that.
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
        yield* readRows(client.connection.stream, ({ row, end }) => {
          const config = { ...extended(text, values), rowMode: 'array' as const, types: asText };
          client
            .query(new pg.Query(config))
            .on('row', (values: unknown) => row(values as RawRow))
            .on('error', end)
            .on('end', () => end(null));
        });
      } catch (error) {
        explain(error);
      }
    },
    async close() {
      // When the server does not answer the request to close in time, the connection is destroyed.
      const timeout = setTimeout(destroy, CLOSE_TIMEOUT_MS);
      try {
        await client.end();
      } finally {
        clearTimeout(timeout);
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
