/** Tests failures of the mysql source on a real server, and what a query must not be able to do. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { mysql } from '../../sources/catalog/mysql.ts';
import { must } from '../../util.ts';
import { anywhere } from '../environment.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { until } from '../until.ts';
import { contextOf, itemsOf, pullOf } from './harness.ts';
import { fieldsOf, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

describe('failures of MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  const WIDE = `create table t (id int primary key auto_increment, body mediumtext);
    ${`insert into t (body) values (repeat('x', 1000000)), (repeat('x', 1000000)), (repeat('x', 1000000));`.repeat(10)}`;
  const connections = async (database: string) =>
    peer.sql(
      `select id, command from information_schema.processlist where db = '${database}' and id <> connection_id()`,
    );

  it('a query that fails while it is read is lost, and the next query is read', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key); insert into t values (1), (2), (3);
      create function fuse(x int) returns int deterministic
        begin if x = 2 then signal sqlstate '45000' set message_text = 'blown'; end if; return x; end;`);
    const items = await pull(credentials, {
      queries: [
        { name: 'zero', query: 'select id, fuse(id) as x from t' },
        { name: 'fine', query: 'select id from t' },
      ],
    });
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition, error.kind, error.message]),
      [['zero', 'config', 'the query zero cannot be read: MySQL answered: blown']],
    );
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      ['fine'],
    );
  });

  it('[JOB-21] only the row fails whose JSON is nested too deep', async (t) => {
    if (!peer.isMariaDb) return t.skip('MySQL refuses to store it');
    const credentials = await peer.database(`
      create table t (id int primary key, body json);
      set check_constraint_checks = 0;
      insert into t values (1, '[1]'), (2, concat(repeat('{"a":', 4000), '1', repeat('}', 4000))), (3, '[3]');
      set check_constraint_checks = 1;`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['t:1', 't:3']);
    assert.deepEqual(
      itemsOf(items, 'fail').map(({ id, reason }) => [id, reason]),
      [['t:2', 'a value is nested more than 100 deep']],
    );
  });

  it('no query can write, whatever functions it calls, and no query can write files', async () => {
    const file = `/tmp/quarry-outfile-${process.pid}`;
    const credentials = await peer.database(`
      create table t (id int primary key); insert into t values (1);
      create table old (id int primary key) engine = myisam;
      create function sneak() returns int begin insert into t values (2); return 1; end;
      create function sneak_old() returns int begin insert into old values (2); return 1; end;
      create function wake() returns int begin set session transaction read write; insert into t values (3); return 1; end;`);
    const attempts = [
      'select sneak() as id',
      'select sneak_old() as id',
      'select wake() as id',
      'select id from t for update',
      `select id from t into outfile '${file}'`,
      `select id from t) as r into outfile '${file}' -- `,
      `select id from t) as r into outfile '${file}' /*`,
      'insert into t values (4) returning id',
      "load data local infile '/etc/passwd' into table t",
      'call sneak()',
    ];
    const items = await pull(credentials, {
      queries: attempts.map((query, i) => ({ name: `q${i}`, query })),
    });
    try {
      assert.deepEqual(
        itemsOf(items, 'lost').map(({ partition }) => partition),
        attempts.map((_, i) => `q${i}`),
      );
      for (const { error } of itemsOf(items, 'lost'))
        assert.equal(error.kind, 'config', error.message);
      assert.deepEqual(await peer.sql('select id from t union all select id from old'), [
        { id: 1 },
      ]);
      assert.equal(existsSync(file), false);
    } finally {
      rmSync(file, { force: true });
    }
  });

  it('each transaction is read-only, sees one state, and waits for locks, a slow reader and statements only so long', async () => {
    const credentials = await peer.database('select 1');
    const settings = ['lock_wait_timeout', 'net_write_timeout', 'time_zone', 'sql_mode'];
    const isolation = peer.isMariaDb ? 'tx_isolation' : 'transaction_isolation';
    const readOnly = peer.isMariaDb ? 'tx_read_only' : 'transaction_read_only';
    const columns = [...settings, isolation, readOnly].map((name) => `@@${name} as ${name}`);
    const query = `select 1 as id, ${columns.join(', ')}`;
    const items = await pull(credentials, { queries: [{ name: 'q', query }] });
    assert.deepEqual(fieldsOf(items, 'q:1'), {
      id: 1,
      lock_wait_timeout: 30,
      net_write_timeout: 3600,
      time_zone: '+00:00',
      sql_mode: 'ALLOW_INVALID_DATES',
      [isolation]: 'REPEATABLE-READ',
      [readOnly]: 1,
    });
  });

  it('a connection that breaks in the middle ends the pull with an error that a retry may cure', async () => {
    const credentials = await peer.database(WIDE);
    const items = pullOf(mysql, { credentials });
    assert.equal((await items.next()).done, false);
    for (const { id } of await connections(credentials.database)) await peer.sql(`kill ${id}`);
    await assert.rejects(
      async () => {
        for await (const item of items) assert.notEqual(item.kind, 'listed');
      },
      (error) => error instanceof SourceError && error.kind === 'transient',
    );
  });

  it('a statement that is killed in the middle ends the pull with an error that a retry may cure', async () => {
    const credentials = await peer.database(WIDE);
    const items = pullOf(mysql, { credentials });
    assert.equal((await items.next()).done, false);
    for (const { id } of await connections(credentials.database))
      await peer.sql(`kill query ${id}`);
    await assert.rejects(
      async () => {
        for await (const item of items) assert.notEqual(item.kind, 'listed');
      },
      (error) => error instanceof SourceError && error.kind === 'transient',
    );
  });

  it('a table that is dropped, or loses its column, after the tables were found is lost, and others are read', async () => {
    const credentials = await peer.database(`${WIDE}
      create table u (id int primary key, v int); insert into u values (1, 1);
      create table v (id int primary key, v int); insert into v values (1, 1);
      create table w (id int primary key); insert into w values (1);`);
    const items = [];
    let isChanged = false;
    for await (const item of pullOf(mysql, { credentials })) {
      items.push(item);
      if (!isChanged) await peer.sql('drop table u; alter table v drop column v');
      isChanged = true;
    }
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition.split('.')[1], error.kind]),
      [
        ['u', 'config'],
        ['v', 'config'],
      ],
    );
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition.split('.')[1]),
      ['t', 'w'],
    );
  });

  it('all rows of a table come from one moment, whatever is written meanwhile', async () => {
    const credentials = await peer.database(WIDE);
    const items = [];
    for await (const item of pullOf(mysql, { credentials })) {
      if (items.length === 0)
        await peer.sql(
          "delete from t where id > 20; insert into t (id, body) values (1000, 'late')",
        );
      items.push(item);
    }
    assert.equal(idsOf(items).length, 30);
    assert.ok(!idsOf(items).includes('t:1000'));
  });

  it('a reader that stops early leaves no connection behind', async () => {
    const credentials = await peer.database(WIDE);
    const items = pullOf(mysql, { credentials });
    await items.next();
    await items.return();
    await until(async () => (await connections(credentials.database)).length === 0);
  });

  it('the connection goes to the address that was allowed, and fails when no address is allowed', async () => {
    const credentials = await peer.database('create table t (id int primary key)');
    const asked: string[] = [];
    const settings = { credentials: { ...credentials, host: 'db.example.test' } };
    const environment = {
      ...anywhere,
      allowHost: async (host: string) => {
        asked.push(host);
        return credentials.host;
      },
    };
    await must(mysql.check)(contextOf(mysql, settings, { environment }));
    assert.deepEqual(asked, ['db.example.test']);
    const refusal = new SourceError('config', 'not that one');
    const closed = { ...environment, allowHost: () => Promise.reject(refusal) };
    await assert.rejects(
      must(mysql.check)(contextOf(mysql, settings, { environment: closed })),
      refusal,
    );
  });

  it('requests and received bytes are counted', async () => {
    const credentials = await peer.database(`
      create table t (id int primary key, body text); insert into t values (1, repeat('x', 50000))`);
    const context = contextOf(mysql, { credentials });
    for await (const item of must(mysql.pull)(context)) assert.ok(item);
    assert.ok(
      context.meter.bytes > 50_000 && context.meter.bytes < 60_000,
      `${context.meter.bytes}`,
    );
    assert.ok(context.meter.requests >= 5, `${context.meter.requests}`);
  });
});
