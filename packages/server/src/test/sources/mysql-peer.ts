/** Starts a MariaDB with a database for each test. */
import mysql from 'mysql2/promise';
import { mysql as source } from '../../sources/catalog/mysql.ts';
import type { SourceItem } from '../../sources/items.ts';
import { startMariadb, startOwnMariadb } from '../mariadb-server.ts';
import type { ServerTls } from '../postgres-server.ts';
import { itemsOf, type PullOptions, pullAll, type Settings } from './harness.ts';

export interface MysqlPeer {
  readonly url: string;
  readonly isMariaDb: boolean;
  /** Runs statements as a user who may do everything, in the newest database, and returns the rows of the last one. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Makes a new database, runs the statements in it, and returns credentials for it. */
  database(text: string): Promise<Credentials>;
  close(): Promise<void>;
}

export interface Credentials {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** A peer of its own is for a test whose actions on the server would break other tests. */
export async function openPeer(own?: { tls?: ServerTls }): Promise<MysqlPeer> {
  const server = own ? await startOwnMariadb(own.tls) : await startMariadb();
  const url = new URL(server.url);
  const connection = await mysql.createConnection({
    uri: server.url,
    multipleStatements: true,
    charset: 'utf8mb4',
  });
  // The tests write values that a strict server would refuse.
  await connection.query("set session sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'");
  const [version] = await connection.query<mysql.RowDataPacket[]>('select version() as v');
  const made: string[] = [];
  const sql = async (text: string) => {
    const [result] = await connection.query(text).catch((cause) => {
      throw new Error(`${cause.message}; ${server.state()}`, { cause });
    });
    const last = Array.isArray(result) && Array.isArray(result.at(-1)) ? result.at(-1) : result;
    return (Array.isArray(last) ? last : []) as Record<string, unknown>[];
  };
  return {
    url: server.url,
    isMariaDb: String(version[0]?.v).includes('MariaDB'),
    sql,
    async database(text) {
      const database = `quarry_test_${process.pid}_${made.length}`;
      made.push(database);
      await sql(`create database ${database} character set utf8mb4; use ${database}`);
      await sql(text);
      return {
        host: url.hostname,
        port: Number(url.port || 3306),
        database,
        user: decodeURIComponent(url.username),
        password: decodeURIComponent(url.password),
      };
    },
    async close() {
      try {
        // Foreign keys between databases would keep the databases.
        await sql('set foreign_key_checks = 0');
        for (const database of made) await sql(`drop database if exists ${database}`);
        await connection.end();
      } finally {
        await server.stop();
      }
    },
  };
}

export const pull = (
  credentials: Credentials,
  config: unknown = {},
  options: PullOptions = {},
): Promise<SourceItem[]> => pullAll(source, { credentials, config } satisfies Settings, options);

/** Returns the fields of the row with this id. */
export function fieldsOf(items: readonly SourceItem[], id: string) {
  const found = itemsOf(items, 'upsert').find(({ entity }) => entity.id === id);
  if (!found) throw new Error(`${id} did not come up`);
  return found.entity.fields;
}

export const idsOf = (items: readonly SourceItem[]) =>
  itemsOf(items, 'upsert').map(({ entity }) => entity.id);
