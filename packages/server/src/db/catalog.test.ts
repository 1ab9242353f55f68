import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { type TableShape, tableNames, tableShapes } from './catalog.ts';
import { COPIED_TABLES, LOCAL_TABLES } from './copied-tables.ts';

/** The library of the migrations keeps its own tables. */
const OF_MIGRATIONS = ['kysely_migration', 'kysely_migration_lock'];

describe('the tables of the databases', () => {
  const opened: TestDatabase[] = [];
  const shapes: (readonly TableShape[])[] = [];
  before(async () => {
    for (const database of DATABASES) {
      const test = await database.open();
      opened.push(test);
      shapes.push(await tableShapes(test.db, test.kind, COPIED_TABLES));
    }
  });
  after(async () => {
    for (const test of opened) await test.close();
  });

  it('are all named by the list of what a backup contains', async () => {
    for (const { db, kind } of opened) {
      const names = (await tableNames(db, kind)).filter((name) => !OF_MIGRATIONS.includes(name));
      // Only PostgreSQL has this table.
      const listed = [...COPIED_TABLES, ...LOCAL_TABLES].filter(
        (name) => kind === 'postgres' || name !== 'index_forms',
      );
      assert.deepEqual(names.toSorted(), listed.toSorted(), kind);
    }
  });

  it('have the same columns and kinds of values in both databases, and a key', () => {
    const [sqlite, postgres] = shapes;
    assert.deepEqual(sqlite, postgres);
    assert.equal(sqlite?.length, COPIED_TABLES.length);
    for (const { name, key } of sqlite ?? []) assert.ok(key.length > 0, name);
  });

  it('come after the tables to which their rows refer', () => {
    const names = (shapes[0] ?? []).map(({ name }) => name);
    assert.ok(names.indexOf('api_keys') > names.indexOf('users'));
    assert.ok(names.indexOf('maintenance_tasks') > names.indexOf('maintenance_runs'));
    assert.ok(names.indexOf('maintenance_runs') > names.indexOf('collections'));
  });
});
