/**
 * Tests continuous syncs of the postgresql source on a real server. Such a sync reads the rows whose cursor column has
 * grown.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { itemsOf, lastCursor } from './harness.ts';
import { type Credentials, idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

describe('continuous syncs of PostgreSQL', () => {
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  const marks = (cursor: unknown) => Object.values((cursor as { marks: object }).marks);
  const full = (credentials: Credentials, cursorField: string, config?: unknown) =>
    pull(credentials, config, { cursorField });
  const next = (credentials: Credentials, cursorField: string, cursor: unknown, config?: unknown) =>
    pull(credentials, config, { cursorField, cursor });

  it('a full pull ends with the mark from which the next sync goes on', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, version bigint);
      insert into t values (1, 30), (2, 10), (3, 20);`);
    const first = await full(credentials, 'version');
    assert.deepEqual(idsOf(first), ['t:1', 't:2', 't:3']);
    assert.equal(itemsOf(first, 'listed').length, 1);
    assert.deepEqual(lastCursor(first), {
      field: 'version',
      marks: { [`${credentials.schema}.t`]: '30' },
      types: { [`${credentials.schema}.t`]: 'bigint' },
    });
    await peer.sql(
      'update t set version = 31 where id = 2; insert into t values (4, 29), (5, 100)',
    );
    const second = await next(credentials, 'version', lastCursor(first));
    assert.deepEqual(idsOf(second), ['t:1', 't:2', 't:5']);
    assert.deepEqual(itemsOf(second, 'listed'), []);
    assert.deepEqual(marks(lastCursor(second)), ['100']);
  });

  it('rows whose value equals the mark are read again, and so are rows without a value', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, version int);
      insert into t values (1, 1), (2, 2), (3, 2), (4, null);`);
    const first = await full(credentials, 'version');
    await peer.sql('insert into t values (5, 2), (6, 1)');
    assert.deepEqual(idsOf(await next(credentials, 'version', lastCursor(first))), [
      't:2',
      't:3',
      't:5',
      't:4',
    ]);
  });

  it('times up to ten minutes before the mark are read again, for both kinds of timestamp', async () => {
    for (const type of ['timestamp', 'timestamptz']) {
      const credentials = await peer.schema(`
        create table t (id int primary key, at ${type});
        insert into t values (1, '2026-01-01 11:49:59.999999'), (2, '2026-01-01 11:50'), (3, '2026-01-01 12:00');`);
      const first = await full(credentials, 'at');
      assert.deepEqual(
        idsOf(await next(credentials, 'at', lastCursor(first))),
        ['t:2', 't:3'],
        type,
      );
    }
  });

  it('dates up to one day before the mark are read again, because a late transaction may have written them', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, day date);
      insert into t values (1, '2026-01-01'), (2, '2026-01-02'), (3, '2026-01-03');`);
    const first = await full(credentials, 'day');
    await peer.sql("insert into t values (4, '2026-01-02'), (5, '2026-01-01')");
    assert.deepEqual(idsOf(await next(credentials, 'day', lastCursor(first))).toSorted(), [
      't:2',
      't:3',
      't:4',
    ]);
  });

  it('a row that a late transaction commits is not missed', async () => {
    const credentials = await peer.schema(
      'create table t (id int primary key, at timestamptz default now())',
    );
    const other = new pg.Client({ connectionString: peer.url });
    await other.connect();
    try {
      await other.query(`begin; insert into ${credentials.schema}.t values (1)`);
      await peer.sql('insert into t values (2)');
      const first = await full(credentials, 'at');
      assert.deepEqual(idsOf(first), ['t:2']);
      await other.query('commit');
      assert.deepEqual(idsOf(await next(credentials, 'at', lastCursor(first))), ['t:1', 't:2']);
    } finally {
      await other.end();
    }
  });

  it('a time in the future does not move the mark into the future', async () => {
    for (const type of ['timestamp', 'timestamptz', 'date']) {
      const credentials = await peer.schema(`
        create table t (id int primary key, at ${type});
        insert into t values (1, '2999-01-01'), (2, 'infinity');`);
      const first = await full(credentials, 'at');
      await peer.sql('insert into t values (3, now())');
      assert.deepEqual(
        idsOf(await next(credentials, 'at', lastCursor(first))),
        ['t:3', 't:1', 't:2'],
        type,
      );
    }
  });

  it('a long sync writes a checkpoint every 500 rows, from which a later sync goes on', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, v int);
      insert into t values (0, 0);`);
    const first = await full(credentials, 'v');
    await peer.sql('insert into t select i, i from generate_series(1, 1099) i');
    const second = await next(credentials, 'v', lastCursor(first));
    const checkpoints = itemsOf(second, 'checkpoint').map(({ cursor }) => cursor);
    assert.deepEqual(checkpoints.map(marks), [['499'], ['999'], ['1099']]);
    const place = second.findIndex((item) => item.kind === 'checkpoint');
    assert.equal(idsOf(second.slice(0, place)).at(-1), 't:499');
    assert.equal(idsOf(await next(credentials, 'v', checkpoints[0])).length, 601);
  });

  it('each table has its own mark, and a new table and a table without the column are read whole', async () => {
    const credentials = await peer.schema(`
      create table a (id int primary key, v text); insert into a values (1, 'x'), (2, 'y');
      create table plain (id int primary key); insert into plain values (1);
      create table gone (id int primary key, v text); insert into gone values (1, 'z');`);
    const first = await full(credentials, 'v');
    assert.deepEqual(marks(lastCursor(first)), ['y', 'z']);
    await peer.sql(
      "drop table gone; create table b (id int primary key, v text); insert into b values (1, 'b')",
    );
    const second = await next(credentials, 'v', lastCursor(first));
    assert.deepEqual(idsOf(second), ['a:2', 'b:1', 'plain:1']);
    assert.deepEqual(marks(lastCursor(second)), ['y', 'b']);
    await peer.sql('delete from a');
    assert.deepEqual(marks(lastCursor(await next(credentials, 'v', lastCursor(second)))), ['b']);
  });

  it('a query has a mark too, and a mark of another column is ignored', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, v int, w int); insert into t values (1, 1, 9), (2, 2, 8);`);
    const config = { queries: [{ name: 'q', query: 'select id, v * 10 as v, w from t' }] };
    const first = await full(credentials, 'v', config);
    assert.deepEqual(lastCursor(first), {
      field: 'v',
      marks: { q: '20' },
      types: { q: 'integer' },
    });
    assert.deepEqual(idsOf(await next(credentials, 'v', lastCursor(first), config)), ['q:2']);
    const other = await next(credentials, 'w', lastCursor(first), config);
    assert.deepEqual(idsOf(other), ['q:1', 'q:2']);
    assert.deepEqual(lastCursor(other), {
      field: 'w',
      marks: { q: '9' },
      types: { q: 'integer' },
    });
  });

  it('a mark is ignored after its column has changed its type, and the table is read whole', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, v int); insert into t values (1, 1), (2, 2147483647);
      create table u (id int primary key, v int); insert into u values (1, 5), (2, 6);`);
    const first = await full(credentials, 'v');
    await peer.sql("alter table t alter v type date using date '2026-01-01'");
    const second = await next(credentials, 'v', lastCursor(first));
    assert.deepEqual(itemsOf(second, 'lost'), []);
    assert.deepEqual(idsOf(second), ['t:1', 't:2', 'u:2']);
    // As text, 10 comes before 6. Only the type of the column shows that the order has changed.
    await peer.sql("alter table u alter v type text; insert into u values (3, '10')");
    const third = await next(credentials, 'v', lastCursor(second));
    assert.deepEqual(idsOf(third), ['t:1', 't:2', 'u:1', 'u:2', 'u:3']);
    const { types, ...untyped } = lastCursor(third) as { types: object };
    assert.deepEqual(Object.values(types), ['date', 'text']);
    assert.deepEqual(idsOf(await next(credentials, 'v', untyped)), ['t:1', 't:2', 'u:2']);
  });

  it('a table that cannot be read in this sync keeps its mark', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, v int); insert into t values (1, 1);
      create table u (id int primary key, v int); insert into u values (1, 5);`);
    const first = await full(credentials, 'v');
    await peer.sql('alter table t drop constraint t_pkey');
    const second = await next(credentials, 'v', lastCursor(first));
    assert.equal(itemsOf(second, 'lost').length, 1);
    assert.deepEqual(lastCursor(second), lastCursor(first));
  });

  it('a cursor_field that no table has as a column is refused', async () => {
    const credentials = await peer.schema('create table t (id int primary key)');
    await assert.rejects(full(credentials, 'updated'), {
      name: 'SourceError',
      kind: 'config',
      message: 'no table or query has the column updated, which cursor_field names',
    });
  });

  it('when no table can be read, the error gives that reason, and does not complain about the cursor_field', async () => {
    const credentials = await peer.schema('create table t (v int)');
    const items = await full(credentials, 'v');
    const [lost] = itemsOf(items, 'lost');
    assert.match(lost!.error.message, /the table t has no primary key/);
  });

  it('a pull without a cursor_field has no checkpoint', async () => {
    const credentials = await peer.schema('create table t (id int primary key)');
    assert.deepEqual(itemsOf(await pull(credentials), 'checkpoint'), []);
  });

  it('[JOB-38] a value that is NaN or infinite does not hide later rows', async () => {
    for (const type of ['float4', 'float8', 'numeric']) {
      const credentials = await peer.schema(`
        create table t (id int primary key, version ${type});
        insert into t values (1, 1), (2, 'NaN'), (3, 2);`);
      if (type !== 'numeric') await peer.sql(`insert into t values (4, 'Infinity')`);
      const first = await full(credentials, 'version');
      await peer.sql('insert into t values (5, 7)');
      assert.deepEqual(
        idsOf(await next(credentials, 'version', lastCursor(first))),
        type === 'numeric' ? ['t:3', 't:5', 't:2'] : ['t:3', 't:5', 't:4', 't:2'],
        type,
      );
    }
  });
});
