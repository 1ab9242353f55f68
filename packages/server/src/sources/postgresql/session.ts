/**
 * One read-only connection to a user's database.
 *
 * Every statement goes by the extended protocol, which takes exactly one, and runs read-only. Rows are
 * read as text, in one notation whatever the server's settings. A reader that is slower than the
 * server makes the server wait: what is held here is bounded by bytes, not by rows.
 */
import type pg from 'pg';
import type { SourceContext } from '../define.ts';
import { type Credentials, connect } from './connect.ts';
import { toSourceError } from './failure.ts';
import { extended, type Row, readRows } from './stream.ts';

export interface Column {
  readonly name: string;
  /** Of a domain, its base type. */
  readonly typeOid: number;
}

export interface Session {
  /** A few rows by column name, with the driver's own types. */
  query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  columns(text: string): Promise<Column[]>;
  /** Rows in runs, as they come. One at a time, read to its end or left with the session. */
  stream(text: string, values: readonly unknown[]): AsyncGenerator<readonly Row[], void, void>;
  close(): Promise<void>;
}

/** `statementMs`: how long one statement may take; 0 for as long as it needs. */
export async function openSession(
  ctx: SourceContext<unknown, Credentials>,
  statementMs: number,
): Promise<Session> {
  const { signal, meter, credentials } = ctx;
  const { host, port, schema } = credentials;
  const address = host.startsWith('/') ? host : `${host}:${port}`;
  const client = await connect(ctx).catch(explain);
  const destroy = () => client.connection.stream.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  client.connection.stream.on('data', (bytes: Buffer) => {
    meter.bytes += bytes.length;
  });

  const session: Session = {
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
      signal.removeEventListener('abort', destroy);
      await client.end();
    },
  };
  try {
    await session.query(SETTINGS, [`"${schema.replaceAll('"', '""')}", public`, `${statementMs}`]);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;

  function explain(error: unknown): never {
    signal.throwIfAborted();
    throw toSourceError(error, address);
  }
}

/** One notation for all servers; a sync that waits for us is not idle, and may take long. */
const SETTINGS = `
  select set_config('default_transaction_read_only', 'on', false),
    set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO, YMD', false),
    set_config('intervalstyle', 'iso_8601', false), set_config('bytea_output', 'hex', false),
    set_config('extra_float_digits', '1', false),
    set_config('idle_in_transaction_session_timeout', '0', false),
    set_config('search_path', $1, false), set_config('statement_timeout', $2, false)`;
