/** Tests the text of a row of the mysql source on a real server: what it contains, and what it must not contain. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { entitiesOf, itemsOf } from './harness.ts';
import { fieldsOf, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

describe('the text of a row of MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  async function textsOf(statements: string) {
    const items = await pull(await peer.database(statements));
    assert.deepEqual(itemsOf(items, 'lost'), []);
    return new Map(entitiesOf(items).map(({ id, text }) => [id, text]));
  }

  it('contains every column with its name, and the names of the rows that foreign keys refer to', async () => {
    const texts = await textsOf(`
      create table customers (id int primary key, first_name varchar(20), last_name varchar(20));
      create table products (sku varchar(20) primary key, name text character set latin1, price decimal(10, 2));
      create table orders (id int primary key, number varchar(20), customer_id int references customers (id),
        placed date, paid bool, foreign key (customer_id) references customers (id));
      create table order_lines (order_id int, line int, product varchar(20), price decimal(10, 2),
        primary key (order_id, line), foreign key (order_id) references orders (id),
        foreign key (product) references products (sku));
      insert into customers values (17, 'Ann', 'Müller 😀'), (18, ' ', null);
      insert into products values ('SKU-00042', 'Blüe\\n lamp', 12.50), ('SKU-00043', '', 7);
      insert into orders values (1001, 'SO-1001', 17, '2026-01-02', true), (1002, null, 18, null, null);
      insert into order_lines values (1001, 1, 'SKU-00042', 12.50), (1001, 2, 'SKU-00043', 7);`);
    assert.equal(
      texts.get('orders:1001'),
      '**orders SO-1001**\n\n- **id**: 1001\n- **number**: SO-1001\n- **customer**: Ann Müller 😀 (customer_id 17)\n- **placed**: 2026-01-02\n- **paid**: true',
    );
    assert.equal(
      texts.get('order_lines:1001,1'),
      '**order_lines 1001, 1**\n\n- **order**: SO-1001 (order_id 1001)\n- **line**: 1\n- **product**: Blüe lamp (SKU-00042)\n- **price**: 12.50',
    );
    // The product has no name but its key, and the customer has no name at all.
    assert.match(must(texts.get('order_lines:1001,2')), /- \*\*product\*\*: SKU-00043\n/);
    assert.equal(
      texts.get('orders:1002'),
      '**orders 1002**\n\n- **id**: 1002\n- **customer_id**: 18',
    );
  });

  it('contains the names behind composite keys, keys into the same table and keys into another database', async () => {
    const other = await peer.database(`
      create table \`Odd \`\`x\` (\`The "id"\` bigint primary key, \`Name\` varchar(400));
      insert into \`Odd \`\`x\` values (9, concat(' two\\n\\tlines ', repeat('x', 300)));`);
    const texts = await textsOf(`
      create table places (country char(2), no int, name varchar(20), part_of int, primary key (country, no),
        foreign key (country, part_of) references places (country, no));
      insert into places values ('NO', 1, 'Hordaland', null), ('NO', 2, 'Bergen', 1);
      create table uses (id int primary key, odd bigint,
        foreign key (odd) references ${other.database}.\`Odd \`\`x\` (\`The "id"\`));
      insert into uses values (1, 9);`);
    assert.equal(
      texts.get('places:NO,2'),
      '**Bergen** (places)\n\n- **country**: NO\n- **no**: 2\n- **name**: Bergen\n- **part_of**: 1\n- **places (country, part_of)**: Hordaland',
    );
    assert.match(must(texts.get('uses:1')), /two lines x{180,190} \(9\)$/);
  });

  it('contains only tables, columns and names that the user may read', async () => {
    const admin = await peer.database(`
      create table hidden (id int primary key, name varchar(20)); insert into hidden values (1, 'Nobody sees this');
      create table half (id int primary key, name varchar(20), email varchar(20)); insert into half values (1, 'Nor this', 'a@b.c');
      create table t (id int primary key, hidden_id int, half_id int, foreign key (hidden_id) references hidden (id),
        foreign key (half_id) references half (id));
      insert into t values (1, 1, 1);
      create table keyless (id int primary key, note varchar(20)); insert into keyless values (1, 'x');
      create table writable (id int primary key);
      create user quarry_half identified by 'half-pass';
      grant select on t to quarry_half; grant select (id, email), insert (name) on half to quarry_half;
      grant select (note) on keyless to quarry_half; grant insert on writable to quarry_half;`);
    try {
      const credentials = { ...admin, user: 'quarry_half', password: 'half-pass' };
      const items = await pull(credentials);
      assert.deepEqual(idsOf(items), ['half:1', 't:1']);
      assert.deepEqual(fieldsOf(items, 'half:1'), { id: 1, email: 'a@b.c' });
      const row = entitiesOf(items).find(({ id }) => id === 't:1');
      assert.equal(
        row?.text,
        '**t 1**\n\n- **id**: 1\n- **hidden_id**: 1\n- **half**: a@b.c (half_id 1)',
      );
      const lost = itemsOf(items, 'lost').map(({ partition, error }) => [
        partition.split('.')[1],
        error.kind,
        /command denied/.test(error.message) || /no primary key/.test(error.message),
      ]);
      assert.deepEqual(lost, [
        ['keyless', 'config', true],
        ['writable', 'config', true],
      ]);
      await assert.rejects(pull(credentials, { tables: ['hidden'] }), {
        kind: 'config',
        message:
          /^the table hidden does not exist in the database \S+, or the user may not read it$/,
      });
    } finally {
      await peer.sql('drop user quarry_half');
    }
  });

  it('contains no columns with names of secrets, from tables or queries, and shows no keys with such names', async () => {
    const credentials = await peer.database(`
      create table users (id int primary key, email varchar(40), password_hash text, \`apiKey\` varchar(40), tokens_used int,
        password_changed_at datetime);
      insert into users values (1, 'ann@example.org', 'hush-1', 'hush-2', 7, '2026-01-01');
      create table sessions (token varchar(40) primary key, user_id int, foreign key (user_id) references users (id));
      insert into sessions values ('hush-3', 1), ('hush-4', 1);`);
    const items = await pull(credentials);
    assert.ok(!JSON.stringify(itemsOf(items, 'upsert')).includes('hush'));
    assert.deepEqual(fieldsOf(items, 'users:1'), {
      id: 1,
      email: 'ann@example.org',
      tokens_used: 7,
      password_changed_at: '2026-01-01T00:00:00Z',
    });
    const sessions = entitiesOf(items).filter(({ type }) => type === 'sessions');
    assert.equal(new Set(sessions.map(({ id }) => id)).size, 2);
    assert.match(must(sessions[0]).text, /- \*\*user\*\*: ann@example\.org \(user_id 1\)$/);
    const query = 'select id, password_hash, password_hash as chosen from users';
    const asked = await pull(credentials, { queries: [{ name: 'q', query }] });
    assert.deepEqual(fieldsOf(asked, 'q:1'), { id: 1, chosen: 'hush-1' });
  });

  it('contains values of every type in readable form, and no column that only machines read', async () => {
    const texts = await textsOf(`
      create table t (id int primary key, big bigint unsigned, f float, span time, j json, b blob, s set('a', 'b'), flag bool,
        p point, zero date, none set('a'), blank varchar(9), nothing text, made int generated always as (id * 2) stored);
      insert into t (id, big, f, span, j, b, s, flag, p, zero, none, blank) values (1, 18446744073709551615, 0.1, '-100:00:01',
        '{"a": [1, null]}', repeat('x', 12345), 'a,b', true, st_geomfromtext('POINT(1 2)'), '0000-00-00', '', ' ');`);
    assert.deepEqual(must(texts.get('t:1')).split('\n').slice(2), [
      '- **id**: 1',
      '- **big**: 18446744073709551615',
      '- **f**: 0.1',
      '- **span**: -100:00:01',
      '- **j**: {"a":[1,null]}',
      '- **b**: 12.3 kB',
      '- **s**: a, b',
      '- **flag**: true',
      '- **zero**: 0000-00-00',
      '- **made**: 2',
    ]);
  });

  it('is also made for rows of views, which queries read', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key, price decimal(5, 2)); insert into t values (1, 2.50);
      create view v as select id, price * 2 as doubled from t;
      create view broken as select id from t; alter table t change id key_id int;`);
    const views = ['broken', 'fine'].map((name) => ({
      name,
      query:
        name === 'fine'
          ? 'select key_id as id, price * 2 as doubled from t'
          : 'select * from broken',
    }));
    const items = await pull(credentials, { queries: views });
    assert.equal(entitiesOf(items)[0]?.text, '**fine 1**\n\n- **id**: 1\n- **doubled**: 5.00');
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition, error.kind]),
      [['broken', 'config']],
    );
  });
});
