/** The tables of PostgreSQL satisfy what Citus asks of distributed tables, and deploy/citus.sql names all of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN } from '../../db/distributed.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';

const LAYOUT = new URL('../../../../../deploy/citus.sql', import.meta.url);

const names = sql.join(DISTRIBUTED_TABLES.map((name) => sql`${name}::regclass`));

for (const { open } of DATABASES.filter(({ name }) => name === 'postgres'))
  describe('the tables of the contents of collections', () => {
    let test: TestDatabase;
    before(async () => {
      test = await open();
    });
    after(() => test.close());

    it('have the collection in the primary key and in everything that is unique', async () => {
      const { rows } = await sql<{ table: string; primary: boolean; columns: string[] }>`
        select i.indrelid::regclass::text as "table", i.indisprimary as primary,
          array(select a.attname::text from pg_attribute as a
            where a.attrelid = i.indrelid and a.attnum = any(i.indkey)) as columns
        from pg_index as i where i.indisunique and i.indrelid in (${names})`.execute(test.db);
      for (const { table, columns } of rows)
        assert.ok(columns.includes(DISTRIBUTION_COLUMN), `${table} (${columns.join(', ')})`);
      const keyed = rows.filter(({ primary }) => primary).map(({ table }) => table);
      assert.deepEqual(keyed.toSorted(), [...DISTRIBUTED_TABLES].toSorted());
    });

    it('name the collection in every row, in a column of one type', async () => {
      const { rows } = await sql<{ type: string; required: boolean; generated: string }>`
        select distinct format_type(atttypid, atttypmod) as type, attnotnull as required,
          attgenerated::text as generated
        from pg_attribute where attname = ${DISTRIBUTION_COLUMN} and attrelid in (${names})`.execute(
        test.db,
      );
      assert.deepEqual(rows, [{ type: 'text', required: true, generated: '' }]);
    });

    it('have no triggers, and no foreign keys from or to them', async () => {
      const { rows } = await sql`
        select tgname::text as name from pg_trigger where tgrelid in (${names})
        union all select conname::text from pg_constraint
          where contype = 'f' and (conrelid in (${names}) or confrelid in (${names}))`.execute(
        test.db,
      );
      assert.deepEqual(rows, []);
    });

    it('are distributed side by side by deploy/citus.sql, each once', () => {
      const text = readFileSync(LAYOUT, 'utf8');
      const [first, ...others] = DISTRIBUTED_TABLES;
      assert.deepEqual(
        [
          ...text.matchAll(
            /create_distributed_table\('(\w+)', '(\w+)', colocate_with => '(\w+)'\)/g,
          ),
        ].map(([, table, column, beside]) => [table, column, beside]),
        [
          [first, DISTRIBUTION_COLUMN, 'none'],
          ...others.map((table) => [table, DISTRIBUTION_COLUMN, first]),
        ],
      );
      assert.deepEqual(
        [...text.matchAll(/truncate_local_data_after_distributing_table\('(\w+)'\)/g)].map(
          ([, table]) => table,
        ),
        DISTRIBUTED_TABLES,
      );
    });
  });
