/** Tests the routes that configure limits on requests to sources. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { catalog } from '../../sources/catalog.ts';
import { newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { type Caller, openTestApi, type TestApi } from './harness.ts';

const LIST = '/v1/source-rate-limits';
const one = (name: string) => `${LIST}/${name}`;

for (const database of DATABASES)
  describe(`source rate limits on ${database.name}`, () => {
    let api: TestApi;
    let other: Caller;
    before(async () => {
      api = await openTestApi(await database.open());
      other = await api.sibling();
      await flags(other.organizationId, ['SOURCE_RATE_LIMITING']);
    });
    after(() => api.close());

    const flags = (id: string, feature_flags: string[]) =>
      api.call('PATCH', `/v1/organizations/${id}`, {
        body: { feature_flags },
        headers: { 'x-organization-id': id },
      });
    const put = (name: string, body: unknown, key = api.adminKey) =>
      api.call('PUT', one(name), { body, key });
    const list = async (key = api.adminKey) => (await api.call('GET', LIST, { key })).body;
    const entry = async (name: string, key = api.adminKey) =>
      (await list(key)).find(({ source_short_name }: any) => source_short_name === name);
    const remove = (name: string) => api.call('DELETE', one(name));

    it('[LIM-01] [LIM-02] [LIM-03] a second PUT changes the limit that the first PUT made', async () => {
      const first = await put('github_code', { limit: 10, window_seconds: 30 });
      assert.equal(first.status, 200);
      const { id, created_at, modified_at, ...fields } = first.body;
      const { organizationId } = await api.owner();
      assert.deepEqual(fields, {
        organization_id: organizationId,
        source_short_name: 'github_code',
        limit: 10,
        window_seconds: 30,
      });
      assert.ok(Date.parse(created_at) <= Date.parse(modified_at));
      const second = await put('github_code', { limit: 20 });
      assert.deepEqual(
        [second.body.id, second.body.limit, second.body.window_seconds],
        [id, 20, 60],
      );
      assert.equal(second.body.created_at, created_at);
      const rows = await api.db.selectFrom('source_rate_limits').selectAll().execute();
      assert.equal(rows.length, 1);
      assert.equal(
        (await api.call('PUT', `/api${one('github_code')}`, { body: { limit: 5 } })).body.limit,
        5,
      );
    });

    it('[LIM-03] PUT refuses a limit or window that is not a whole number, is below 1, or is too large', async () => {
      const bad = [
        { limit: 0 },
        { limit: -1 },
        { limit: 1.5 },
        { limit: 1e12 },
        { limit: '10' },
        {},
        { limit: 10, window_seconds: 0 },
        { limit: 10, window_seconds: 0.5 },
        { limit: 10, window_seconds: 86_401 },
        { limit: 10, window: 60 },
      ];
      for (const body of bad) {
        const { status, body: answer } = await put('github_code', body);
        assert.equal(status, 422, JSON.stringify(body));
        assert.equal(answer.detail[0].loc[0], 'body');
      }
      const most = await put('github_code', { limit: 1_000_000, window_seconds: 86_400 });
      assert.deepEqual([most.body.limit, most.body.window_seconds], [1_000_000, 86_400]);
    });

    it('[LIM-06] [LIM-07] [LIM-08] [LIM-09] [LIM-20] the list has provider_proxy first, then sources with a level, then the others', async () => {
      await put('github_code', { limit: 7, window_seconds: 9 });
      const { headers, body } = await api.call('GET', LIST);
      assert.equal(headers['x-total-count'], String(catalog.size + 1));
      assert.deepEqual(body[0], {
        source_short_name: 'provider_proxy',
        rate_limit_level: 'org',
        limit: 1000,
        window_seconds: 300,
        id: null,
      });
      const levels = body.map(({ rate_limit_level }: any) => rate_limit_level !== null);
      assert.deepEqual(
        levels,
        levels.toSorted((a: boolean, b: boolean) => Number(b) - Number(a)),
      );
      const { id, ...limited } = await entry('github_code');
      assert.equal(typeof id, 'string');
      assert.deepEqual(limited, {
        source_short_name: 'github_code',
        rate_limit_level: 'connection',
        limit: 7,
        window_seconds: 9,
      });
      const unlimited = { rate_limit_level: null, limit: null, window_seconds: null, id: null };
      assert.deepEqual(await entry('files'), { source_short_name: 'files', ...unlimited });
      await remove('github_code');
      assert.deepEqual(await entry('github_code'), {
        source_short_name: 'github_code',
        ...unlimited,
        rate_limit_level: 'connection',
      });
      const page = await api.call('GET', `${LIST}?skip=1&limit=1`);
      assert.deepEqual(
        page.body,
        body
          .slice(1, 2)
          .map((it: object) => ({ ...it, limit: null, window_seconds: null, id: null })),
      );
    });

    it('[LIM-05] [LIM-19] DELETE answers 204 without a body, also for a limit that is not set', async () => {
      await put('github_code', { limit: 7 });
      for (let i = 0; i < 2; i++) {
        const { status, body, headers } = await remove('github_code');
        assert.deepEqual([status, body, headers['content-type']], [204, '', undefined]);
        assert.equal((await entry('github_code')).id, null);
      }
    });

    it('[LIM-17] provider_proxy accepts PUT and DELETE, and DELETE restores its default', async () => {
      const { status, body } = await put('provider_proxy', { limit: 5, window_seconds: 10 });
      assert.deepEqual([status, body.source_short_name], [200, 'provider_proxy']);
      const configured = await entry('provider_proxy');
      assert.deepEqual(
        [configured.id, configured.limit, configured.window_seconds],
        [body.id, 5, 10],
      );
      assert.equal((await remove('provider_proxy')).status, 204);
      const again = await entry('provider_proxy');
      assert.deepEqual([again.id, again.limit, again.window_seconds], [null, 1000, 300]);
    });

    it('[LIM-19] PUT for a source without a level answers 422, and for an unknown source 404', async () => {
      const { status, body } = await put('files', { limit: 5 });
      assert.deepEqual([status, body.code], [422, 'not_limitable']);
      assert.match(body.detail[0].msg, /requests to files are not counted/);
      for (const answer of [await put('nowhere', { limit: 5 }), await remove('nowhere')]) {
        assert.equal(answer.status, 404);
        assert.match(answer.body.detail, /source 'nowhere' does not exist: GET \/v1\/sources/);
      }
    });

    it('[LIM-05] the limit of a source that is no longer installed can be removed', async () => {
      const { organizationId } = await api.owner();
      await api.db
        .insertInto('source_rate_limits')
        .values({
          id: newId(),
          organization_id: organizationId,
          source_short_name: 'retired',
          max_requests: 1,
          window_seconds: 1,
          created_at: 0,
          modified_at: 0,
        })
        .execute();
      assert.equal(await entry('retired'), undefined);
      assert.equal((await remove('retired')).status, 204);
      assert.equal((await remove('retired')).status, 404);
    });

    it('[LIM-04] each organization has its own limits', async () => {
      await put('github_code', { limit: 7 });
      assert.equal((await entry('github_code', other.key)).id, null);
      await put('github_code', { limit: 8 }, other.key);
      const limits = [await entry('github_code'), await entry('github_code', other.key)];
      assert.deepEqual(
        limits.map(({ limit }) => limit),
        [7, 8],
      );
      await remove('github_code');
      assert.equal((await entry('github_code', other.key)).limit, 8);
    });

    it('[LIM-18] without the feature flag, GET, PUT and DELETE answer 403', async () => {
      const { organizationId } = await api.owner();
      await flags(organizationId, ['AGENTIC_SEARCH']);
      try {
        for (const { status, body } of [
          await api.call('GET', LIST),
          await put('github_code', { limit: 5 }),
          await remove('github_code'),
        ]) {
          assert.equal(status, 403);
          assert.match(body.detail, /an admin may switch SOURCE_RATE_LIMITING on/);
        }
      } finally {
        await flags(organizationId, ['AGENTIC_SEARCH', 'SOURCE_RATE_LIMITING']);
      }
    });
  });
