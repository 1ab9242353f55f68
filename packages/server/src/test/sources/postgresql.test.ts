/** The postgresql source on a real server: what it reads, and how rows become entities. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresql } from '../../sources/catalog/postgresql.ts';
import { must } from '../../util.ts';
import { contextOf, entitiesOf, itemsOf, testSource } from './harness.ts';
import { fieldsOf, idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

testSource(postgresql, async () => {
  const peer = await openPeer();
  const credentials = await peer.schema(`
    create table notes (id int primary key, title text, body text, updated_at timestamptz);
    insert into notes select i, 'note ' || i, 'about ' || i, now() - i * interval '1 day'
      from generate_series(1, 1200) i;
    create table tags (note int, tag text, primary key (note, tag));
    insert into tags values (1, 'a'), (1, 'b');
    create table loose (a int);`);
  return {
    credentials,
    config: { tables: ['notes', 'tags'] },
    cursorField: 'updated_at',
    wrong: [
      {
        name: 'password',
        credentials: { ...credentials, password: 'not-this-one' },
        kind: 'auth',
        says: /^PostgreSQL answered: password authentication failed for user "[^"]+"$/,
      },
      {
        name: 'role',
        credentials: { ...credentials, user: 'nobody-here' },
        kind: 'auth',
        says: /^PostgreSQL answered: password authentication failed for user "nobody-here"$/,
      },
      {
        name: 'database',
        credentials: { ...credentials, database: 'atlantis' },
        kind: 'config',
        says: /^PostgreSQL answered: database "atlantis" does not exist$/,
      },
      {
        name: 'port',
        credentials: { ...credentials, port: 1 },
        kind: 'transient',
        says: /^PostgreSQL at \S+:1 cannot be reached: .*ECONNREFUSED/,
      },
      {
        name: 'schema',
        credentials: { ...credentials, schema: 'nowhere' },
        config: {},
        kind: 'config',
        says: /^the schema nowhere does not exist in this database$/,
      },
      {
        name: 'table',
        config: { tables: ['notes', 'nothing'] },
        kind: 'config',
        says: /^the table nothing does not exist in the schema quarry_test_/,
      },
      {
        name: 'table without a key',
        config: { tables: ['loose'] },
        kind: 'config',
        says: /^the table loose has no primary key, .*: give it one, or read it by a query with a key$/,
      },
      {
        name: 'query with a wrong column',
        config: { queries: [{ name: 'q', query: 'select nope from notes' }] },
        kind: 'config',
        says: /^the query q cannot be read: PostgreSQL answered: column "nope" does not exist$/,
      },
      {
        name: 'query without its key',
        config: { queries: [{ name: 'q', query: 'select title from notes' }] },
        kind: 'config',
        says: /^the query q cannot be read: the query q has no column id, which its key names$/,
      },
      {
        name: 'query with parameters',
        config: { queries: [{ name: 'q', query: 'select id from notes where id = $1' }] },
        kind: 'config',
        says: /^the query q cannot be read: PostgreSQL answered: bind message supplies 0/,
      },
      {
        name: 'two columns of one name',
        config: { queries: [{ name: 'q', query: 'select id, id from notes' }] },
        kind: 'config',
        says: /two columns id: name one of them otherwise, with AS$/,
      },
      {
        name: 'statement that writes',
        config: { queries: [{ name: 'q', query: 'delete from notes returning id' }] },
        kind: 'config',
        says: /^the query q cannot be read: PostgreSQL answered: syntax error/,
      },
      {
        name: 'two statements',
        config: { queries: [{ name: 'q', query: 'select id from notes) r; select (1' }] },
        kind: 'config',
        says: /cannot insert multiple commands into a prepared statement$/,
      },
    ],
    close: () => peer.close(),
  };
});

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
      j: { a: [1, '\uFFFD\uFFFD'] },
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
      type: 'PostgresRow',
      name: 'Leak in the pump',
      text: `**state**: open\n\n**Title**:\n\nLeak\nin the pump\n\n**body**:\n\n${long}\n\n**labels**: urgent, pump`,
      breadcrumbs: [
        { id: credentials.schema, name: credentials.schema, type: 'schema' },
        { id: `${credentials.schema}.issues`, name: 'issues', type: 'table' },
      ],
      createdAt: new Date('2026-01-02T03:04:05Z'),
      updatedAt: new Date('2026-02-03T00:00:00Z'),
    });
    assert.equal(bare?.name, 'issues 8');
    assert.equal(bare?.text, '');
    assert.equal(bare?.createdAt, undefined);
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
    assert.match(must(itemsOf(items, 'fail')[0]?.hint), /^let key name columns of twice that/);
  });

  it('a unique index stands in for a primary key if it is whole and never null', async () => {
    const credentials = await peer.schema(`
      create table good (a int not null, b int not null, c text not null, unique (a, b), unique (c));
      insert into good values (1, 2, 'x');
      create table nullable (a int unique); insert into nullable values (1);
      create table partial (a int not null); create unique index on partial (a) where a > 0;
      create table expression (a text not null); create unique index on expression (lower(a));
      create table covering (a int not null, b int); create unique index on covering (a) include (b);
      insert into covering values (4, 5);`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['covering:4', 'good:x']);
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition.split('.')[1], error.kind]),
      [
        ['expression', 'config'],
        ['nullable', 'config'],
        ['partial', 'config'],
      ],
    );
  });

  it('50,000 rows come through, each once', async () => {
    const credentials = await peer.schema(`
      create table many (id int primary key, body text);
      insert into many select i, repeat('x', 200) from generate_series(1, 50000) i;`);
    const ids = idsOf(await pull(credentials));
    assert.equal(new Set(ids).size, 50_000);
    assert.equal(ids.length, 50_000);
    assert.deepEqual([ids[0], ids.at(-1)], ['many:1', 'many:50000']);
  });

  it('a slow reader makes the server wait: little more is held than was read', async () => {
    const credentials = await peer.schema(`
      create table wide (id int primary key, body text);
      insert into wide select i, repeat('y', 500000) from generate_series(1, 100) i;`);
    const context = contextOf(postgresql, { credentials });
    let read = 0;
    let held = 0;
    for await (const item of must(postgresql.pull)(context)) {
      if (item.kind !== 'upsert') continue;
      read += item.entity.text.length;
      // Everything that the server would send by itself arrives in these turns.
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
      held = Math.max(held, context.meter.bytes - read);
    }
    assert.ok(read > 50_000_000);
    assert.ok(context.meter.bytes > read);
    assert.ok(held < 4_000_000, `${held} bytes`);
  });

  it('a row of over ten megabytes is left out, and its neighbours are not', async () => {
    const credentials = await peer.schema(`
      create table wide (id int primary key, body text);
      insert into wide values (1, 'small'), (2, repeat('x', 10485761)), (3, repeat('x', 10485760));`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['wide:1', 'wide:3']);
    assert.deepEqual(
      itemsOf(items, 'skip').map(({ id, reason }) => [id, reason]),
      [['wide:2', 'the row has 10485761 bytes, and at most 10485760 are taken in']],
    );
  });
});
