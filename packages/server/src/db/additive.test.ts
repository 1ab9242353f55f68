/** A migration that says that it is additive must leave an older version what it reads and writes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { openBefore } from '../test/older-database.ts';
import { migrate, migrationsOf } from './migrate.ts';
import type { Schema } from './schema.ts';
import type { VersionedMigration } from './side-by-side.ts';

interface CatalogFacts {
  /** The key is the table and the column; the value says its type, and whether a row needs it. */
  readonly columns: ReadonlyMap<string, string>;
  /** Constraints, unique indexes and triggers of tables, by which a write can fail or do more. */
  readonly rules: ReadonlyMap<string, string>;
}

const postgres = DATABASES.filter(({ name }) => name === 'postgres');

async function factsOf(db: Kysely<Schema>): Promise<CatalogFacts> {
  const columns = await sql<{ name: string; table: string; about: string }>`
    select table_name || '.' || column_name as name, table_name as table,
      data_type || case when is_nullable = 'NO' and column_default is null and is_identity = 'NO'
        then ' required' else '' end as about
    from information_schema.columns where table_schema = current_schema()`.execute(db);
  const rules = await sql<{ name: string; table: string }>`
    select conrelid::regclass || ': ' || pg_get_constraintdef(oid) as name, conrelid::regclass::text as table
      from pg_constraint where connamespace = current_schema()::regnamespace and conrelid <> 0
    union select indexdef, tablename from pg_indexes
      where schemaname = current_schema() and indexdef like 'CREATE UNIQUE%'
    union select pg_get_triggerdef(oid), tgrelid::regclass::text from pg_trigger where not tgisinternal`.execute(
    db,
  );
  return {
    columns: new Map(columns.rows.map(({ name, about }) => [name, about])),
    rules: new Map(rules.rows.map(({ name, table }) => [name, table])),
  };
}

/** Returns what the change takes from a version that knows only the state before it. */
function takenFrom(before: CatalogFacts, after: CatalogFacts): string[] {
  const tables = new Set([...before.columns.keys()].map((name) => name.split('.')[0]));
  const lost = [...before.columns].filter(([name, about]) => after.columns.get(name) !== about);
  const required = [...after.columns].filter(
    ([name, about]) =>
      !before.columns.has(name) && tables.has(name.split('.')[0]) && about.endsWith('required'),
  );
  const rules = [...after.rules].filter(
    ([name, table]) => !before.rules.has(name) && tables.has(table),
  );
  const gone = [...before.rules].filter(([name]) => !after.rules.has(name));
  return [...lost, ...required, ...rules, ...gone].map(([name]) => name).toSorted();
}

/** The change is undone, so that one database serves for many. */
async function changeBy(db: Kysely<Schema>, { up }: VersionedMigration): Promise<string[]> {
  const undone = new Error('the change is undone');
  let taken: string[] = [];
  await db
    .transaction()
    .execute(async (tx) => {
      const before = await factsOf(tx);
      await up(tx);
      taken = takenFrom(before, await factsOf(tx));
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return taken;
}

for (const database of postgres)
  describe('additive migrations', () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    for (const [name, { isAdditive }] of Object.entries(migrationsOf('postgres')))
      if (isAdditive)
        it(`${name} takes nothing from the version before it`, async () => {
          const old = await openBefore(database, name);
          try {
            const before = await factsOf(old.db);
            const until = Object.entries(migrationsOf('postgres')).filter(([one]) => one <= name);
            await migrate(old.db, 'postgres', { migrations: Object.fromEntries(until) });
            assert.deepEqual(takenFrom(before, await factsOf(old.db)), []);
          } finally {
            await old.close();
          }
        });

    it('a migration that takes something is found out', async () => {
      const changes: Readonly<Record<string, string>> = {
        'alter table users drop column name': 'users.name',
        'alter table users rename name to label': 'users.name',
        'alter table users alter column created_at type text': 'users.created_at',
        'alter table users add column age bigint not null': 'users.age',
        'alter table users alter column name set not null': 'users.name',
        'alter table users add check (created_at > 0)': 'users: CHECK ((created_at > 0))',
        'create unique index users_name on users (name)':
          'CREATE UNIQUE INDEX users_name ON public.users USING btree (name)',
      };
      const found: [string, readonly string[]][] = [];
      for (const statement of Object.keys(changes)) {
        const up = async (db: Kysely<unknown>) => void (await sql.raw(statement).execute(db));
        found.push([statement, await changeBy(test.db, { up })]);
      }
      const expected = Object.entries(changes).map(([statement, what]) => [statement, [what]]);
      assert.deepEqual(found, expected);
    });

    it('a column that may be missing, a table of its own and an index take nothing', async () => {
      const up = async (db: Kysely<unknown>) => {
        await sql`alter table users add column age bigint`.execute(db);
        await sql`alter table users add column kind text not null default 'person'`.execute(db);
        await sql`create table pets (id text primary key, owner text not null unique)`.execute(db);
        await sql`create index users_age on users (age)`.execute(db);
      };
      assert.deepEqual(await changeBy(test.db, { up }), []);
    });
  });
