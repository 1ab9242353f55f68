import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { sha256 } from '../../model/hash.ts';
import type { Role } from '../../model/role.ts';
import { byHash } from '../../organizations/key-store.ts';
import { DATABASES } from '../databases.ts';
import { type Caller, openTestApi, type TestApi } from './harness.ts';

const FORM = /^quarry_[A-Za-z0-9_-]{43}$/;
const HOUR = 3_600_000;
const OWNER = 'owner@localhost';

for (const database of DATABASES) {
  describe(`API keys on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    const create = (body: unknown) => api.call('POST', '/v1/api-keys', { body });
    const remove = (id: string, key?: string) =>
      api.call('DELETE', `/v1/api-keys/${id}`, key === undefined ? {} : { key });
    const works = async (key: string) =>
      (await api.call('GET', '/v1/collections', { key })).status === 200;
    const lastUsed = (id: string) =>
      api.db
        .selectFrom('api_keys')
        .select('last_used_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
        .then((row) => row.last_used_at);
    /** Waits until the condition holds, because notes about a key's use are written after the answer. */
    async function until(condition: () => Promise<boolean>): Promise<void> {
      for (let turn = 0; turn < 10_000; turn++) {
        if (await condition()) return;
        await setImmediate();
      }
      assert.fail('the condition never held');
    }

    /** Sends the head of a request. The body follows when `send` is called. */
    async function sendLate(by: { readonly id: string; readonly key: string }, url: string) {
      const body = new PassThrough();
      const headers = { 'content-type': 'application/json' };
      const answer = api.call('POST', url, { key: by.key, body, headers });
      await until(async () => (await lastUsed(by.id)) !== null);
      return { answer, send: (value: object) => body.end(JSON.stringify(value)) };
    }

    it('[KEY-11] a push of a key that is revoked before the body has come stores nothing', async () => {
      await api.call('POST', '/v1/collections', { body: { name: 'Late', readable_id: 'late' } });
      const made = { name: 'Pushes', short_name: 'push', readable_collection_id: 'late' };
      const { id } = (await api.call('POST', '/v1/source-connections', { body: made })).body;
      const by = (await create({ name: 'pusher', role: 'member' })).body;
      const late = await sendLate(by, `/v1/source-connections/${id}/entities`);
      await remove(by.id);
      late.send({ entities: [{ entity_id: 'a', name: 'a', text: 'a' }] });
      assert.equal((await late.answer).status, 401);
      const { body: jobs } = await api.call('GET', `/v1/source-connections/${id}/jobs`);
      assert.deepEqual(jobs, []);
    });

    it('[KEY-11] [KEY-28] a key that ends, or whose person loses the role, before the body has come does nothing', async () => {
      const keyOfAdmin = async () => (await create({ name: 'busy', role: 'admin' })).body;
      const setRole = (role: Role) =>
        api.db
          .updateTable('memberships')
          .set({ role })
          .where(
            'user_id',
            'in',
            api.db.selectFrom('users').select('id').where('email', '=', OWNER),
          )
          .execute();
      for (const [end, status] of [
        [({ id }: { id: string }) => remove(id), 401],
        [({ id }: { id: string }) => api.call('POST', `/v1/api-keys/${id}/rotate`), 401],
        [() => setRole('member'), 403],
      ] as const) {
        const by = await keyOfAdmin();
        const late = await sendLate(by, '/v1/api-keys');
        await end(by);
        late.send({ name: 'late', role: 'admin' });
        assert.equal((await late.answer).status, status);
        await setRole('admin');
        const { body } = await api.call('GET', '/v1/api-keys');
        assert.ok(!body.some(({ name }: { name: string }) => name === 'late'));
      }
    });

    it('[KEY-03] [KEY-06] [KEY-07] [KEY-21] [GEN-21] a created key is shown once and authenticates', async () => {
      const expires_at = new Date(Date.now() + HOUR).toISOString();
      const { status, body } = await create({ name: 'ci', role: 'read', expires_at });
      assert.equal(status, 200);
      const { id, key, created_at, ...rest } = body;
      assert.match(key, FORM);
      assert.match(created_at, /Z$/);
      assert.deepEqual(rest, {
        name: 'ci',
        role: 'read',
        all_organizations: false,
        search_as: false,
        collections: null,
        expires_at,
        last_used_at: null,
        created_by_email: 'owner@localhost',
      });
      const list = await api.call('GET', '/v1/api-keys');
      const listed = list.body.find((one: { id: string }) => one.id === id);
      assert.deepEqual(listed, { id, created_at, ...rest });
      assert.ok(!JSON.stringify(list.body).includes(key));
      assert.ok(await works(key));
      const row = await api.db
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(row.hash, sha256(key));
      assert.equal(row.user_id, (await api.owner()).userId);
    });

    it('[KEY-04] no table holds a key', async () => {
      const { body } = await create({ name: 'secret one' });
      const tables = await api.db.introspection.getTables();
      for (const { name } of tables) {
        const { rows } = await sql`select * from ${sql.table(name)}`.execute(api.db);
        assert.ok(!JSON.stringify(rows).includes(body.key.slice('quarry_'.length)), name);
      }
    });

    it('[KEY-05] a key is looked up by the index on its hash', async () => {
      const query = byHash(api.db, sha256('x')).compile();
      const prefix = api.kind === 'sqlite' ? 'explain query plan ' : 'explain ';
      await api.db.transaction().execute(async (tx) => {
        // The planner of PostgreSQL scans a small table unless it is told not to.
        if (api.kind === 'postgres') await sql`set local enable_seqscan = off`.execute(tx);
        const { rows } = await tx.executeQuery(
          CompiledQuery.raw(prefix + query.sql, [...query.parameters]),
        );
        const plan = rows.map((row) => Object.values(row as object).join(' ')).join('\n');
        assert.match(
          plan,
          api.kind === 'sqlite'
            ? /SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_\d \(hash=\?\)/
            : /Index Scan using api_keys_hash_key on api_keys/,
        );
        assert.doesNotMatch(plan, /SCAN api_keys|Seq Scan on api_keys/);
      });
    });

    for (const [why, body, loc] of [
      ['no name', { role: 'read' }, ['body', 'name']],
      ['an empty name', { name: '' }, ['body', 'name']],
      ['a name of 101 characters', { name: 'x'.repeat(101) }, ['body', 'name']],
      ['another role', { name: 'n', role: 'owner' }, ['body', 'role']],
      ['an unknown field', { name: 'n', scope: 'all' }, ['body', 'scope']],
      [
        'an expiry without a zone',
        { name: 'n', expires_at: '2999-01-01T00:00:00' },
        ['body', 'expires_at'],
      ],
      [
        'an expiry in the past',
        { name: 'n', expires_at: '2020-01-01T00:00:00Z' },
        ['body', 'expires_at'],
      ],
    ] as const) {
      it(`[KEY-07] ${why} answers 422`, async () => {
        const answer = await create(body);
        assert.equal(answer.status, 422);
        assert.deepEqual(
          answer.body.detail.map((fault: { loc: unknown }) => fault.loc),
          [loc],
        );
      });
    }

    it('[KEY-07] [KEY-17] a key without a role is a member, and its expiry is read with its zone', async () => {
      const { body } = await create({
        name: 'x'.repeat(100),
        expires_at: '2999-01-01T02:00:00+02:00',
      });
      assert.deepEqual([body.role, body.expires_at], ['member', '2999-01-01T00:00:00.000Z']);
    });

    it('[KEY-08] a key past its expiry answers 401', async () => {
      const { body } = await create({ name: 'short', expires_at: '2999-01-01T00:00:00Z' });
      assert.ok(await works(body.key));
      const expire = (expires_at: number) =>
        api.db.updateTable('api_keys').set({ expires_at }).where('id', '=', body.id).execute();
      await expire(Date.now() + HOUR);
      assert.ok(await works(body.key));
      await expire(Date.now());
      assert.ok(!(await works(body.key)));
    });

    it('[KEY-10] an expired key cannot be rotated, because its new value would not authenticate either', async () => {
      const { body } = await create({ name: 'late', expires_at: '2999-01-01T00:00:00Z' });
      const expire = { expires_at: Date.now() };
      await api.db.updateTable('api_keys').set(expire).where('id', '=', body.id).execute();
      const { status, body: answer } = await api.call('POST', `/v1/api-keys/${body.id}/rotate`);
      assert.equal(status, 409);
      assert.match(answer.detail, /^this key has expired/);
    });

    it('[KEY-07] the last use of a key is noted, at most once a minute', async () => {
      const { body } = await create({ name: 'noted' });
      const unused = (await create({ name: 'not used' })).body;
      const before = Date.now();
      await works(body.key);
      await until(async () => (await lastUsed(body.id)) !== null);
      assert.equal(await lastUsed(unused.id), null);
      const noted = await lastUsed(body.id);
      assert.ok(noted !== null && noted >= before && noted <= Date.now());
      const set = (last_used_at: number) =>
        api.db.updateTable('api_keys').set({ last_used_at }).where('id', '=', body.id).execute();
      const recent = Date.now() - 50_000;
      await set(recent);
      await works(body.key);
      await set(recent - 11_000);
      await works(body.key);
      await until(async () => ((await lastUsed(body.id)) ?? 0) >= noted);
    });

    it('[KEY-09] the list has only keys of the organization, newest first, with the total', async () => {
      const other = await api.stranger();
      const theirs = await api.call('GET', '/v1/api-keys', { key: other.key });
      assert.deepEqual(
        theirs.body.map((key: { name: string }) => key.name),
        ['theirs'],
      );
      assert.equal(theirs.body[0].created_by_email, other.email);
      for (const [name, ahead] of [
        ['newer', 2 * HOUR],
        ['older', HOUR],
      ] as const) {
        const { id } = (await create({ name })).body;
        const created_at = Date.now() + ahead;
        await api.db.updateTable('api_keys').set({ created_at }).where('id', '=', id).execute();
      }
      const mine = await api.call('GET', '/v1/api-keys?limit=2');
      assert.deepEqual(
        mine.body.map((key: { name: string }) => key.name),
        ['newer', 'older'],
      );
      const all = await api.call('GET', '/v1/api-keys');
      assert.equal(Number(mine.headers['x-total-count']), all.body.length);
      assert.ok(!all.body.some((key: { name: string }) => key.name === 'theirs'));
      const next = await api.call('GET', '/v1/api-keys?skip=1&limit=1');
      assert.equal(next.body[0].name, 'older');
    });

    it('[KEY-10] [KEY-28] [KEY-06] a rotation gives the key a new value, and the old value stops working at once', async () => {
      const { key: old, ...shown } = (await create({ name: 'turned' })).body;
      const { status, body } = await api.call('POST', `/v1/api-keys/${shown.id}/rotate`);
      assert.equal(status, 200);
      const { key, ...rest } = body;
      assert.match(key, FORM);
      assert.notEqual(key, old);
      assert.deepEqual(rest, shown);
      assert.deepEqual([await works(old), await works(key)], [false, true]);
    });

    it('[KEY-21] a key belongs to the account that rotated it last', async () => {
      const maker = await api.stranger('admin', { allOrganizations: true });
      const { organizationId, email } = await api.owner();
      await api.join(maker.userId, organizationId, 'admin');
      const { body: made } = await api.call('POST', '/v1/api-keys', {
        body: { name: 'theirs', role: 'admin' },
        key: maker.key,
        headers: { 'x-organization-id': organizationId },
      });
      assert.equal(made.created_by_email, maker.email);
      const { body: turned } = await api.call('POST', `/v1/api-keys/${made.id}/rotate`);
      assert.equal(turned.created_by_email, email);
    });

    it('[KEY-11] [GEN-22] a deleted key answers 401', async () => {
      const { key, ...shown } = (await create({ name: 'revoked' })).body;
      const { status, body } = await remove(shown.id);
      assert.deepEqual([status, body], [200, shown]);
      const refused = await api.call('GET', '/v1/collections', { key });
      assert.deepEqual([refused.status, refused.body.code], [401, 'unauthorized']);
      assert.match(
        refused.body.detail,
        /^this API key is unknown, expired or revoked: use another/,
      );
      assert.equal((await remove(shown.id)).status, 404);
    });

    it('[KEY-11] a key may delete itself', async () => {
      const { body } = await create({ name: 'suicide', role: 'admin' });
      assert.equal((await remove(body.id, body.key)).status, 200);
      assert.ok(!(await works(body.key)));
    });

    it('[KEY-11] the deletion of the last admin key of an organization answers 409', async () => {
      const other = await api.stranger();
      const call = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: unknown) =>
        api.call(method, url, { key: other.key, body });
      const [own] = (await call('GET', '/v1/api-keys')).body;
      const second = await call('POST', '/v1/api-keys', { name: 'a member', role: 'member' });
      const refused = await call('DELETE', `/v1/api-keys/${own.id}`);
      assert.deepEqual(
        [refused.status, refused.body.detail],
        [409, 'this is the last admin key of the organization; make another one first'],
      );
      assert.ok(await works(other.key));
      assert.equal((await call('DELETE', `/v1/api-keys/${second.body.id}`)).status, 200);
      const brief = { name: 'brief', role: 'admin', expires_at: '2999-01-01T00:00:00Z' };
      const third = await call('POST', '/v1/api-keys', brief);
      const expire = { expires_at: Date.now() };
      await api.db.updateTable('api_keys').set(expire).where('id', '=', third.body.id).execute();
      assert.equal(
        (await call('DELETE', `/v1/api-keys/${own.id}`)).status,
        409,
        'the third key has expired',
      );
      await call('POST', '/v1/api-keys', { name: 'an admin', role: 'admin' });
      assert.equal((await call('DELETE', `/v1/api-keys/${own.id}`)).status, 200);
    });

    it('[KEY-11] [KEY-27] an admin key of another organization that reaches this one counts as an admin key of this one', async () => {
      const { key, organizationId } = await api.stranger();
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const weak = await api.stranger('member', { allOrganizations: true });
      await api.join(weak.userId, organizationId, 'admin');
      assert.equal((await remove(own.id, key)).status, 409, 'its account is only a member at home');
      const near = await api.stranger('admin');
      await api.join(near.userId, organizationId, 'admin');
      assert.equal(
        (await remove(own.id, key)).status,
        409,
        'the key reaches only its own organization',
      );
      const strong = await api.stranger('admin', { allOrganizations: true });
      await api.join(strong.userId, organizationId, 'admin');
      assert.equal((await remove(own.id, key)).status, 200);
      const headers = { 'x-organization-id': organizationId };
      const seen = await api.call('GET', '/v1/api-keys', { key: strong.key, headers });
      assert.deepEqual([seen.status, seen.body], [200, []]);
    });

    it('[KEY-13] [GEN-16] another organization cannot rotate or delete a key', async () => {
      const { body } = await create({ name: 'mine' });
      const { key } = await api.stranger();
      for (const [method, url] of [
        ['POST', `/v1/api-keys/${body.id}/rotate`],
        ['DELETE', `/v1/api-keys/${body.id}`],
      ] as const) {
        const answer = await api.call(method, url, { key });
        assert.deepEqual(
          [answer.status, answer.body.detail],
          [404, `API key '${body.id}' does not exist: GET /v1/api-keys lists them`],
        );
      }
      assert.ok(await works(body.key));
    });

    it('[KEY-01] [KEY-02] both headers authenticate, in any spelling of Bearer', async () => {
      const get = (headers: Record<string, string>) =>
        api.call('GET', '/v1/collections', { key: null, headers }).then(({ status }) => status);
      assert.equal(await get({ authorization: `Bearer ${api.adminKey}` }), 200);
      assert.equal(await get({ authorization: `bearer  ${api.adminKey}` }), 200);
      assert.equal(await get({ 'x-api-key': api.adminKey }), 200);
      assert.equal(await get({ authorization: api.adminKey }), 401);
      assert.equal(await get({ authorization: `Basic ${api.adminKey}` }), 401);
      assert.equal(await get({ 'x-api-key': `${api.adminKey}x` }), 401);
      assert.equal(await get({ 'x-api-key': '' }), 401);
    });

    it('[KEY-21] a key has no more rights than its account', async () => {
      const other = await api.stranger('member');
      const options = { key: other.key };
      assert.equal((await api.call('GET', '/v1/api-keys', options)).status, 403);
      const made = await api.call('POST', '/v1/collections', {
        ...options,
        body: { name: 'Mine' },
      });
      assert.equal(made.status, 200);
      await api.db.deleteFrom('memberships').where('user_id', '=', other.userId).execute();
      assert.equal((await api.call('GET', '/v1/collections', options)).status, 401);
    });

    it('[KEY-21] a key has the rights of its account in the organization of the key, whatever the account may do elsewhere', async () => {
      const [member, admin] = [await api.stranger('member'), await api.stranger('admin')];
      await api.join(member.userId, admin.organizationId, 'admin');
      await api.join(admin.userId, member.organizationId, 'read');
      const list = async (url: string, { key }: Caller) =>
        (await api.call('GET', url, { key })).status;
      assert.equal(await list('/v1/api-keys', member), 403);
      assert.equal(await list('/v1/api-keys', admin), 200);
      for (const { userId, organizationId } of [member, admin])
        await api.db
          .deleteFrom('memberships')
          .where('user_id', '=', userId)
          .where('organization_id', '=', organizationId)
          .execute();
      for (const who of [member, admin]) assert.equal(await list('/v1/collections', who), 401);
    });
  });
}
