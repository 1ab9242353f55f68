/** Tests the postgresql source on a real server: what it reads, and how rows become entities. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { entitiesOf, itemsOf } from './harness.ts';
import { fieldsOf, idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

describe('rows of PostgreSQL', () => {
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  it('every common type becomes JSON', async () => {
    const credentials = await peer.schema(`
      create type mood as enum ('fine', 'bad');
      create domain price as numeric(10, 2);
      create domain names as text[];
      create type pair as (a int, b text);
      create table t (id int primary key, "small" smallint, big bigint, huge bigint, num numeric, long_num numeric,
        nan numeric, f4 real, f8 double precision, inf double precision, yes bool, no bool, day date, forever date,
        stamp timestamp, zoned timestamptz, never timestamptz, bc timestamp, "time" time, span interval,
        j json, jb jsonb, u uuid, b bytea, bs bytea[], r int4range, p point, ip inet, m mood, ms mood[], pr price,
        ns names, c pair, ch char(5), vc varchar(5), tv tsvector, ints int[], bigs bigint[], grid text[],
        days timestamptz[], flags bool[], empty text[], nothing text, money money);
      insert into t values (1, -7, 42, 9007199254740993, 1.50, 0.12345678901234567890, 'NaN', 0.1, 1e300, '-infinity',
        true, false, '2026-02-28', 'infinity', '2026-02-28 12:30:00.5', '2026-02-28 12:30:00.123456+02', '-infinity',
        '0044-03-15 12:00:00 BC', '23:59:59', '1 year 2 days 03:04:05', '{"a": [1, "\\u0000\\ud800"]}', '{"b": null}',
        '2F2C6D94-8B1F-4A4E-9D62-0F1E2D3C4B5A', '\\x00ff10', array['\\x00'::bytea, '\\x01'::bytea], '[1,5)', '(1.5,2)',
        '10.0.0.1/8', 'fine', '{fine,bad}', 9.90, '{Ada,Bob}', '(1,"x y")', 'ab', 'cd', to_tsvector('simple', 'a cat'),
        '{1,NULL,3}', '{1,9007199254740993}', '{{a,b},{c,NULL}}', '{2026-01-01 00:00:00+00}', '{t,f}', '{}', null, 12.5);`);
    const items = await pull(credentials);
    const { money, ...fields } = fieldsOf(items, 't:1');
    assert.match(String(money), /12/);
    assert.deepEqual(fields, {
      id: 1,
      small: -7,
      big: 42,
      huge: '9007199254740993',
      num: 1.5,
      long_num: '0.12345678901234567890',
      nan: 'NaN',
      f4: 0.1,
      f8: 1e300,
      inf: '-Infinity',
      yes: true,
      no: false,
      day: '2026-02-28',
      forever: 'infinity',
      stamp: '2026-02-28T12:30:00.5Z',
      zoned: '2026-02-28T10:30:00.123456Z',
      never: '-infinity',
      bc: '0044-03-15 12:00:00 BC',
      time: '23:59:59',
      span: 'P1Y2DT3H4M5S',
      j: { a: [1, '\uFFFD'] },
      jb: { b: null },
      u: '2f2c6d94-8b1f-4a4e-9d62-0f1e2d3c4b5a',
      b: 3,
      bs: 2,
      r: '[1,5)',
      p: '(1.5,2)',
      ip: '10.0.0.1/8',
      m: 'fine',
      ms: ['fine', 'bad'],
      pr: 9.9,
      ns: ['Ada', 'Bob'],
      c: '(1,"x y")',
      ch: 'ab',
      vc: 'cd',
      tv: "'a':1 'cat':2",
      ints: [1, null, 3],
      bigs: [1, '9007199254740993'],
      grid: [
        ['a', 'b'],
        ['c', null],
      ],
      days: ['2026-01-01T00:00:00Z'],
      flags: [true, false],
      empty: [],
      nothing: null,
    });
  });

  it('a row becomes a page with its words, its times and its place', async () => {
    const long = 'word '.repeat(60).trim();
    const credentials = await peer.schema(`
      create table issues (id int primary key, state text, "Title" text, body text, votes int, closed bool,
        labels text[], created_at timestamptz, modified_on date);
      insert into issues values (7, 'open', E'  Leak\\nin the pump ', '${long}', 3, false, '{urgent,pump}',
        '2026-01-02 03:04:05+00', '2026-02-03'), (8, '', '', null, 1, true, null, null, null);`);
    const [leak, bare] = entitiesOf(await pull(credentials));
    const { fields: _, ...entity } = must(leak);
    assert.deepEqual(entity, {
      id: 'issues:7',
      type: 'issues',
      name: 'Leak in the pump',
      text: [
        '**Leak in the pump** (issues)\n',
        '- **id**: 7',
        '- **state**: open\n',
        '**Title**:\n\nLeak\nin the pump\n',
        `**body**:\n\n${long}\n`,
        '- **votes**: 3',
        '- **closed**: false',
        '- **labels**: urgent, pump',
        '- **created_at**: 2026-01-02T03:04:05Z',
        '- **modified_on**: 2026-02-03',
      ].join('\n'),
      breadcrumbs: [
        { id: credentials.schema, name: credentials.schema, type: 'schema' },
        { id: `${credentials.schema}.issues`, name: 'issues', type: 'table' },
      ],
      createdAt: new Date('2026-01-02T03:04:05Z'),
      updatedAt: new Date('2026-02-03T00:00:00Z'),
    });
    assert.equal(bare?.name, 'issues 8');
    assert.equal(bare?.text, '**issues 8**\n\n- **id**: 8\n- **votes**: 1\n- **closed**: true');
    assert.equal(bare?.createdAt, undefined);
  });

  it('[SRH-16] a name is cut between characters', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, title text);
      insert into t values (1, repeat('🐦', 150)), (2, 'x' || repeat('🐦', 150));`);
    assert.deepEqual(
      entitiesOf(await pull(credentials)).map(({ name }) => name),
      ['🐦'.repeat(100), `x${'🐦'.repeat(99)}`],
    );
  });

  it('ids of odd and composite keys never meet', async () => {
    const credentials = await peer.schema(`
      create table "Odd ""name"":x/y" ("a,b" text, "B" text, primary key ("a,b", "B"));
      insert into "Odd ""name"":x/y" values ('1', '2,3'), ('1,2', '3'), ('', ''), ('100%', '%2C'), (E'a\\tb', 'ü:/');
      create table bytes (id bytea primary key);
      insert into bytes values ('\\x01'), ('\\x02');`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items).toSorted(), [
      'Odd "name"%3Ax/y:,',
      'Odd "name"%3Ax/y:1%2C2,3',
      'Odd "name"%3Ax/y:1,2%2C3',
      'Odd "name"%3Ax/y:100%25,%252C',
      'Odd "name"%3Ax/y:a%09b,ü%3A/',
      'bytes:\\x01',
      'bytes:\\x02',
    ]);
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      [`${credentials.schema}.Odd "name":x%2Fy`, `${credentials.schema}.bytes`],
    );
  });

  it('[SRC-15] only the tables of the configuration are read; without one all tables and no views', async () => {
    const credentials = await peer.schema(`
      create table a (id int primary key); insert into a values (1);
      create table b (id int primary key); insert into b values (1);
      create view v as select * from a;
      create table parts (id int primary key) partition by range (id);
      create table parts_1 partition of parts for values from (0) to (10);
      insert into parts values (5);
      create table child (primary key (id)) inherits (a); insert into child values (2);`);
    assert.deepEqual(idsOf(await pull(credentials, { tables: ['b'] })), ['b:1']);
    const all = await pull(credentials);
    assert.deepEqual(idsOf(all), ['a:1', 'b:1', 'child:2', 'parts:5']);
    assert.deepEqual(itemsOf(all, 'lost'), []);
  });

  it('[SRC-15] tables of several schemas are read, and those of its own schema keep their names', async () => {
    const sales = await peer.schema(`
      create table orders (id int primary key); insert into orders values (1);
      create table "hr:people" (id int primary key); insert into "hr:people" values (7);`);
    const hr = await peer.schema(`
      create table orders (id int primary key); insert into orders values (1);
      create table people (id text primary key); insert into people values ('7'), ('a:b');
      create view v as select * from people;`);
    const only = await pull(sales);
    const both = await pull(sales, { schemas: [hr.schema, sales.schema] });
    assert.deepEqual(idsOf(both), [
      'hr%3Apeople:7',
      'orders:1',
      `${hr.schema}:orders:1`,
      `${hr.schema}:people:7`,
      `${hr.schema}:people:a%3Ab`,
    ]);
    const ofSales = (items: readonly SourceItem[]) =>
      items.filter((item) => 'partition' in item && item.partition.startsWith(`${sales.schema}.`));
    assert.deepEqual(ofSales(both), ofSales(only));
    assert.deepEqual(
      entitiesOf(both).map(({ type }) => type),
      [
        'hr:people',
        'orders',
        ...['orders', 'people', 'people'].map((name) => `${hr.schema}.${name}`),
      ],
    );
    const [people] = entitiesOf(both).slice(-1);
    assert.deepEqual(people?.breadcrumbs, [
      { id: hr.schema, name: hr.schema, type: 'schema' },
      { id: `${hr.schema}.people`, name: 'people', type: 'table' },
    ]);
    const named = { tables: ['orders', `${hr.schema}.orders`, `${hr.schema}.people`] };
    assert.deepEqual(idsOf(await pull(sales, named)), [
      'orders:1',
      `${hr.schema}:orders:1`,
      `${hr.schema}:people:7`,
      `${hr.schema}:people:a%3Ab`,
    ]);
  });

  it('tables are told apart whose names have dots', async () => {
    const home = await peer.schema(`
      create table "x.t" (id int primary key); insert into "x.t" values (1);
      create table t (id int primary key); insert into t values (2);`);
    const dotted = `${home.schema}.x`;
    try {
      await peer.sql(`
        create schema "${dotted}"; create schema x_${home.schema};
        create table "${dotted}".t (id int primary key); insert into "${dotted}".t values (3);
        create table x_${home.schema}."x.t" (id int primary key);
        insert into x_${home.schema}."x.t" values (4);`);
      const items = await pull(home, { schemas: [home.schema, dotted, `x_${home.schema}`] });
      assert.deepEqual(idsOf(items).toSorted(), [
        `${dotted}:t:3`,
        't:2',
        'x.t:1',
        `x_${home.schema}:x.t:4`,
      ]);
      const partitions = itemsOf(items, 'listed').map(({ partition }) => partition);
      assert.equal(new Set(partitions).size, 4);
      assert.deepEqual(idsOf(await pull(home, { tables: ['x.t'] })), ['x.t:1']);
      const other = { ...home, schema: `x_${home.schema}` };
      await assert.rejects(pull(other, { tables: [`${dotted}.t`] }), {
        kind: 'config',
        message: `the name ${dotted}.t means two tables: read them by queries`,
      });
    } finally {
      await peer.sql(`drop schema "${dotted}" cascade; drop schema x_${home.schema} cascade`);
    }
  });

  it('[SRC-15] only the rows of the queries are read, by their key', async () => {
    const credentials = await peer.schema(`
      create table people (id int primary key, name text, team text);
      insert into people values (1, 'Ada', 'x'), (2, 'Bob', 'x'), (3, 'Cy', 'y');`);
    const items = await pull(credentials, {
      queries: [
        {
          name: 'teams',
          query: 'select team, count(*) as size from people group by 1;',
          key: ['team'],
        },
        {
          name: 'x',
          query: "with p as (select * from people) select id, name from p where team = 'x' -- end",
        },
        { name: 'twice', query: 'select team as id, name from people' },
        { name: 'holes', query: 'select nullif(id, 1) as id from people' },
      ],
    });
    assert.deepEqual(idsOf(items), [
      'teams:x',
      'teams:y',
      'x:1',
      'x:2',
      'twice:x',
      'twice:y',
      'holes:2',
      'holes:3',
    ]);
    assert.deepEqual(fieldsOf(items, 'teams:x'), { team: 'x', size: 2 });
    assert.equal(entitiesOf(items)[0]?.type, 'teams');
    assert.deepEqual(entitiesOf(items)[0]?.breadcrumbs, [
      { id: 'teams', name: 'teams', type: 'query' },
    ]);
    assert.deepEqual(
      itemsOf(items, 'fail').map(({ id, reason }) => [id, reason]),
      [
        ['twice:x', 'the row has the same key as another row'],
        ['holes:null', 'the row has no value in its key'],
      ],
    );
    assert.match(must(itemsOf(items, 'fail')[0]?.hint), /^set key to columns of twice that/);
  });

  it('a unique index stands in for a primary key if it is whole and never null', async () => {
    const credentials = await peer.schema(`
      create table good (a int not null, b int not null, c text not null, unique (a, b), unique (c));
      insert into good values (1, 2, 'x');
      create table nullable (a int unique); insert into nullable values (1);
      create table partial (a int not null); create unique index on partial (a) where a > 0;
      create table expression (a text not null); create unique index on expression (lower(a));
      create table mixed (a int not null, b text not null); create unique index on mixed (a, lower(b));
      create table covering (a int not null, b int); create unique index on covering (a) include (b);
      insert into covering values (4, 5);`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['covering:4', 'good:x']);
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition.split('.')[1], error.kind]),
      [
        ['expression', 'config'],
        ['mixed', 'config'],
        ['nullable', 'config'],
        ['partial', 'config'],
      ],
    );
  });
});
