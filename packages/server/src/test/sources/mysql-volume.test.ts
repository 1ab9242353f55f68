/** Tests the mysql source on a real server with many rows, wide rows, and a reader that is slower than the server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mysql } from '../../sources/catalog/mysql.ts';
import { must } from '../../util.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { contextOf, itemsOf } from './harness.ts';
import { fieldsOf, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

describe('large tables of MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  it('50,000 rows are read, each once', async () => {
    const credentials = await peer.database(`
      create table d (d int primary key); insert into d values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
      create table many (id int primary key auto_increment, body text);
      insert into many (body) select repeat('x', 200) from d a, d b, d c, d e, d f where f.d < 5;
      drop table d;`);
    const ids = idsOf(await pull(credentials));
    assert.equal(ids.length, 50_000);
    assert.equal(new Set(ids).size, 50_000);
  });

  it('a slow reader makes the server wait, so that the source buffers less than 4 MB', async () => {
    const values = Array.from({ length: 10 }, () => "(repeat('y', 500000))").join(', ');
    const credentials = await peer.database(`
      create table wide (id int primary key auto_increment, body mediumtext);
      ${`insert into wide (body) values ${values};`.repeat(10)}`);
    const context = contextOf(mysql, { credentials });
    let read = 0;
    let held = 0;
    for await (const item of must(mysql.pull)(context)) {
      if (item.kind !== 'upsert') continue;
      read += item.entity.text.length;
      // During these turns, everything arrives that the server sends without being asked again.
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
      held = Math.max(held, context.meter.bytes - read);
    }
    assert.ok(read >= 50_000_000);
    assert.ok(context.meter.bytes > read);
    assert.ok(held < 4_000_000, `${held} bytes`);
  });

  it('a row of over ten megabytes is left out, and the rows beside it are not', async () => {
    const credentials = await peer.database(`
      create table wide (id int primary key, body longtext, more mediumtext, file longblob);
      insert into wide values (1, 'small', null, repeat('z', 11000000)), (2, repeat('x', 10485761), 'more', null),
        (3, repeat('x', 10485760), null, null), (4, repeat('x', 6000000), repeat('y', 6000000), null);`);
    const context = contextOf(mysql, { credentials });
    const items = [];
    for await (const item of must(mysql.pull)(context)) items.push(item);
    assert.deepEqual(idsOf(items), ['wide:1', 'wide:3']);
    assert.equal(fieldsOf(items, 'wide:1').file, 11_000_000);
    assert.equal((fieldsOf(items, 'wide:3').body as string).length, 10_485_760);
    assert.deepEqual(
      itemsOf(items, 'skip').map(({ id, reason, detail }) => [id, reason, detail]),
      [
        ['wide:2', 'too large', '10485765 bytes, and at most 10485760 are taken in'],
        ['wide:4', 'too large', '12000000 bytes, and at most 10485760 are taken in'],
      ],
    );
    assert.ok(itemsOf(items, 'skip').every(({ removes }) => removes === 'record'));
    assert.ok(context.meter.bytes < 10_600_000, `${context.meter.bytes} bytes`);
  });
});
