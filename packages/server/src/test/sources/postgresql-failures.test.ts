/** Tests failures of the postgresql source on a real server, and what a query must not be able to do. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SourceError } from '../../errors.ts';
import { postgresql } from '../../sources/catalog/postgresql.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { selfSigned } from '../certificate.ts';
import { anywhere } from '../environment.ts';
import { contextOf, itemsOf, pullOf } from './harness.ts';
import { fieldsOf, idsOf, openPeer, type PostgresPeer, pull } from './postgres-peer.ts';

describe('failures of PostgreSQL', () => {
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  it('a table that may not be read is lost, and a dropped table is not mentioned', async () => {
    const admin = await peer.schema(`
      create table closed (id int primary key); insert into closed values (1);
      create table open (id int primary key); insert into open values (1);
      create table vanishing (id int primary key); insert into vanishing values (1);
      drop role if exists quarry_reader; create role quarry_reader login password 'reader-pass';`);
    await peer.sql(`grant usage on schema ${admin.schema} to quarry_reader;
      grant select on open, vanishing to quarry_reader`);
    const credentials = { ...admin, user: 'quarry_reader', password: 'reader-pass' };
    try {
      await peer.sql('drop table vanishing');
      const items = await pull(credentials);
      assert.deepEqual(idsOf(items), ['open:1']);
      const [lost] = itemsOf(items, 'lost');
      assert.equal(lost?.partition, `${admin.schema}.closed`);
      assert.equal(lost?.error.kind, 'config');
      assert.equal(
        lost?.error.message,
        'the table closed cannot be read: PostgreSQL answered: permission denied for table closed',
      );
      assert.ok(!JSON.stringify(items).includes('vanishing'));
      const checked = contextOf(postgresql, { credentials, config: { tables: ['closed'] } });
      await assert.rejects(must(postgresql.check)(checked), {
        kind: 'config',
        message: /permission denied/,
      });
    } finally {
      await peer.sql('drop owned by quarry_reader; drop role quarry_reader');
    }
  });

  it('a query that fails while it is read is lost, and the next query is read', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key); insert into t select generate_series(1, 3);`);
    const items = await pull(credentials, {
      queries: [
        { name: 'zero', query: 'select id, 1 / (id - 2) as x from t order by id' },
        { name: 'fine', query: 'select id from t' },
      ],
    });
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [partition, error.message]),
      [['zero', 'the query zero cannot be read: PostgreSQL answered: division by zero']],
    );
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      ['fine'],
    );
    assert.deepEqual(idsOf(items).slice(-3), ['fine:1', 'fine:2', 'fine:3']);
  });

  it('[JOB-21] only the row fails whose JSON is nested too deep', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, body jsonb);
      insert into t values (1, '[1]'), (3, '[3]');
      insert into t select 2, (repeat('{"a":', 4000) || '1' || repeat('}', 4000))::jsonb;`);
    const items = await pull(credentials);
    assert.deepEqual(idsOf(items), ['t:1', 't:3']);
    assert.deepEqual(
      itemsOf(items, 'fail').map(({ id, reason }) => [id, reason]),
      [['t:2', 'a value is nested more than 100 deep']],
    );
    assert.equal(itemsOf(items, 'listed').length, 1);
  });

  it('no query can write, whatever functions it calls', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key); insert into t values (1);
      create sequence s;
      create function sneak() returns int language plpgsql as $$ begin insert into t values (2); return 1; end $$;
      create function wake() returns int language plpgsql as
        $$ begin set transaction read write; insert into t values (3); return 1; end $$;`);
    const attempts = [
      'select sneak() as id',
      'select wake() as id',
      "select nextval('s') as id",
      'select id from t for update',
      "select set_config('transaction_read_only', 'off', false)::text as id",
      'with gone as (delete from t returning id) select id from gone',
    ];
    const items = await pull(credentials, {
      queries: attempts.map((query, i) => ({ name: `q${i}`, query })),
    });
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition }) => partition),
      attempts.map((_, i) => `q${i}`),
    );
    for (const { error } of itemsOf(items, 'lost'))
      assert.equal(error.kind, 'config', error.message);
    assert.deepEqual((await peer.sql('select id from t')).rows, [{ id: 1 }]);
  });

  it('a connection that breaks in the middle ends the pull with an error that a retry may cure', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, body text);
      insert into t select i, repeat('x', 100000) from generate_series(1, 200) i;`);
    const items = pullOf(postgresql, { credentials });
    assert.equal((await items.next()).done, false);
    await peer.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'quarry' and datname = current_database()`,
    );
    await assert.rejects(
      async () => {
        for await (const item of items) assert.notEqual(item.kind, 'listed');
      },
      (error) => error instanceof SourceError && error.kind === 'transient',
    );
  });

  it('a reader that stops early leaves no connection behind', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, body text);
      insert into t select i, repeat('x', 100000) from generate_series(1, 200) i;`);
    const items = pullOf(postgresql, { credentials });
    await items.next();
    await items.return();
    const left = `select count(*)::int as n from pg_stat_activity
      where application_name = 'quarry' and datname = current_database()`;
    const deadline = Date.now() + 10_000;
    while ((await peer.sql(left)).rows[0].n > 0)
      assert.ok(Date.now() < deadline, 'the connection is still open');
  });

  it('the connection goes to the address that was allowed, and fails when no address is allowed', async () => {
    const credentials = await peer.schema(
      'create table t (id int primary key); insert into t values (1)',
    );
    const asked: string[] = [];
    const settings = { credentials: { ...credentials, host: 'db.example.test' } };
    const environment = {
      ...anywhere,
      allowHost: async (host: string) => {
        asked.push(host);
        return credentials.host;
      },
    };
    await must(postgresql.check)(contextOf(postgresql, settings, { environment }));
    assert.deepEqual(asked, ['db.example.test']);
    const refusal = new SourceError('config', 'not that one');
    const closed = { ...environment, allowHost: () => Promise.reject(refusal) };
    await assert.rejects(
      must(postgresql.check)(contextOf(postgresql, settings, { environment: closed })),
      refusal,
    );
  });

  it('requests and received bytes are counted', async () => {
    const credentials = await peer.schema(`
      create table t (id int primary key, body text); insert into t values (1, repeat('x', 50000))`);
    const context = contextOf(postgresql, { credentials });
    for await (const item of must(postgresql.pull)(context)) assert.ok(item);
    assert.ok(
      context.meter.bytes > 50_000 && context.meter.bytes < 60_000,
      `${context.meter.bytes}`,
    );
    assert.ok(context.meter.requests >= 5, `${context.meter.requests}`);
  });

  it('a server without TLS is refused where TLS is required', async () => {
    const credentials = await peer.schema('create table t (id int primary key)');
    for (const [ssl, says] of [
      ['verify', 'does not prove that it is the right server: it offers no TLS'],
      ['require', 'offers no TLS, which the credentials require'],
    ]) {
      const settings = { credentials: { ...credentials, ssl } };
      await assert.rejects(must(postgresql.check)(contextOf(postgresql, settings)), {
        kind: 'config',
        message: `${credentials.host} ${says}`,
      });
    }
  });
});

describe('TLS to PostgreSQL', () => {
  const tls = selfSigned('db.example.test');
  const trusted = getCACertificates();
  let peer: PostgresPeer;
  before(async () => {
    peer = await openPeer(tls);
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await peer.close();
  });

  async function encrypted(host: string, ssl?: string): Promise<unknown> {
    const credentials = { ...(await peer.schema('select 1')), host, ...(ssl && { ssl }) };
    const query = 'select 1 as id, ssl from pg_stat_ssl where pid = pg_backend_pid()';
    const context = contextOf(
      postgresql,
      { credentials, config: { queries: [{ name: 'q', query }] } },
      { environment: { ...anywhere, allowHost: async () => '127.0.0.1' } },
    );
    const items: SourceItem[] = [];
    for await (const item of must(postgresql.pull)(context)) items.push(item);
    return fieldsOf(items, 'q:1').ssl;
  }
  const refused = (reason: RegExp) => (error: unknown) =>
    error instanceof SourceError && error.kind === 'config' && reason.test(error.message);

  it('a server that offers TLS is used with TLS by default, and without TLS only when that is switched off', async () => {
    assert.equal(await encrypted('127.0.0.1'), true);
    assert.equal(await encrypted('127.0.0.1', 'require'), true);
    assert.equal(await encrypted('127.0.0.1', 'disable'), false);
  });

  it("with 'verify', an unknown certificate is refused, and a trusted certificate is accepted only for its own name", async () => {
    setDefaultCACertificates(trusted);
    await assert.rejects(
      encrypted('db.example.test', 'verify'),
      refused(
        /^db\.example\.test does not prove that it is the right server: self-signed certificate/,
      ),
    );
    setDefaultCACertificates([...trusted, tls.certificate]);
    assert.equal(await encrypted('db.example.test', 'verify'), true);
    await assert.rejects(encrypted('other.example.test', 'verify'), refused(/does not match/));
    await assert.rejects(encrypted('127.0.0.1', 'verify'), refused(/does not match/));
  });
});
