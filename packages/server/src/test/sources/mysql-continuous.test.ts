/**
 * Tests continuous syncs of the mysql source on a real server. Such a sync reads the rows whose cursor column has grown.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import mysql from 'mysql2/promise';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { itemsOf, lastCursor } from './harness.ts';
import { type Credentials, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

describe('continuous syncs of MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  const marks = (cursor: unknown) => Object.values((cursor as { marks: object }).marks);
  const full = (credentials: Credentials, cursorField: string, config?: unknown) =>
    pull(credentials, config, { cursorField });
  const next = (credentials: Credentials, cursorField: string, cursor: unknown, config?: unknown) =>
    pull(credentials, config, { cursorField, cursor });

  it('a full pull ends with the mark from which the next sync goes on, exactly beyond 2^53', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key, version bigint unsigned);
      insert into t values (1, 18446744073709551612), (2, 10), (3, 20);`);
    const first = await full(credentials, 'version');
    assert.deepEqual(lastCursor(first), {
      field: 'version',
      marks: { [`${credentials.database}.t`]: '18446744073709551612' },
      types: { [`${credentials.database}.t`]: 'bigint unsigned' },
    });
    await peer.sql(
      `update t set version = 18446744073709551613 where id = 2;
       insert into t values (4, 18446744073709551611), (5, 18446744073709551615), (6, null)`,
    );
    const second = await next(credentials, 'version', lastCursor(first));
    assert.deepEqual(idsOf(second), ['t:6', 't:1', 't:2', 't:5']);
    assert.deepEqual(itemsOf(second, 'listed'), []);
    assert.deepEqual(marks(lastCursor(second)), ['18446744073709551615']);
  });

  it('times up to ten minutes before the mark are read again, for both kinds of times', async () => {
    for (const type of ['datetime', 'datetime(6)', 'timestamp(6) null']) {
      const digits = type.includes('6') ? '.999999' : '';
      const credentials = await peer.database(`
        create table t (id int primary key, at ${type});
        insert into t values (1, '2026-01-01 11:49:59${digits}'), (2, '2026-01-01 11:50'), (3, '2026-01-01 12:00');`);
      const first = await full(credentials, 'at');
      assert.deepEqual(
        idsOf(await next(credentials, 'at', lastCursor(first))),
        ['t:2', 't:3'],
        type,
      );
    }
  });

  it('dates up to one day before the mark are read again', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key, day date);
      insert into t values (1, '2026-01-01'), (2, '2026-01-02'), (3, '2026-01-03');`);
    const first = await full(credentials, 'day');
    assert.deepEqual(idsOf(await next(credentials, 'day', lastCursor(first))), ['t:2', 't:3']);
  });

  it('a zero date says no time: its row is always read, and it never becomes the mark', async () => {
    for (const [type, zero] of [
      ['date', '0000-00-00'],
      ['datetime', '0000-00-00 00:00:00'],
      ['timestamp', '0000-00-00 00:00:00'],
    ] as const) {
      const credentials = await peer.database(`
        create table t (id int primary key, at ${type} not null); insert into t values (1, '${zero}');`);
      const first = await full(credentials, 'at');
      assert.deepEqual(marks(lastCursor(first)), [], type);
      await peer.sql(`insert into t values (2, '2026-01-03'), (3, '2025-01-01')`);
      const second = await next(credentials, 'at', lastCursor(first));
      assert.deepEqual(idsOf(second).toSorted(), ['t:1', 't:2', 't:3'], type);
      const third = await next(credentials, 'at', lastCursor(second));
      assert.deepEqual(idsOf(third), ['t:1', 't:2'], type);
    }
  });

  it('a time in the future does not move the mark into the future', async () => {
    for (const type of ['datetime', 'date']) {
      const credentials = await peer.database(`
        create table t (id int primary key, at ${type}); insert into t values (1, '2999-01-01');`);
      const first = await full(credentials, 'at');
      await peer.sql('insert into t values (3, utc_timestamp())');
      assert.deepEqual(
        idsOf(await next(credentials, 'at', lastCursor(first))),
        ['t:3', 't:1'],
        type,
      );
    }
  });

  it('a row that a late transaction commits is not missed', async () => {
    const credentials = await peer.database(
      'create table t (id int primary key, at timestamp(6) default now(6))',
    );
    const other = await mysql.createConnection({ uri: peer.url });
    try {
      await other.query('start transaction');
      await other.query(`insert into ${credentials.database}.t (id) values (1)`);
      await peer.sql('insert into t (id) values (2)');
      const first = await full(credentials, 'at');
      assert.deepEqual(idsOf(first), ['t:2']);
      await other.query('commit');
      assert.deepEqual(idsOf(await next(credentials, 'at', lastCursor(first))), ['t:1', 't:2']);
    } finally {
      await other.end();
    }
  });

  it('columns of every kind that sorts can be the cursor field', async () => {
    for (const [type, low, high] of [
      ["enum('z', 'm', 'a')", "'m'", "'a'"],
      ['bit(40)', '256', '1099511627775'],
      ['decimal(30, 10)', '12345678901234567890.0000000001', '12345678901234567890.0000000002'],
      ['double', '0.1', '1e300'],
      ['float', '0.1', '0.2'],
      ['year', '2025', '2026'],
      ['varchar(9)', "'a'", "'B'"],
      ['varbinary(9)', "x'0100'", "x'01ff'"],
      ['varchar(9) character set latin1', "'e'", "'ü'"],
    ] as const) {
      const credentials = await peer.database(`
        create table t (id int primary key, v ${type}); insert into t values (1, ${low}), (2, ${high});`);
      const first = await full(credentials, 'v');
      const again = await next(credentials, 'v', lastCursor(first));
      assert.deepEqual(idsOf(again), ['t:2'], type);
      assert.deepEqual(lastCursor(again), lastCursor(first), type);
    }
  });

  it('a long sync writes a checkpoint every 500 rows, from which a later sync goes on', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key auto_increment, v int); insert into t (v) values (0);`);
    const first = await full(credentials, 'v');
    const rows = Array.from({ length: 1099 }, (_, i) => `(${i + 1})`);
    await peer.sql(`insert into t (v) values ${rows.join(', ')}`);
    const second = await next(credentials, 'v', lastCursor(first));
    const checkpoints = itemsOf(second, 'checkpoint').map(({ cursor }) => cursor);
    assert.deepEqual(checkpoints.map(marks), [['499'], ['999'], ['1099']]);
    assert.equal(idsOf(await next(credentials, 'v', checkpoints[0])).length, 601);
  });

  it('a query has a mark too, and a mark of another column or another type is ignored', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key, v int, w int); insert into t values (1, 1, 9), (2, 2, 8);`);
    const config = { queries: [{ name: 'q', query: 'select id, v * 10 as v, w from t' }] };
    const first = await full(credentials, 'v', config);
    assert.deepEqual(marks(lastCursor(first)), ['20']);
    assert.deepEqual(idsOf(await next(credentials, 'v', lastCursor(first), config)), ['q:2']);
    assert.deepEqual(idsOf(await next(credentials, 'w', lastCursor(first), config)), [
      'q:1',
      'q:2',
    ]);
    const ofTable = await full(credentials, 'v');
    await peer.sql("alter table t modify v varchar(9); insert into t values (3, '10', 0)");
    assert.deepEqual(idsOf(await next(credentials, 'v', lastCursor(ofTable))), [
      't:1',
      't:2',
      't:3',
    ]);
  });

  it('a new table is read whole, a dropped one is forgotten, and a changed column comes with the next full sync', async () => {
    const credentials = await peer.database(`
      create table a (id int primary key, v int, old int); insert into a values (1, 1, 7), (2, 2, 8);
      create table gone (id int primary key, v int); insert into gone values (1, 3);`);
    const first = await full(credentials, 'v');
    await peer.sql(`drop table gone; alter table a change old fresh int, add extra int default 5;
      create table b (id int primary key, v int); insert into b values (1, 4)`);
    const second = await next(credentials, 'v', lastCursor(first));
    assert.deepEqual(idsOf(second), ['a:2', 'b:1']);
    assert.deepEqual(marks(lastCursor(second)), ['2', '4']);
    const whole = await full(credentials, 'v');
    const [row] = itemsOf(whole, 'upsert');
    assert.deepEqual(row?.entity.fields, { id: 1, v: 1, fresh: 7, extra: 5 });
    await peer.sql('alter table a drop column v; drop table b');
    await assert.rejects(full(credentials, 'v'), {
      kind: 'config',
      message: 'no table or query has the column v, which cursor_field names',
    });
  });
});
