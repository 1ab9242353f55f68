/**
 * Opens a fresh, migrated database of each kind. PostgreSQL is the server that TEST_POSTGRES_URL names, or PGlite in
 * this process, to which the real `pg` driver talks over a stream. PGlite has one connection, so a test must not use
 * `db` while it has an open transaction.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { type Extensions, PGlite } from '@electric-sql/pglite';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { connect, type DatabaseKind, postgres } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import type { Schema } from '../db/schema.ts';
import { watchStatements } from './distribution/watch.ts';
import { startPostgres } from './postgres-server.ts';

watchStatements();

export interface TestDatabase {
  readonly kind: DatabaseKind;
  /** The address is in the form that `connect` takes. It is null when only this process can reach the database. */
  readonly url: string | null;
  readonly db: Kysely<Schema>;
  close(): Promise<void>;
}

/** A server has a clock of its own. A database in this process, such as PGlite, uses the clock that a test has set. */
export const hasOwnClock = ({ kind, url }: TestDatabase): boolean =>
  kind === 'postgres' && url !== null;

/** Tells whether a transaction waits for a lock in the database. */
export async function somebodyWaits(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

export const DATABASES: readonly {
  readonly name: DatabaseKind;
  open(): Promise<TestDatabase>;
}[] = [
  { name: 'sqlite', open: openSqliteFile },
  { name: 'postgres', open: openPostgres },
];

async function openSqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  const url = join(folder, 'quarry.db');
  await copyFile(await migratedSqlite(), url);
  const db = connect(url);
  return {
    kind: 'sqlite',
    url,
    db,
    async close() {
      await db.destroy();
      await rm(folder, { recursive: true });
    },
  };
}

let sqliteFile: Promise<string> | undefined;

/**
 * Returns the file of a migrated database. The file is made only once, because the migrations take longer than many
 * tests.
 */
function migratedSqlite(): Promise<string> {
  sqliteFile ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-migrated-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'quarry.db');
    const db = connect(path);
    await migrate(db, 'sqlite');
    await db.destroy();
    return path;
  })();
  return sqliteFile;
}

function openPostgres(): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  return server ? openOnServer(server) : openPglite();
}

/** Opens a new database on this server, a copy of the one that TEST_POSTGRES_TEMPLATE names. */
export async function openOnServer(server: string): Promise<TestDatabase & { name: string }> {
  const template = process.env.TEST_POSTGRES_TEMPLATE;
  const { name, url, drop } = await createDatabase(server, template);
  const db = connect(url);
  if (!template) await migrate(db, 'postgres');
  return {
    kind: 'postgres',
    name,
    url,
    db,
    async close() {
      await db.destroy();
      await drop();
    },
  };
}

/** Opens a new database on a server that ends with it, for tests that need more than one connection. */
export async function openOnOwnServer(): Promise<TestDatabase> {
  const server = await startPostgres();
  const test = await openOnServer(server.url);
  return {
    ...test,
    async close() {
      await test.close();
      await server.stop();
    },
  };
}

/** Creates a database on this server, empty or as a copy of another. */
export async function createDatabase(server: string, template?: string) {
  const name = `quarry_test_${randomBytes(8).toString('hex')}`;
  await query(server, `create database ${name}${template ? ` template ${template}` : ''}`);
  const url = databaseAt(server, name);
  return {
    name,
    url,
    query: (statement: string) => query(url, statement),
    drop: () => query(server, `drop database ${name} with (force)`),
  };
}

/** Returns the address of another database of the same server. */
export function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Opens PGlite with these extensions, by their names in PostgreSQL. */
export async function openPglite(extensions: Extensions = {}): Promise<TestDatabase> {
  const pglite = await PGlite.create({ loadDataDir: await migratedPglite(), extensions });
  for (const name of Object.keys(extensions)) await pglite.exec(`create extension ${name}`);
  const db = overPglite(pglite);
  return {
    kind: 'postgres',
    url: null,
    db,
    async close() {
      await db.destroy();
      await pglite.close();
    },
  };
}

let dump: Promise<Blob> | undefined;

/** Returns the data directory of a migrated database. The directory is made only once, because initdb takes seconds. */
function migratedPglite(): Promise<Blob> {
  dump ??= (async () => {
    const pglite = await PGlite.create();
    const db = overPglite(pglite);
    await migrate(db, 'postgres');
    await db.destroy();
    const directory = await pglite.dumpDataDir('none');
    await pglite.close();
    return directory;
  })();
  return dump;
}

const overPglite = (pglite: PGlite): Kysely<Schema> =>
  postgres(
    new pg.Pool({
      stream: () => new Wire(pglite) as unknown as Duplex,
      max: 1,
      user: 'postgres',
      database: 'postgres',
    }),
  );

/** Replaces the socket of pg: PGlite gets the bytes that pg writes, and pg reads the answer of PGlite. */
class Wire extends Duplex {
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    super();
    this.#pglite = pglite;
  }

  connect(): void {
    queueMicrotask(() => this.emit('connect'));
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#answer(bytes).then(() => done(), done);
  }

  override _writev(parts: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#answer(Buffer.concat(parts.map((part) => part.chunk))).then(() => done(), done);
  }

  async #answer(bytes: Buffer): Promise<void> {
    if (bytes[0] === TERMINATE) {
      // PGlite has one session for all connections, so an open transaction must not outlive its own connection.
      await this.#pglite.exec('rollback');
      this.push(null);
    } else this.push(await this.#pglite.execProtocolRaw(bytes));
  }
}

/** The message formats are at https://www.postgresql.org/docs/current/protocol-message-formats.html */
const TERMINATE = 'X'.charCodeAt(0);
