import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shapeOf } from './shards.ts';

const LIMITED: readonly (readonly [sql: string, parameters: readonly number[]])[] = [
  ['select "n" from "chunks" where "collection_id" = $1 and "n" > $2', [1]],
  [
    'select c.n from chunks as c join chunk_bodies b on b.n = c.n where c.collection_id = $1 and b.collection_id = $2',
    [1, 2],
  ],
  [
    'select c.n from chunks c join entities e on e.id = c.entity and e.collection_id = c.collection_id where c.collection_id = $3',
    [3, 3],
  ],
  [
    'select c.n from chunks c left join entities e on (e.id = c.entity and e.collection_id = $1) where c.collection_id = $2',
    [2, 1],
  ],
  [
    'delete from gone where collection_id = $1 and seq in (select seq from gone where collection_id = $2 and at < $3 for update skip locked)',
    [2, 1],
  ],
  ['update "entities" set "generation" = $1 where "collection_id" = $2 and "id" in ($3, $4)', [2]],
  [
    'update entities set version = v.column2 from (values ($1, $2)) as v where entities.collection_id = $3 and entities.id = v.column1',
    [3],
  ],
  [
    'insert into chunks (n, collection_id, entity) select n, $1, entity from jsonb_to_recordset($2::jsonb) as input(n bigint, entity text)',
    [1],
  ],
  [
    'insert into "entities" ("id", "collection_id") select * from unnest($1::text[], $2::text[]) on conflict ("id") do update set "id" = "excluded"."id"',
    [2],
  ],
  [
    'insert into "indexes" ("collection_id", "version") values ($1, $2), ($3, $4) returning "number"',
    [1, 3],
  ],
  [
    'select * from (select "id" from "entities" where "collection_id" = $1 limit $2) as "e" left join "chunks" as "c" on "c"."entity" = "e"."id" and "c"."collection_id" = $3',
    [1, 3],
  ],
  [
    '(select n from chunks where collection_id = $1) union all (select n from chunks where collection_id = $2)',
    [1, 2],
  ],
];

const UNLIMITED: readonly (readonly [sql: string, tables: readonly string[]])[] = [
  ['select "n" from "chunks" where "n" > $1', ['chunks']],
  ['select n from chunks where collection_id = $1 or n = $2', ['chunks']],
  ['select n from chunks where (collection_id = $1 or n = $2) and n > $3', ['chunks']],
  [
    'select c.n from chunks as c join chunk_bodies b on b.n = c.n where c.collection_id = $1',
    ['chunk_bodies'],
  ],
  [
    'select n from chunks where collection_id = $1 union select n from chunk_bodies where n = $2',
    ['chunk_bodies'],
  ],
  ['delete from chunks where n in (select n from gone where collection_id = $1)', ['chunks']],
  [
    'select 1 from connections as s where exists (select 1 from entities as e where e.connection_id = s.id)',
    ['entities'],
  ],
  ['insert into gone (n, at) values ($1, $2)', ['gone']],
  [
    'insert into gone (collection_id, n) select collection_id, n from chunks where collection_id = $1',
    ['gone'],
  ],
  ['select n from chunks where collection_id in ($1, $2)', ['chunks']],
];

describe('the collections of a statement', () => {
  it('are named for each of its tables', () => {
    for (const [sql, parameters] of LIMITED) {
      const shape = shapeOf(sql);
      assert.deepEqual(
        [shape.unlimited, shape.parameters.toSorted()],
        [[], parameters.toSorted()],
        sql,
      );
    }
  });

  it('are missing for a table without an equality', () => {
    for (const [sql, tables] of UNLIMITED) assert.deepEqual(shapeOf(sql).unlimited, tables, sql);
  });

  it('only a statement that changes contents writes', () => {
    const writes = (sql: string) => shapeOf(sql).writes;
    assert.deepEqual(
      [
        writes('delete from chunks where collection_id = $1'),
        writes('select n from chunks where collection_id = $1 for update'),
        writes('update connections set name = $1 where collection_id = $2'),
      ],
      [true, false, false],
    );
  });

  it('a change of contents asks no clock', () => {
    const isVolatile = (sql: string) => shapeOf(sql).isVolatile;
    assert.deepEqual(
      [
        isVolatile('delete from gone where collection_id = $1 and at < (select clock_timestamp())'),
        isVolatile('insert into gone (collection_id, at) select $1, clock_timestamp()'),
        isVolatile('update jobs set lease_until = clock_timestamp()'),
        isVolatile('select n from gone where collection_id = $1 and at < clock_timestamp()'),
      ],
      [true, false, false, false],
    );
  });

  it('other tables need none', () => {
    assert.deepEqual(shapeOf('select id from connections, collections').tables, []);
  });
});
