/**
 * Provides one database for many seeds, which are simulated one after the other. Its connections stay open, because
 * opening a connection and preparing its statements costs more than all work of a simulated process. A process that
 * begins borrows connections; when it dies, they are rolled back and given back. Before each seed, all rows are
 * restored from a template.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Driver } from 'kysely';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { smallEmbedder } from './embedder.ts';
import { dialectOf } from './gated.ts';
import { createReading, type Reading } from './oracle/reading.ts';
import { makeTemplate, type Template } from './template.ts';

const SHARED_MEMORY = '/dev/shm';

export interface Ground {
  readonly organizationId: string;
  readonly path: string;
  /** Reads the database without the code under test. */
  readonly reading: Reading;
  /** Searches have their own connections and index. The index remembers nothing of the seed before. */
  readonly searching: Driver;
  readonly index: SearchIndex;
  /** Lends a driver to a process that begins. */
  borrow(): Driver;
  /** Takes the driver of a dead process back. */
  giveBack(driver: Driver): void;
}

export interface Grounds {
  /** Returns the database in the state of the template. */
  fresh(): Promise<Ground>;
  close(): Promise<void>;
}

export async function createGrounds(): Promise<Grounds> {
  const folder = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'quarry-'));
  const template = join(folder, 'template.db');
  const made = await makeTemplate(template);
  const path = join(folder, 'quarry.db');
  let ground: Awaited<ReturnType<typeof openGround>> | undefined;
  return {
    async fresh() {
      if (ground?.restore()) return ground;
      await ground?.close();
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      copyFileSync(template, path);
      ground = openGround(path, template, made);
      return ground;
    },
    async close() {
      await ground?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openGround(path: string, template: string, made: Template) {
  const { organizationId } = made;
  const restorer = createRestorer(path, template);
  const reading = createReading(path);
  const searching = dialectOf(path).createDriver();
  const { dimensions } = smallEmbedder(async () => {});
  let index = createSqliteIndex({ dimensions });
  const drivers: Driver[] = [];
  const idle: Driver[] = [];
  return {
    organizationId,
    path,
    reading,
    searching,
    get index() {
      return index;
    },
    borrow() {
      const driver = idle.pop() ?? dialectOf(path).createDriver();
      if (!drivers.includes(driver)) drivers.push(driver);
      return driver;
    },
    giveBack: (driver: Driver) => idle.push(driver),
    restore(): boolean {
      index = createSqliteIndex({ dimensions });
      return restorer.restore();
    },
    async close() {
      restorer.close();
      reading.close();
      await searching.destroy();
      await Promise.all(drivers.map((driver) => driver.destroy()));
    },
  };
}

/** `restore` returns false and changes nothing when the tables are no longer those of the template. */
function createRestorer(path: string, template: string) {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(`pragma synchronous = off; attach '${template}' as template`);
  const tables = database
    .prepare(
      `select name from template.sqlite_schema
       where type = 'table' order by name = 'job_counts'`,
    )
    .all()
    .map(({ name }) => `"${name}"`);
  // Triggers change the counts in `job_counts` while other tables are written, so this table is restored last.
  const statements = [
    ...tables.map((name) => `delete from main.${name}`),
    ...tables.map((name) => `insert into main.${name} select * from template.${name}`),
  ].map((statement) => database.prepare(statement));
  const version = database.prepare('pragma main.schema_version');
  const first = version.get()?.schema_version;
  return {
    restore(): boolean {
      if (version.get()?.schema_version !== first) return false;
      database.exec('begin immediate');
      for (const statement of statements) statement.run();
      database.exec('commit');
      return true;
    },
    close: () => database.close(),
  };
}
