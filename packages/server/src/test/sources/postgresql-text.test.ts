/**
 * Tests the text of a row of the postgresql source on a real server: what it contains, and what it must not contain.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { entitiesOf, itemsOf } from './harness.ts';
import { fieldsOf, idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

describe('the text of a row of PostgreSQL', () => {
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  const SHOP = `
    create table customers (id int primary key, first_name text, last_name text);
    create table products (sku text primary key, name text, price numeric(10, 2), stock int);
    create table orders (id int primary key, number text, customer_id int references customers,
      placed date, paid bool);
    create table order_lines (order_id int references orders, line int, product text references products,
      quantity int, price numeric(10, 2), primary key (order_id, line));
    insert into customers values (17, 'Ann', 'Miller'), (18, ' ', null);
    insert into products values ('SKU-00042', E'Blue\\n lamp', 12.50, 3), ('SKU-00043', '', 7, null);
    insert into orders values (1001, 'SO-1001', 17, '2026-01-02', true), (1002, null, 18, null, null),
      (1003, '', null, null, false);
    insert into order_lines values (1001, 1, 'SKU-00042', 2, 12.50), (1001, 2, 'SKU-00043', 1, 7);`;

  async function textsOf(statements: string, config?: unknown) {
    const credentials = await peer.schema(statements);
    const items = await pull(credentials, config);
    assert.deepEqual(itemsOf(items, 'lost'), []);
    return new Map(entitiesOf(items).map(({ id, text }) => [id, text]));
  }

  it('contains every column with its name, and the names of the rows that foreign keys refer to', async () => {
    const texts = await textsOf(SHOP);
    assert.equal(
      texts.get('products:SKU-00042'),
      '**Blue lamp** (products)\n\n- **sku**: SKU-00042\n\n**name**:\n\nBlue\n lamp\n\n- **price**: 12.50\n- **stock**: 3',
    );
    assert.equal(
      texts.get('orders:1001'),
      '**orders SO-1001**\n\n- **id**: 1001\n- **number**: SO-1001\n- **customer**: Ann Miller (customer_id 17)\n- **placed**: 2026-01-02\n- **paid**: true',
    );
    assert.equal(
      texts.get('order_lines:1001,1'),
      '**order_lines 1001, 1**\n\n- **order**: SO-1001 (order_id 1001)\n- **line**: 1\n- **product**: Blue lamp (SKU-00042)\n- **quantity**: 2\n- **price**: 12.50',
    );
    // The product has no name but its key, and the customer has no name at all.
    assert.match(must(texts.get('order_lines:1001,2')), /- \*\*product\*\*: SKU-00043\n/);
    assert.equal(
      texts.get('orders:1002'),
      '**orders 1002**\n\n- **id**: 1002\n- **customer_id**: 18',
    );
    assert.equal(texts.get('orders:1003'), '**orders 1003**\n\n- **id**: 1003\n- **paid**: false');
  });

  it('contains the names of rows that composite keys and keys into the same table refer to', async () => {
    const texts = await textsOf(`
      create table places (country text, no int, name text, primary key (country, no),
        part_of int, foreign key (country, part_of) references places (country, no));
      insert into places values ('NO', 1, 'Hordaland', null), ('NO', 2, 'Bergen', 1);
      create table staff (id int primary key, name text, boss int references staff);
      insert into staff values (1, 'Ada', null), (2, 'Bob', 1);
      create table trips (id int primary key, from_country text, from_no int, to_country text, to_no int,
        foreign key (from_country, from_no) references places, foreign key (to_country, to_no) references places);
      insert into trips values (1, 'NO', 1, 'NO', 2), (2, 'NO', null, null, null);`);
    assert.equal(
      texts.get('places:NO,2'),
      '**Bergen** (places)\n\n- **country**: NO\n- **no**: 2\n- **name**: Bergen\n- **part_of**: 1\n- **places (country, part_of)**: Hordaland',
    );
    assert.equal(
      texts.get('staff:2'),
      '**Bob** (staff)\n\n- **id**: 2\n- **name**: Bob\n- **boss**: Ada (1)',
    );
    assert.equal(
      texts.get('trips:1'),
      '**trips 1**\n\n- **id**: 1\n- **from_country**: NO\n- **from_no**: 1\n- **places (from_country, from_no)**: Hordaland\n- **to_country**: NO\n- **to_no**: 2\n- **places (to_country, to_no)**: Bergen',
    );
    assert.equal(texts.get('trips:2'), '**trips 2**\n\n- **id**: 2\n- **from_country**: NO');
  });

  it('contains names behind keys to and from partitioned tables, domains, odd names and other schemas', async () => {
    const other = await peer.schema(`
      create domain label as text;
      create table "Odd ""table"".x" ("The ""id""" bigint primary key, "Name" label);
      insert into "Odd ""table"".x" values (9, E' two\\n\\tlines ' || repeat('x', 300));`);
    const texts = await textsOf(`
      create table parts (id int primary key, title text) partition by range (id);
      create table parts_1 partition of parts for values from (0) to (10);
      insert into parts values (5, 'Cog');
      create table uses (id int, "partId" smallint references parts, odd bigint references ${other.schema}."Odd ""table"".x",
        primary key (id)) partition by range (id);
      create table uses_1 partition of uses for values from (0) to (10);
      insert into uses values (1, 5, 9);`);
    assert.equal(
      texts.get('uses:1'),
      `**uses 1**\n\n- **id**: 1\n- **part**: Cog (partId 5)\n\n**odd**:\n\ntwo lines ${'x'.repeat(188)} (9)`,
    );
  });

  it('contains no name from tables or columns that the role may not read, and the row itself is read', async () => {
    const admin = await peer.schema(`
      create table hidden (id int primary key, name text); insert into hidden values (1, 'Nobody sees this');
      create table half (id int primary key, name text, email text); insert into half values (1, 'Nor this', 'a@b.c');
      create table t (id int primary key, hidden_id int references hidden, half_id int references half);
      insert into t values (1, 1, 1);
      drop role if exists quarry_half; create role quarry_half login password 'half-pass';`);
    await peer.sql(`grant usage on schema ${admin.schema} to quarry_half;
      grant select on t to quarry_half; grant select (id, email) on half to quarry_half`);
    try {
      const credentials = { ...admin, user: 'quarry_half', password: 'half-pass' };
      const [row] = entitiesOf(await pull(credentials, { tables: ['t'] }));
      assert.equal(
        row?.text,
        '**t 1**\n\n- **id**: 1\n- **hidden_id**: 1\n- **half**: a@b.c (half_id 1)',
      );
    } finally {
      await peer.sql('drop owned by quarry_half; drop role quarry_half');
    }
  });

  it('shows a new name behind a foreign key after a full sync, and not after a sync that goes by a column', async () => {
    const credentials = await peer.schema(`
      create table customers (id int primary key, name text); insert into customers values (1, 'Ann');
      create table orders (id int primary key, customer_id int references customers, version int);
      insert into orders values (1, 1, 1), (2, 1, 2);`);
    const config = { tables: ['orders'] };
    const first = await pull(credentials, config, { cursorField: 'version' });
    await peer.sql(`update customers set name = 'Ann Miller'`);
    const cursor = must(itemsOf(first, 'checkpoint').at(-1)).cursor;
    const next = await pull(credentials, config, { cursorField: 'version', cursor });
    assert.deepEqual(idsOf(next), ['orders:2']);
    for (const { text } of entitiesOf(await pull(credentials, config)))
      assert.match(text, /Ann Miller \(customer_id 1\)/);
  });

  it('contains no columns with names of secrets, from tables or queries, and shows no keys with such names', async () => {
    const credentials = await peer.schema(`
      create table users (id int primary key, email text, password_hash text, "apiKey" uuid, tokens_used int,
        password_changed_at timestamptz);
      insert into users values (1, 'ann@example.org', 'hush-1', 'aaaaaaaa-0000-4000-8000-000000000001', 7,
        '2026-01-01 00:00+00');
      create table api (id int primary key, api_key text); insert into api values (1, 'hush-0');
      create table calls (id int primary key, api_id int references api); insert into calls values (1, 1);
      create table sessions (token text primary key, user_id int references users);
      create table visits (id int primary key, session text references sessions);
      insert into sessions select 'hush-' || i, 1 from generate_series(2, 2500) i;
      insert into visits values (1, 'hush-2');`);
    const items = await pull(credentials);
    assert.ok(!/hush|aaaaaaaa/.test(JSON.stringify(itemsOf(items, 'upsert'))));
    assert.deepEqual(fieldsOf(items, 'users:1'), {
      id: 1,
      email: 'ann@example.org',
      tokens_used: 7,
      password_changed_at: '2026-01-01T00:00:00Z',
    });
    const sessions = entitiesOf(items).filter(({ type }) => type === 'sessions');
    assert.equal(new Set(sessions.map(({ id }) => id)).size, 2499);
    assert.deepEqual(sessions[0]?.fields, { user_id: 1 });
    assert.match(must(sessions[0]).text, /- \*\*user\*\*: ann@example\.org \(user_id 1\)$/);
    // A full pull goes on after the key of a row, even when that key is a secret that no entity
    // shows.
    const { position } = must(
      itemsOf(items, 'bookmark').find(({ position }) => (position as { table: unknown }).table),
    );
    const rest = await pull(credentials, {}, { bookmark: position });
    assert.ok(idsOf(rest).length > 1 && idsOf(rest).every((id) => idsOf(items).includes(id)));
    const query = 'select id, password_hash, password_hash as chosen from users';
    const asked = await pull(credentials, { queries: [{ name: 'q', query }] });
    assert.deepEqual(fieldsOf(asked, 'q:1'), { id: 1, chosen: 'hush-1' });
  });

  it('contains all 1,600 columns of a row with foreign keys', async () => {
    const columns = Array.from({ length: 1590 }, (_, i) => `c${i} int`);
    const keys = Array.from({ length: 9 }, (_, i) => `k${i} int references names`);
    const texts = await textsOf(`
      create table names (id int primary key, name text); insert into names values (1, 'Ann');
      create table wide (id int primary key, ${[...columns, ...keys].join(', ')});
      insert into wide (id, c1589, k0, k8) values (1, 1589, 1, 1);`);
    assert.equal(
      texts.get('wide:1'),
      '**wide 1**\n\n- **id**: 1\n- **c1589**: 1589\n- **k0**: Ann (1)\n- **k8**: Ann (1)',
    );
  });

  it('contains values of every type in readable form, and no column that only machines read', async () => {
    const texts = await textsOf(`
      create type mood as enum ('fine', 'bad');
      create type pair as (a int, b text);
      create table t (id int primary key, big bigint, nan numeric, inf float8, forever date, bc timestamp, span interval,
        j jsonb, u uuid, b bytea, bs bytea[], r int4range, p point, ip inet, m mood, c pair, cs pair[], flags bool[],
        grid int[], tv tsvector, made int generated always as (id * 2) stored, nothing jsonb, blank text, none text[]);
      insert into t values (1, 9007199254740993, 'NaN', '-infinity', 'infinity', '0044-03-15 12:00:00 BC',
        '1 year 03:04:05', '{"a": [1, null]}', '2f2c6d94-8b1f-4a4e-9d62-0f1e2d3c4b5a', decode(repeat('00', 12345), 'hex'),
        array['\\x00'::bytea], '[1,5)', '(1.5,2)', '10.0.0.1/8', 'fine', '(1,"x y")', array['(2,z)'::pair], '{t,f,null}',
        '{{1,2},{3,4}}', to_tsvector('simple', 'a cat'), default, 'null', ' ', '{}');`);
    assert.deepEqual(must(texts.get('t:1')).split('\n').slice(2), [
      '- **id**: 1',
      '- **big**: 9007199254740993',
      '- **nan**: NaN',
      '- **inf**: -Infinity',
      '- **forever**: infinity',
      '- **bc**: 0044-03-15 12:00:00 BC',
      '- **span**: P1YT3H4M5S',
      '- **j**: {"a":[1,null]}',
      '- **u**: 2f2c6d94-8b1f-4a4e-9d62-0f1e2d3c4b5a',
      '- **b**: 12.3 kB',
      '- **bs**: 1 value',
      '- **r**: [1,5)',
      '- **p**: (1.5,2)',
      '- **ip**: 10.0.0.1/8',
      '- **m**: fine',
      '- **c**: (1,"x y")',
      '- **cs**: (2,z)',
      '- **flags**: true, false',
      '- **grid**: [[1,2],[3,4]]',
      '- **made**: 2',
    ]);
  });

  it('is also made for rows of views, which queries read', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, price numeric); insert into t values (1, 2.50);
      create view v as select id, price * 2 as doubled from t;
      create materialized view m as select id, price from t;`);
    const refused = await pull(credentials, { tables: ['v', 'm'] });
    assert.equal(itemsOf(refused, 'lost').length, 2);
    const items = await pull(credentials, {
      queries: [
        { name: 'v', query: 'select * from v' },
        { name: 'm', query: 'select * from m' },
      ],
    });
    assert.deepEqual(
      entitiesOf(items).map(({ type, text }) => [type, text]),
      [
        ['v', '**v 1**\n\n- **id**: 1\n- **doubled**: 5.00'],
        ['m', '**m 1**\n\n- **id**: 1\n- **price**: 2.50'],
      ],
    );
  });
});
