import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ensureFirstOrganization } from '../../organizations/bootstrap.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { caller } from '../inject.ts';
import { buildApi, openTestApi, type TestApi } from './harness.ts';

for (const database of DATABASES) {
  describe(`organizations on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    const create = async (name: string) =>
      (await api.call('POST', '/v1/organizations', { body: { name } })).body;
    const patch = (id: string, body: unknown, key?: string) =>
      api.call('PATCH', `/v1/organizations/${id}`, { body, ...(key !== undefined && { key }) });
    const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);

    it('[KEY-22] [KEY-26] a fresh installation has one organization, with both feature flags and a quota', async () => {
      const { status, body, headers } = await api.call('GET', '/v1/organizations');
      assert.deepEqual([status, headers['x-total-count']], [200, '1']);
      const [{ id, created_at, modified_at, ...rest }] = body;
      assert.deepEqual(rest, {
        name: 'My organization',
        feature_flags: ['AGENTIC_SEARCH', 'SOURCE_RATE_LIMITING'],
        quotas: { agentic_queries_per_hour: 1000 },
      });
      assert.match(created_at, /Z$/);
      assert.equal(modified_at, created_at);
      assert.deepEqual((await api.call('GET', `/v1/organizations/${id}`)).body, body[0]);
    });

    it('[KEY-23] [KEY-31] [GEN-21] an admin creates an organization without flags and becomes its admin', async () => {
      const { status, body } = await api.call('POST', '/v1/organizations', {
        body: { name: 'New' },
      });
      assert.equal(status, 200);
      assert.deepEqual(
        [body.name, body.feature_flags, body.quotas],
        ['New', [], { agentic_queries_per_hour: null }],
      );
      const { userId } = await api.owner();
      const members = await api.db
        .selectFrom('memberships')
        .select(['user_id', 'role'])
        .where('organization_id', '=', body.id)
        .execute();
      assert.deepEqual(
        members.map((member) => [member.user_id, member.role]),
        [[userId, 'admin']],
      );
    });

    it('the list begins with the newest organization, and a key that is not an admin key sees only its own organization', async () => {
      for (const [name, ahead] of [
        ['Newer', 7_200_000],
        ['Older', 3_600_000],
      ] as const) {
        const { id } = await create(name);
        const created_at = Date.now() + ahead;
        await api.db
          .updateTable('organizations')
          .set({ created_at })
          .where('id', '=', id)
          .execute();
      }
      const all = await api.call('GET', '/v1/organizations?limit=2');
      assert.deepEqual(names(all), ['Newer', 'Older']);
      const next = await api.call('GET', '/v1/organizations?skip=1&limit=1');
      assert.deepEqual(names(next), ['Older']);
      assert.equal(next.headers['x-total-count'], all.headers['x-total-count']);
      const key = await api.keyOf('member');
      const own = await api.call('GET', '/v1/organizations', { key });
      assert.deepEqual([names(own), own.headers['x-total-count']], [['My organization'], '1']);
      const other = (await api.call('GET', '/v1/organizations')).body[0];
      const refused = await api.call('GET', `/v1/organizations/${other.id}`, { key });
      assert.equal(refused.status, 404);
    });

    it('[KEY-24] [KEY-31] PATCH replaces flags, merges quotas and changes nothing else', async () => {
      const { id } = await create('Changed');
      const other = await create('Bystander');
      const flags = await patch(id, { feature_flags: ['AGENTIC_SEARCH', 'AGENTIC_SEARCH'] });
      assert.deepEqual(
        [flags.status, flags.body.feature_flags, flags.body.quotas],
        [200, ['AGENTIC_SEARCH'], { agentic_queries_per_hour: null }],
      );
      assert.ok(flags.body.modified_at > flags.body.created_at);
      await api.db
        .updateTable('organizations')
        .set({ quotas: '{"agentic_queries_per_hour":7,"another":3}' })
        .where('id', '=', id)
        .execute();
      const quotas = await patch(id, { quotas: { agentic_queries_per_hour: 0 } });
      assert.deepEqual(
        [quotas.body.feature_flags, quotas.body.quotas, quotas.body.name],
        [['AGENTIC_SEARCH'], { agentic_queries_per_hour: 0, another: 3 }, 'Changed'],
      );
      assert.ok(quotas.body.modified_at > flags.body.modified_at);
      const replaced = await patch(id, {
        feature_flags: ['SOURCE_RATE_LIMITING'],
        name: 'Renamed',
      });
      assert.deepEqual(
        [replaced.body.feature_flags, replaced.body.name, replaced.body.quotas.another],
        [['SOURCE_RATE_LIMITING'], 'Renamed', 3],
      );
      assert.deepEqual((await patch(id, { quotas: {} })).body.quotas, replaced.body.quotas);
      assert.deepEqual((await api.call('GET', `/v1/organizations/${other.id}`)).body, other);
    });

    for (const [why, body, loc] of [
      ['an unknown flag', { feature_flags: ['MAGIC'] }, ['body', 'feature_flags', 0]],
      ['flags that are not a list', { feature_flags: 'AGENTIC_SEARCH' }, ['body', 'feature_flags']],
      ['an unknown quota', { quotas: { rows: 1 } }, ['body', 'quotas', 'rows']],
      [
        'a negative quota',
        { quotas: { agentic_queries_per_hour: -1 } },
        ['body', 'quotas', 'agentic_queries_per_hour'],
      ],
      [
        'a quota that is not a whole number',
        { quotas: { agentic_queries_per_hour: 1.5 } },
        ['body', 'quotas', 'agentic_queries_per_hour'],
      ],
      ['an empty name', { name: '' }, ['body', 'name']],
      ['an unknown field', { plan: 'gold' }, ['body', 'plan']],
    ] as const) {
      it(`[KEY-24] ${why} answers 422`, async () => {
        const { organizationId } = await api.owner();
        const answer = await patch(organizationId, body);
        assert.equal(answer.status, 422);
        assert.deepEqual(
          answer.body.detail.map((fault: { loc: unknown }) => fault.loc),
          [loc],
        );
      });
    }

    it('[KEY-31] `modified_at` grows with each change, even when the clock is behind', async () => {
      const { id } = await create('Ahead');
      const ahead = Date.now() + 60_000;
      await api.db
        .updateTable('organizations')
        .set({ modified_at: ahead })
        .where('id', '=', id)
        .execute();
      const { body } = await patch(id, { name: 'Further ahead' });
      assert.equal(body.modified_at, new Date(ahead + 1).toISOString());
    });

    it('[KEY-13] an organization of another account answers 404 and is not listed', async () => {
      const { organizationId } = await api.stranger();
      assert.equal((await api.call('GET', `/v1/organizations/${organizationId}`)).status, 404);
      assert.equal((await patch(organizationId, { name: 'Mine' })).status, 404);
      const list = await api.call('GET', '/v1/organizations?limit=1000');
      assert.ok(!names(list).includes('Strangers'));
    });

    it('a member who is not an admin of the organization may see the organization but not change it', async () => {
      const { organizationId } = await api.stranger();
      await api.join((await api.owner()).userId, organizationId, 'member');
      assert.equal((await api.call('GET', `/v1/organizations/${organizationId}`)).status, 200);
      const answer = await patch(organizationId, { name: 'Mine' });
      assert.deepEqual(
        [answer.status, answer.body.detail],
        [403, 'only an admin of the organization may change it; ask one of them'],
      );
    });

    it('[KEY-27] an admin key acts on the organization that X-Organization-ID names', async () => {
      const { id } = await create('Second');
      const headers = { 'x-organization-id': id };
      const body = { name: 'In the second', readable_id: 'second' };
      const made = await api.call('POST', '/v1/collections', { body, headers });
      assert.deepEqual([made.status, made.body.organization_id], [200, id]);
      assert.equal((await api.call('GET', '/v1/collections/second')).status, 404);
      assert.equal((await api.call('GET', '/v1/collections/second', { headers })).status, 200);
      const { body: key } = await api.call('POST', '/v1/api-keys', {
        body: { name: 'its own' },
        headers,
      });
      const seen = await api.call('GET', '/v1/collections', { key: key.key });
      assert.deepEqual(names(seen), ['In the second']);
    });

    it('[KEY-30] X-Organization-ID answers 404 where the account is not an admin, and 403 for a key that is not an admin key', async () => {
      const { organizationId } = await api.owner();
      const get = (id: string, key = api.adminKey) =>
        api.call('GET', '/v1/collections', { key, headers: { 'x-organization-id': id } });
      assert.equal((await get(organizationId)).status, 200);
      const other = await api.stranger();
      const unknown = await get(other.organizationId);
      assert.deepEqual(
        [unknown.status, unknown.body.detail],
        [
          404,
          `organization '${other.organizationId}' does not exist: GET /v1/organizations lists them`,
        ],
      );
      assert.equal((await get('nope')).status, 404);
      await api.join((await api.owner()).userId, other.organizationId, 'member');
      assert.equal((await get(other.organizationId)).status, 404, 'a member only');
      for (const role of ['member', 'read'] as const) {
        const refused = await get(organizationId, await api.keyOf(role));
        assert.deepEqual(
          [refused.status, refused.body.detail],
          [403, 'only an admin key may name an organization by X-Organization-ID'],
        );
      }
    });
  });

  describe(`the first organization on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    const keys = () =>
      test.db
        .selectFrom('api_keys')
        .select(['name', 'role', 'hash', 'organization_id'])
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    const given = `quarry_${'a'.repeat(43)}`;

    it('[GEN-28] [KEY-20] [KEY-26] the first organization is made once, by the start that comes first', async () => {
      const made = await Promise.all([1, 2, 3].map(() => ensureFirstOrganization(test.db, {})));
      assert.equal(made.filter(({ created }) => created).length, 1);
      assert.equal(made.filter(({ key }) => key !== null).length, 1);
      assert.deepEqual(await ensureFirstOrganization(test.db, {}), {
        created: false,
        key: null,
        isKeyRefused: false,
      });
      const organizations = await test.db.selectFrom('organizations').select('id').execute();
      assert.equal(organizations.length, 1);
      assert.deepEqual(
        (await keys()).map(({ name, role }) => [name, role]),
        [['First key', 'admin']],
      );
    });

    it('[KEY-35] another key that is given later is refused, and nothing changes', async () => {
      const before = await keys();
      assert.deepEqual(await ensureFirstOrganization(test.db, { apiKey: given }), {
        created: false,
        key: null,
        isKeyRefused: true,
      });
      assert.deepEqual(await keys(), before);
    });
  });

  describe(`a given key on ${database.name}`, () => {
    const first = `quarry_${'b'.repeat(43)}`;
    const further = `quarry_${'c'.repeat(43)}`;
    let test: TestDatabase;
    let api: ReturnType<typeof buildApi>;
    let call: ReturnType<typeof caller>;
    before(async () => {
      test = await database.open();
      api = buildApi(test);
      call = caller(api, first);
    });
    after(async () => {
      await api.close();
      await test.close();
    });

    /** Does the same as a start with this key. Tells whether the start refuses the key. */
    const isRefused = async (apiKey: string) =>
      (await ensureFirstOrganization(test.db, { apiKey })).isKeyRefused;
    const statusOf = async (key: string) => (await call('GET', '/v1/api-keys', { key })).status;

    it('[GEN-27] the given key becomes the key of the first organization, and later starts accept it', async () => {
      assert.deepEqual(await ensureFirstOrganization(test.db, { apiKey: first }), {
        created: true,
        key: first,
        isKeyRefused: false,
      });
      assert.equal(await isRefused(first), false);
      const { body } = await call('GET', '/v1/api-keys');
      assert.deepEqual(
        body.map(({ name, role }: { name: string; role: string }) => [name, role]),
        [['First key', 'admin']],
      );
    });

    it('[KEY-35] the given key opens nothing after it was rotated, even after further starts', async () => {
      const [{ id }] = (await call('GET', '/v1/api-keys')).body;
      const { key } = (await call('POST', `/v1/api-keys/${id}/rotate`)).body;
      assert.equal(await isRefused(first), true);
      assert.equal(await isRefused(first), true);
      assert.deepEqual([await statusOf(first), await statusOf(key)], [401, 200]);
      call = caller(api, key);
    });

    it('[KEY-35] a key is refused after it was revoked and while it is expired, and a refused key opens nothing', async () => {
      const made = (await call('POST', '/v1/api-keys', { body: { name: 'second' } })).body;
      assert.equal(await isRefused(made.key), false);
      const set = test.db.updateTable('api_keys').where('id', '=', made.id);
      await set.set({ expires_at: Date.now() }).execute();
      assert.equal(await isRefused(made.key), true);
      await set.set({ expires_at: null }).execute();
      assert.equal(await isRefused(made.key), false);
      assert.equal((await call('DELETE', `/v1/api-keys/${made.id}`)).status, 200);
      assert.equal(await isRefused(made.key), true);
      assert.deepEqual([await statusOf(made.key), await statusOf(further)], [401, 401]);
    });
  });
}
