/**
 * Tests the postgresql source on a real server with many rows, wide rows, and a reader that is slower than the
 * server.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresql } from '../../sources/catalog/postgresql.ts';
import { must } from '../../util.ts';
import { contextOf, itemsOf } from './harness.ts';
import { fieldsOf, idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

describe('large tables of PostgreSQL', () => {
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  it('50,000 rows are read, each once', async () => {
    const credentials = await peer.schema(`
      create table many (id int primary key, body text);
      insert into many select i, repeat('x', 200) from generate_series(1, 50000) i;`);
    const ids = idsOf(await pull(credentials));
    assert.equal(new Set(ids).size, 50_000);
    assert.equal(ids.length, 50_000);
    assert.deepEqual([ids[0], ids.at(-1)], ['many:1', 'many:50000']);
  });

  it('a slow reader makes the server wait, so that the source buffers less than 4 MB', async () => {
    const credentials = await peer.schema(`
      create table wide (id int primary key, body text);
      insert into wide select i, repeat('y', 500000) from generate_series(1, 100) i;`);
    const context = contextOf(postgresql, { credentials });
    let read = 0;
    let held = 0;
    for await (const item of must(postgresql.pull)(context)) {
      if (item.kind !== 'upsert') continue;
      read += item.entity.text.length;
      // During these turns, everything arrives that the server sends without being asked again.
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
      held = Math.max(held, context.meter.bytes - read);
    }
    assert.ok(read > 50_000_000);
    assert.ok(context.meter.bytes > read);
    assert.ok(held < 4_000_000, `${held} bytes`);
  });

  it('a row of over ten megabytes is left out, and the rows beside it are not', async () => {
    const credentials = await peer.schema(`
      create table wide (id int primary key, body text);
      insert into wide values (1, 'small'), (2, repeat('x', 10485761)), (3, repeat('x', 10485760));`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['wide:1', 'wide:3']);
    assert.equal((fieldsOf(items, 'wide:3').body as string).length, 10_485_760);
    assert.deepEqual(
      itemsOf(items, 'skip').map(({ id, reason, detail }) => [id, reason, detail]),
      [['wide:2', 'too large', '10485761 bytes, and at most 10485760 are taken in']],
    );
  });
});
