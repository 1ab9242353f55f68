/** Starts a PostgreSQL with a schema for each test. */
import pg from 'pg';
import { postgresql } from '../../sources/catalog/postgresql.ts';
import type { SourceItem } from '../../sources/items.ts';
import { type ServerTls, startOwnPostgres, startPostgres } from '../postgres-server.ts';
import { itemsOf, type PullOptions, pullAll, type Settings } from './harness.ts';

export interface PostgresPeer {
  readonly url: string;
  /** Runs statements as a superuser. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Makes a new schema, runs the statements in it, and returns credentials for it. */
  schema(text: string): Promise<Credentials>;
  close(): Promise<void>;
}

export interface Credentials {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly schema: string;
}

export async function openPeer(tls?: ServerTls): Promise<PostgresPeer> {
  const server = tls ? await startOwnPostgres({ tls }) : await startPostgres();
  const url = new URL(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const made: string[] = [];
  return {
    url: server.url,
    sql: (text, values) => client.query(text, values),
    async schema(text) {
      const schema = `quarry_test_${process.pid}_${made.length}`;
      made.push(schema);
      await client.query(`create schema ${schema}`);
      await client.query(`set search_path to ${schema}, public`);
      await client.query(text);
      return {
        host: url.hostname,
        port: Number(url.port || 5432),
        database: url.pathname.slice(1),
        user: decodeURIComponent(url.username),
        password: decodeURIComponent(url.password),
        schema,
      };
    },
    async close() {
      for (const schema of made) await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
      await server.stop();
    },
  };
}

export const pull = (
  credentials: Credentials,
  config: unknown = {},
  options: PullOptions = {},
): Promise<SourceItem[]> =>
  pullAll(postgresql, { credentials, config } satisfies Settings, options);

/** Returns the fields of the row with this id. */
export function fieldsOf(items: readonly SourceItem[], id: string) {
  const found = itemsOf(items, 'upsert').find(({ entity }) => entity.id === id);
  if (!found) throw new Error(`${id} did not come up`);
  return found.entity.fields;
}

export const idsOf = (items: readonly SourceItem[]) =>
  itemsOf(items, 'upsert').map(({ entity }) => entity.id);
