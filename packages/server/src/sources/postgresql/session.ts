/**
 * One read-only connection to a user's database.
 *
 * Every statement goes by the extended protocol, which takes exactly one, and runs read-only. Rows are
 * read as text, in one notation whatever the server's settings. A reader that is slower than the
 * server makes the server wait: what is held here is bounded by bytes, not by rows.
 */
import pg from 'pg';
import type { SourceContext } from '../define.ts';
import { toSourceError } from './failure.ts';

const CONNECT_MS = 5_000;
/** Held for a slow reader, in characters. A row is always held whole. */
const HELD = 1_000_000;

export interface Credentials {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly schema: string;
  readonly ssl: 'prefer' | 'verify';
}

/** Values as PostgreSQL writes them. */
export type Row = readonly (string | null)[];

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

/** TLS when the server offers it, as libpq prefers it; with 'verify' only TLS to the right server. */
async function connect(ctx: SourceContext<unknown, Credentials>): Promise<pg.Client> {
  const { host, ssl } = ctx.credentials;
  const address = await ctx.allowHost(host);
  if (ssl === 'verify') return dial(ctx, address, { servername: host, host });
  if (address.startsWith('/')) return dial(ctx, address, false);
  try {
    return await dial(ctx, address, { rejectUnauthorized: false });
  } catch (error) {
    if ((error as Error).message !== 'The server does not support SSL connections') throw error;
    return dial(ctx, address, false);
  }
}

async function dial(
  { credentials, signal, meter, log }: SourceContext<unknown, Credentials>,
  host: string,
  ssl: pg.ClientConfig['ssl'],
): Promise<pg.Client> {
  signal.throwIfAborted();
  const { port, database, user, password } = credentials;
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    password,
    ssl,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'quarry',
  });
  // A connection that breaks also fails the statement in hand, which is where it is dealt with.
  client.on('error', (error) => log.debug({ err: error }, 'the connection to PostgreSQL broke'));
  const destroy = () => client.connection.stream.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    meter.requests++;
    await client.connect();
    return client;
  } catch (error) {
    destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}

const extended = (text: string, values: readonly unknown[]) => ({
  text,
  values: [...values],
  queryMode: 'extended' as const,
});

const asText = { getTypeParser: () => (text: string) => text };

async function* readRows(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): AsyncGenerator<readonly Row[], void, void> {
  const { stream } = client.connection;
  const config = { ...extended(text, values), rowMode: 'array' as const, types: asText };
  let held: Row[] = [];
  let size = 0;
  let end: { error: Error | null } | undefined;
  let news = Promise.withResolvers<void>();
  const query = client.query(new pg.Query(config));
  query.on('row', (row: unknown) => {
    held.push(row as Row);
    size += lengthOf(row as Row);
    if (size >= HELD) stream.pause();
    news.resolve();
  });
  query.on('error', (error) => {
    end = { error };
    news.resolve();
  });
  query.on('end', () => {
    end = { error: null };
    news.resolve();
  });
  for (;;) {
    await news.promise;
    const run = held;
    held = [];
    size = 0;
    if (!end) news = Promise.withResolvers<void>();
    stream.resume();
    if (end?.error) throw end.error;
    if (run.length > 0) yield run;
    else if (end) return;
  }
}

const lengthOf = (row: Row): number =>
  row.reduce((sum, value) => sum + (value?.length ?? 0), row.length);
