/**
 * Tests full pulls of the mysql source on a real server that go on after an interruption, with keys whose order is not
 * that of their bytes: no row is lost, and none is read twice.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { itemsOf, lastCursor } from './harness.ts';
import { type Credentials, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

/** This SQL gives the numbers from 1 to 4100. */
const NUMBERS = `(select 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d as i from digits a, digits b, digits c, digits e
  having i <= 4100) as n`;
const DIGITS = `create table digits (d int); insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);`;

describe('resumed pulls of MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  /** Pulls from each bookmark, and expects exactly the items after the bookmark. Returns the ids of all rows. */
  async function resumed(credentials: Credentials, bookmarks: number): Promise<string[]> {
    const all = await pull(credentials);
    const places = all.flatMap((item, i) => (item.kind === 'bookmark' ? [i] : []));
    assert.equal(places.length, bookmarks);
    for (const place of places) {
      const [item] = itemsOf(all.slice(place), 'bookmark');
      const { position } = must(item);
      const stored = JSON.parse(JSON.stringify(position));
      const rest = await pull(credentials, undefined, { bookmark: stored });
      assert.equal(rest.length, all.length - place - 1, JSON.stringify(position));
      assert.deepEqual(rest, all.slice(place + 1));
    }
    const ids = idsOf(all);
    assert.equal(new Set(ids).size, ids.length);
    return ids;
  }

  it('[JOB-43] a pull from any bookmark yields exactly the items after the bookmark', async () => {
    const credentials = await peer.database(`${DIGITS}
      create table a (id int primary key);
      create table b (part varchar(9), n int, primary key (part, n));
      create table c (id int primary key);
      insert into a values (1), (2);
      insert into b select char(97 + i % 2), i from ${NUMBERS};
      insert into c values (1);
      drop table digits;`);
    // One bookmark is after table a, two are within b, and one is after b.
    assert.equal((await resumed(credentials, 4)).length, 4103);
  });

  for (const [what, column, value] of [
    [
      'text without case',
      'varchar(20) collate utf8mb4_general_ci',
      `concat(if(i % 2, 'KEY', 'key'), i)`,
    ],
    [
      'text with accents',
      'varchar(20) collate utf8mb4_unicode_ci',
      `concat(elt(1 + i % 3, 'é', 'E', 'z'), i)`,
    ],
    ['latin1', 'varchar(20) character set latin1', `concat(elt(1 + i % 3, 'é', 'E', 'ü'), i)`],
    [
      'emoji',
      'varchar(20) collate utf8mb4_bin',
      `concat(elt(1 + i % 3, '😀', 'a', '\u{1F680}'), i)`,
    ],
    ['spaces at the end', 'varchar(20) collate utf8mb4_bin', `concat(i, repeat(' ', i % 4))`],
    ['quotes and backslashes', 'varchar(20)', String.raw`concat('\\''"', i, '\\')`],
    ['a zero byte', 'varchar(20) collate utf8mb4_bin', String.raw`concat('a\0', i)`],
    ['char', 'char(20)', `concat('x', i)`],
    ['binary', 'binary(4)', `unhex(lpad(hex(i), 8, '0'))`],
    ['varbinary', 'varbinary(9)', `concat(char(i % 256), i)`],
    ['unsigned numbers beyond 2^63', 'bigint unsigned', '18446744073709551615 - i'],
    ['numbers beyond 2^53', 'bigint', '-9007199254740993 - i'],
    ['decimal', 'decimal(40, 20)', '12345678901234567.00000000000000000001 * i'],
    ['float', 'float', '1 / i'],
    ['double', 'double', '1 / i'],
    ['bit', 'bit(40)', '1099511627775 - i'],
    ['date', 'date', `date('2000-01-01') + interval i day`],
    ['datetime', 'datetime(6)', `timestamp('2000-01-01') + interval i microsecond`],
    ['timestamp', 'timestamp(3)', `timestamp('2020-10-25 00:30:00') + interval i second`],
    ['time', 'time(3)', `sec_to_time(i - 2050.5)`],
  ] as const)
    it(`[JOB-43] a pull resumes in a table whose key is ${what}`, async () => {
      const credentials = await peer.database(`${DIGITS}
        create table t (id ${column} primary key, i int) character set utf8mb4;
        insert into t select ${value}, i from ${NUMBERS}; drop table digits;`);
      assert.equal((await resumed(credentials, 2)).length, 4100);
    });

  it('[JOB-43] a pull resumes in a table whose key has an enum and a set, which sort by their numbers', async () => {
    const credentials = await peer.database(`${DIGITS}
      create table t (kind enum('z', 'm', 'a'), flags set('q', 'b'), n int, primary key (kind, flags, n));
      insert into t select elt(1 + i % 3, 'z', 'm', 'a'), elt(1 + i % 4, '', 'q', 'b', 'q,b'), i from ${NUMBERS};
      drop table digits;`);
    const ids = await resumed(credentials, 2);
    assert.equal(ids.length, 4100);
    assert.equal(ids[0]?.startsWith('t:z,,'), true);
  });

  it('[JOB-43] a resumed pull has the marks from before the first attempt began to read each table', async () => {
    const credentials = await peer.database(`${DIGITS}
      create table a (id int primary key, version bigint); insert into a values (1, 7);
      create table b (id int primary key, version bigint);
      insert into b select i, i from ${NUMBERS}; drop table digits;`);
    const all = await pull(credentials, undefined, { cursorField: 'version' });
    const marks = must(all.findLast((item) => item.kind === 'checkpoint'));
    await peer.sql('update a set version = 100; update b set version = 9000 where id < 3');
    for (const { position } of itemsOf(all, 'bookmark').slice(1)) {
      const rest = await pull(credentials, undefined, {
        cursorField: 'version',
        bookmark: position,
      });
      assert.deepEqual(rest.at(-1), marks);
    }
    const cursor = lastCursor(all);
    const next = await pull(credentials, undefined, { cursorField: 'version', cursor });
    assert.deepEqual(idsOf(next).toSorted(), ['a:1', 'b:1', 'b:2', 'b:4100']);
  });

  it('a query has no bookmarks, and equal keys follow each other whatever the collation', async () => {
    const credentials = await peer.database(`${DIGITS}
      create table t (id varchar(9) collate utf8mb4_general_ci);
      insert into t select 'a' from ${NUMBERS}; drop table digits;
      insert into t values ('A'), ('a'), ('A'), ('b');`);
    const all = await pull(credentials, { queries: [{ name: 'q', query: 'select id from t' }] });
    assert.deepEqual(idsOf(all), ['q:A', 'q:a', 'q:b']);
    assert.equal(itemsOf(all, 'fail').length, 4101);
    assert.deepEqual(itemsOf(all, 'bookmark'), []);
  });

  it('rows are read in the order of the key without sorting the table first', async () => {
    const credentials = await peer.database(`${DIGITS}
      create table t (a int not null, b int not null, code varchar(9) not null, body text, unique (a, b), unique (code));
      insert into t select i, i, concat('c', i), repeat('x', 200) from ${NUMBERS}; drop table digits;`);
    const sorted = async () =>
      Number((await peer.sql("show global status like 'Sort_rows'"))[0]?.Value);
    const before = await sorted();
    assert.equal(idsOf(await pull(credentials)).length, 4100);
    assert.ok((await sorted()) - before < 1000);
  });
});
