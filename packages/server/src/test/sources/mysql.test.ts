/** Tests the mysql source on a real server: what it reads, and how rows become entities. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { entitiesOf, itemsOf } from './harness.ts';
import { fieldsOf, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

describe('rows of MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  it('every common type becomes JSON', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key, tiny tinyint, yes boolean, no boolean, seven tinyint(1), small smallint unsigned,
        big bigint, huge bigint unsigned, num decimal(10, 2), long_num decimal(40, 20), filled int(6) zerofill,
        f float, g float, d double, bits bit(12), y year, day date, zero date, half date, t time, span time(3),
        dt datetime, dt6 datetime(6), zero_dt datetime, ts timestamp(3) null, ch char(5), vc varchar(20), ttext text,
        bin binary(4), vb varbinary(9), b longblob, j json, e enum('fine', 'bad,', ''), s set('a', 'b', 'c'), none set('a'),
        p point, made int generated always as (id * 2) virtual, hidden_text varchar(9) character set latin1, nothing text);
      set time_zone = '+02:00';
      insert into t (id, tiny, yes, no, seven, small, big, huge, num, long_num, filled, f, g, d, bits, y, day, zero, half, t,
        span, dt, dt6, zero_dt, ts, ch, vc, ttext, bin, vb, b, j, e, s, none, p, hidden_text)
      values (1, -7, true, false, 7, 65535, -9007199254740993, 18446744073709551615, 1.50, 0.12345678901234567890, 42,
        0.1, 16777217, 1e300, b'100000000001', 2026, '2026-02-28', '0000-00-00', '2026-02-00', '23:59:59',
        '-838:59:58.5', '2026-02-28 12:30:00', '2026-02-28 12:30:00.123456', '0000-00-00 00:00:00',
        '2026-02-28 12:30:00.125', 'ab  ', 'ü😀 ', 'x\\0y', 'ab', x'00ff10', repeat('x', 70000),
        '{"a": [1, 9007199254740993]}', 'bad,', 'c,a', '', st_geomfromtext('POINT(1.5 2)'), 'é');
      set time_zone = '+00:00';`);
    const { p, ...fields } = fieldsOf(await pull(credentials), 't:1');
    assert.match(String(p), /^POINT\(1\.5 2\)$/);
    assert.deepEqual(fields, {
      id: 1,
      tiny: -7,
      yes: true,
      no: false,
      seven: 7,
      small: 65535,
      big: '-9007199254740993',
      huge: '18446744073709551615',
      num: 1.5,
      long_num: '0.12345678901234567890',
      filled: 42,
      f: 0.1,
      g: 16777216,
      d: 1e300,
      bits: 2049,
      y: 2026,
      day: '2026-02-28',
      zero: '0000-00-00',
      half: '2026-02-00',
      t: '23:59:59',
      span: '-838:59:58.500',
      dt: '2026-02-28T12:30:00Z',
      dt6: '2026-02-28T12:30:00.123456Z',
      zero_dt: '0000-00-00 00:00:00',
      ts: '2026-02-28T10:30:00.125Z',
      ch: 'ab',
      vc: 'ü😀 ',
      ttext: 'x\0y',
      bin: 4,
      vb: 3,
      b: 70000,
      j: { a: [1, '9007199254740993'] },
      e: 'bad,',
      s: ['a', 'c'],
      none: [],
      made: 2,
      hidden_text: 'é',
      nothing: null,
    });
  });

  it('UUID and INET of MariaDB stay as MariaDB writes them, also as keys', async (t) => {
    if (!peer.isMariaDb) return t.skip('MySQL does not have these types');
    const credentials = await peer.database(`
      create table t (id uuid primary key, ip inet6);
      insert into t values ('2F2C6D94-8B1F-4A4E-9D62-0F1E2D3C4B5A', '::1');`);
    assert.deepEqual(fieldsOf(await pull(credentials), 't:2f2c6d94-8b1f-4a4e-9d62-0f1e2d3c4b5a'), {
      id: '2f2c6d94-8b1f-4a4e-9d62-0f1e2d3c4b5a',
      ip: '::1',
    });
  });

  it('a row becomes a page with its words, its times and its place', async () => {
    const long = 'word '.repeat(60).trim();
    const credentials = await peer.database(`
      create table issues (id int primary key, state varchar(9), \`Title\` text, body text, votes int, closed bool,
        labels set('urgent', 'pump'), created_at timestamp null, modified_on date, file blob);
      insert into issues values (7, 'open', '  Leak\\nin the pump ', '${long}', 3, false, 'urgent,pump',
        '2026-01-02 03:04:05', '2026-02-03', 'abc'), (8, '', '', null, 1, true, '', null, '0000-00-00', null);`);
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
        '- **file**: 3 bytes',
      ].join('\n'),
      breadcrumbs: [
        { id: credentials.database, name: credentials.database, type: 'schema' },
        { id: `${credentials.database}.issues`, name: 'issues', type: 'table' },
      ],
      createdAt: new Date('2026-01-02T03:04:05Z'),
      updatedAt: new Date('2026-02-03T00:00:00Z'),
    });
    assert.equal(bare?.name, 'issues 8');
    assert.equal(bare?.updatedAt, undefined);
  });

  it('JSON that the server has not checked stays text', async (t) => {
    if (!peer.isMariaDb) return t.skip('MySQL checks every value of this type');
    const credentials = await peer.database(`
      create table t (id int primary key, j json);
      set check_constraint_checks = 0; insert into t values (1, '{"a":'), (2, '[1]'); set check_constraint_checks = 1;`);
    const items = await pull(credentials);
    assert.deepEqual([fieldsOf(items, 't:1').j, fieldsOf(items, 't:2').j], ['{"a":', [1]]);
  });

  it('ids of odd and composite keys never meet', async () => {
    const credentials = await peer.database(
      `
      create table \`Odd "name":x/y\` (\`a,b\` varchar(9), \`B\\\`\` varchar(9), primary key (\`a,b\`, \`B\\\`\`));
      insert into \`Odd "name":x/y\` values ('1', '2,3'), ('1,2', '3'), ('', ''), ('100%', '%2C'), ('a\\tb', 'ü:/');
      create table bytes (id varbinary(4) primary key);
      insert into bytes values (x'01'), (x'02'), (x'');
      create table kinds (id enum('x', 'y') primary key);
      insert into kinds values ('y'), ('x');`.replaceAll('B\\`', 'B``'),
    );
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items).toSorted(), [
      'Odd "name"%3Ax/y:,',
      'Odd "name"%3Ax/y:1%2C2,3',
      'Odd "name"%3Ax/y:1,2%2C3',
      'Odd "name"%3Ax/y:100%25,%252C',
      'Odd "name"%3Ax/y:a%09b,ü%3A/',
      'bytes:0x',
      'bytes:0x01',
      'bytes:0x02',
      'kinds:x',
      'kinds:y',
    ]);
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition.split('.')[1]),
      ['bytes', 'kinds', 'Odd "name":x%2Fy'],
    );
  });

  it('[SRC-15] only the tables of the configuration are read; without one all tables and no views', async () => {
    const credentials = await peer.database(`
      create table a (id int primary key); insert into a values (1);
      create table b (id int primary key); insert into b values (1);
      create view v as select * from a;
      create table parts (id int primary key) partition by range (id) (partition p values less than (10));
      insert into parts values (5);`);
    assert.deepEqual(idsOf(await pull(credentials, { tables: ['b'] })), ['b:1']);
    const all = await pull(credentials);
    assert.deepEqual(idsOf(all), ['a:1', 'b:1', 'parts:5']);
    assert.deepEqual(itemsOf(all, 'lost'), []);
  });

  it('[SRC-15] tables of several databases are read, and those of its own database keep their names', async () => {
    const sales = await peer.database(`
      create table orders (id int primary key); insert into orders values (1);
      create table \`a.b\` (id int primary key); insert into \`a.b\` values (1);`);
    const hr = await peer.database(`
      create table orders (id int primary key); insert into orders values (1);
      create table people (id varchar(9) primary key); insert into people values ('7'), ('a:b');`);
    const only = await pull(sales);
    const both = await pull(sales, { schemas: [hr.database, sales.database] });
    const ofHr = ['orders:1', 'people:7', 'people:a%3Ab'].map((id) => `${hr.database}:${id}`);
    assert.deepEqual(idsOf(both).toSorted(), ['a.b:1', 'orders:1', ...ofHr].toSorted());
    assert.deepEqual(
      both.filter((item) => 'partition' in item && item.partition.startsWith(`${sales.database}.`)),
      only.filter((item) => 'partition' in item),
    );
    const named = { tables: ['orders', 'a.b', `${hr.database}.people`] };
    assert.deepEqual(idsOf(await pull(sales, named)), ['orders:1', 'a.b:1', ...ofHr.slice(1)]);
    assert.deepEqual(idsOf(await pull({ ...sales, schema: hr.database } as typeof sales)), [
      'orders:1',
      'people:7',
      'people:a%3Ab',
    ]);
  });

  it('[SRC-15] only the rows of the queries are read, by their key', async () => {
    const credentials = await peer.database(`
      create table people (id int primary key, name varchar(9), team varchar(9));
      insert into people values (1, 'Ada', 'x'), (2, 'Bob', 'X'), (3, 'Cy', 'y'), (4, 'Dot', 'x');`);
    const items = await pull(credentials, {
      queries: [
        {
          name: 'teams',
          query: 'select lower(team) as team, count(*) as size from people group by 1;',
          key: ['team'],
        },
        {
          name: 'x',
          query:
            "with p as (select * from people) select id, name, '?' as mark from p where team = 'x' -- end",
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
      'x:4',
      'twice:X',
      'twice:x',
      'twice:y',
      'holes:2',
      'holes:3',
      'holes:4',
    ]);
    assert.deepEqual(fieldsOf(items, 'teams:x'), { team: 'x', size: 3 });
    assert.equal(fieldsOf(items, 'x:1').mark, '?');
    assert.deepEqual(
      itemsOf(items, 'fail').map(({ id, reason }) => [id, reason]),
      [
        ['twice:x', 'the row has the same key as another row'],
        ['holes:null', 'the row has no value in its key'],
      ],
    );
  });

  it('a unique index stands in for a primary key if it is whole and never null', async () => {
    const credentials = await peer.database(`
      create table good (a int not null, b int not null, c varchar(9) not null, unique (a, b), unique (c));
      insert into good values (1, 2, 'x');
      create table nullable (a int unique); insert into nullable values (1);
      create table beginning (a varchar(99) not null, unique (a(9)));`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['good:x']);
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition.split('.')[1], error.kind]),
      [
        ['beginning', 'config'],
        ['nullable', 'config'],
      ],
    );
  });
});
