/** Tests full pulls of the postgresql source on a real server that go on after an interruption. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { itemsOf, lastCursor } from './harness.ts';
import { idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

describe('resumed pulls of PostgreSQL', () => {
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  /** Makes three tables. The middle one has a key of two columns, and more rows than lie between two bookmarks. */
  const three = () =>
    peer.schema(`
      create table a (id int primary key, version bigint);
      create table b (part text, n int, version bigint, primary key (part, n));
      create table c (id int primary key, version bigint);
      insert into a values (1, 7), (2, 8);
      insert into b select chr(97 + i % 2), i, i from generate_series(1, 4100) as i;
      insert into c values (1, 9);`);

  it('[JOB-43] a pull from any bookmark yields exactly the items after the bookmark', async () => {
    const credentials = await three();
    const all = await pull(credentials);
    const places = all.flatMap((item, i) => (item.kind === 'bookmark' ? [i] : []));
    // One bookmark is after table a, two are within b, and one is after b. No bookmark follows c,
    // because nothing is left to read.
    assert.equal(places.length, 4);
    for (const place of places) {
      const [item] = itemsOf(all.slice(place), 'bookmark');
      const rest = await pull(credentials, undefined, { bookmark: must(item).position });
      // The lengths are compared first, because the difference of thousands of items is slow to compute.
      assert.equal(rest.length, all.length - place - 1);
      assert.deepEqual(rest, all.slice(place + 1));
    }
  });

  it('[JOB-43] a resumed pull has the marks from before the first attempt began to read each table', async () => {
    const credentials = await three();
    const all = await pull(credentials, undefined, { cursorField: 'version' });
    const marks = must(all.findLast((item) => item.kind === 'checkpoint'));
    // The next sync sees a change in rows before the bookmark only if the mark is not later than
    // the change.
    await peer.sql('update a set version = 100; update b set version = 9000 where n < 3');
    const inB = itemsOf(all, 'bookmark').slice(1);
    for (const { position } of inB) {
      const rest = await pull(credentials, undefined, {
        cursorField: 'version',
        bookmark: position,
      });
      assert.deepEqual(rest.at(-1), marks);
    }
    const next = await pull(credentials, undefined, {
      cursorField: 'version',
      cursor: lastCursor(all),
    });
    assert.deepEqual(idsOf(next).slice(0, 2), ['a:1', 'a:2']);
    assert.deepEqual(
      itemsOf(next, 'bookmark'),
      [],
      'a continuous sync has checkpoints instead of bookmarks',
    );
    const unmarked = await pull(credentials, undefined, {
      cursorField: 'version',
      cursor: { field: 'version', marks: {} },
    });
    assert.deepEqual(
      itemsOf(unmarked, 'bookmark'),
      [],
      'a continuous sync that reads a table whole has no bookmarks either',
    );
  });

  it('[JOB-43] a pull resumes in the middle of a table whose key is char(n) or bit(n)', async () => {
    const credentials = await peer.schema(`
      create table c (id char(8) primary key);
      insert into c select 'row' || to_char(i, 'FM00000') from generate_series(1, 2100) as i;
      create table d (id bit(16) primary key);
      insert into d select i::bit(16) from generate_series(1, 2100) as i;`);
    const all = await pull(credentials);
    const places = all.flatMap((item, i) => (item.kind === 'bookmark' ? [i] : []));
    assert.equal(places.length, 3);
    for (const place of places) {
      const [item] = itemsOf(all.slice(place), 'bookmark');
      const rest = await pull(credentials, undefined, { bookmark: must(item).position });
      assert.equal(rest.length, all.length - place - 1);
      assert.deepEqual(rest, all.slice(place + 1));
    }
  });

  it('a query has no bookmarks, because its key may be null or may repeat', async () => {
    const credentials = await peer.schema('create table t (id int)');
    const config = {
      queries: [
        {
          name: 'numbers',
          query: 'select i as id from generate_series(1, 2500) as i',
          key: ['id'],
        },
      ],
    };
    const all = await pull(credentials, config);
    assert.equal(itemsOf(all, 'upsert').length, 2500);
    assert.deepEqual(itemsOf(all, 'bookmark'), []);
  });
});
