import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { insertCollection, insertConnection } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import { DECODED_COLUMNS } from './columns.ts';

const CONFIG = { a: [1] };
/** This text of a user happens to be valid JSON, but it must stay a text. */
const NAME = '{"a":1}';

for (const database of DATABASES) {
  describe(`JSON and booleans on ${database.name}`, () => {
    let test: TestDatabase;
    let id: string;

    before(async () => {
      test = await database.open();
      const collection = { id: newId(), organization_id: newId() };
      await test.db
        .insertInto('organizations')
        .values({
          id: collection.organization_id,
          name: NAME,
          feature_flags: '["x"]',
          quotas: '{}',
          created_at: 0,
          modified_at: 0,
        })
        .execute();
      await insertCollection(test.db, collection);
      id = await insertConnection(test.db, collection, {
        name: NAME,
        config: JSON.stringify(CONFIG),
        continuous: true,
      });
    });
    after(() => test.close());

    it('are decoded, but not null and texts that only look like JSON', async () => {
      const row = await test.db.selectFrom('connections').selectAll().executeTakeFirstOrThrow();
      const { config, continuous, cursor, name, generation } = row;
      assert.deepEqual(
        { config, continuous, cursor, name, generation },
        { config: CONFIG, continuous: true, cursor: null, name: NAME, generation: 0 },
      );
    });

    it('are decoded by their table and column, under any name in the query', async () => {
      const renamed = test.db
        .selectFrom('connections as c')
        .innerJoin('organizations as o', 'o.id', 'c.organization_id')
        .select(['c.config as settings', 'c.continuous as goes_on', 'o.name as config'])
        .select((eb) => eb.lit(1).as('full'))
        .select((eb) =>
          eb
            .selectFrom('organizations')
            .select('feature_flags')
            .whereRef('organizations.id', '=', 'c.organization_id')
            .as('flags'),
        );
      const expected = { settings: CONFIG, goes_on: true, config: NAME, full: 1, flags: ['x'] };
      assert.deepEqual({ ...(await renamed.executeTakeFirstOrThrow()) }, expected);
      const from = test.db.selectFrom(renamed.as('inner')).selectAll();
      assert.deepEqual({ ...(await from.executeTakeFirstOrThrow()) }, expected);
      const both = await test.db
        .with('first', () => renamed)
        .selectFrom('first')
        .select(['settings', 'config'])
        .unionAll((eb) => eb.selectFrom('first').select(['settings', 'config']))
        .execute();
      const { settings, config } = expected;
      assert.deepEqual(
        both.map((row) => ({ ...row })),
        [
          { settings, config },
          { settings, config },
        ],
      );
    });

    it('are decoded in the rows that a change returns', async () => {
      const changed = await test.db
        .updateTable('connections')
        .set({ continuous: false, cursor: '"x"' })
        .where('id', '=', id)
        .returning(['continuous', 'cursor as position', 'name as cursor'])
        .executeTakeFirstOrThrow();
      assert.deepEqual({ ...changed }, { continuous: false, position: 'x', cursor: NAME });
    });

    if (database.name === 'sqlite')
      it('are decoded in streams, also after the table has changed', async () => {
        await sql`create table jobs_before (lane text)`.execute(test.db);
        await sql`insert into jobs_before values ('[1]')`.execute(test.db);
        await sql`alter table jobs rename to jobs_after`.execute(test.db);
        await sql`alter table jobs_before rename to jobs`.execute(test.db);
        const query = test.db.selectFrom('jobs').selectAll();
        assert.deepEqual({ ...(await query.executeTakeFirstOrThrow()) }, { lane: '[1]' });
        await sql`alter table jobs add column data text default '[2]'`.execute(test.db);
        const row = { lane: '[1]', data: [2] };
        assert.deepEqual({ ...(await query.executeTakeFirstOrThrow()) }, row);
        for await (const streamed of query.stream()) assert.deepEqual({ ...streamed }, row);
      });
    else
      it('are exactly the declared columns', async () => {
        const { rows } = await sql<{ table_name: string; column_name: string; kind: string }>`
          select table_name, column_name, replace(data_type, 'jsonb', 'json') as kind
          from information_schema.columns
          where table_schema = 'public' and data_type in ('json', 'jsonb', 'boolean')`.execute(
          test.db,
        );
        const declared = Object.entries(DECODED_COLUMNS).flatMap(([table, columns]) =>
          Object.entries(columns).map(([column, kind]) => `${table}.${column} ${kind}`),
        );
        assert.deepEqual(
          rows.map((row) => `${row.table_name}.${row.column_name} ${row.kind}`).toSorted(),
          declared.toSorted(),
        );
      });
  });
}
