/**
 * One read-only connection to a user's database.
 *
 * Everything runs in transactions that cannot write and see one state of the database. Statements go
 * by the extended protocol, which takes exactly one. Values come in one notation, whatever the server's
 * settings: ours are set for the transaction alone, because behind a pooler the next transaction of
 * this connection may be somebody else's.
 */
import pg from 'pg';
import type { SourceContext } from '../define.ts';
import { connect } from './connect.ts';
import { type Credentials, endpointOf } from './credentials.ts';
import { toSourceError } from './failure.ts';
import { extended, type RawRow, readRows } from './stream.ts';

export interface Column {
  readonly name: string;
  /** Of a domain, its base type. */
  readonly typeOid: number;
}

export interface DatabaseSession {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** After a statement that failed. */
  rollback(): Promise<void>;
  /** A few rows by column name, with the driver's own types. */
  query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  columns(text: string): Promise<Column[]>;
  /** Rows in runs, as they come. One at a time, read to its end or left with the session. */
  stream(text: string, values: readonly unknown[]): AsyncGenerator<readonly RawRow[], void, void>;
  close(): Promise<void>;
}

const FAREWELL_MS = 2000;

/** `statementMs`: how long one statement may take; 0 for as long as it needs. */
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
    // A sync that waits for its own work is not idle.
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
      // A server that does not answer the farewell is left without one.
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
