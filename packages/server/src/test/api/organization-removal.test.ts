/** Tests who may delete an organization, that nothing of it can be reached afterwards, and that the last one stays. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { lockOrganization } from '../../db/organization.ts';
import { accountDirectory } from '../../organizations/account-store.ts';
import { makeLocalKey } from '../../organizations/local-key.ts';
import { lockAll, markDeleted } from '../../organizations/store.ts';
import { countQuery } from '../../search/agent/quota-store.ts';
import { DATABASES, hasOwnClock, somebodyWaits, type TestDatabase } from '../databases.ts';
import type { Answer } from '../inject.ts';
import { until } from '../until.ts';
import { belongings, OF_EVERYBODY } from './belongings.ts';
import { readDocument } from './document.ts';
import { type Caller, openTestApi, type TestApi } from './harness.ts';

const LAST = 'this is the last organization, and one must be left: create another first';

for (const database of DATABASES) {
  describe(`deleting an organization on ${database.name}`, () => {
    let test: TestDatabase;
    let api: TestApi;
    before(async () => {
      test = await database.open();
      api = await openTestApi(test);
    });
    after(() => api.close());

    const remove = (id: string, key = api.adminKey): Promise<Answer> =>
      api.call('DELETE', `/v1/organizations/${id}`, { key });
    const isThere = async (id: string) =>
      (await api.call('GET', `/v1/organizations/${id}`)).status === 200;

    it('[KEY-37] the deletion of the last organization answers 409', async () => {
      const { organizationId } = await api.owner();
      const refused = await remove(organizationId);
      assert.deepEqual([refused.status, refused.body.detail], [409, LAST]);
      assert.ok(await isThere(organizationId));
    });

    it('[KEY-37] [KEY-32] only an admin key that reaches the organization, of an account that is an admin there, can delete it', async () => {
      const there = await api.sibling();
      const near = await api.keyOf('admin');
      assert.equal((await remove(there.organizationId, near)).status, 404);
      const headers = { 'x-organization-id': there.organizationId };
      const input = { body: { name: 'a member', role: 'member' }, headers };
      const { key } = (await api.call('POST', '/v1/api-keys', input)).body;
      assert.equal((await remove(there.organizationId, key)).status, 403);
      const other = await api.stranger();
      assert.equal((await remove(other.organizationId)).status, 404);
      await api.join((await api.owner()).userId, other.organizationId, 'member');
      const refused = await remove(other.organizationId);
      assert.deepEqual(
        [refused.status, refused.body.detail],
        [403, 'only an admin of the organization may change it; ask one of them'],
      );
      assert.equal((await remove(there.organizationId, there.key)).status, 200, 'its own key');
    });

    it('[KEY-37] [KEY-13] a deleted organization and its things are out of reach at once, for every key', async () => {
      const there = await api.sibling();
      const theirs = await belongings(api, there);
      const { operations } = await readDocument(api);
      const paths = operations
        .filter(
          ({ method, path }) =>
            method === 'GET' && path.includes('{') && !OF_EVERYBODY.includes(path),
        )
        .map(({ path }) => theirs.fill(path));
      assert.ok(paths.length >= 15);
      const headers = { 'x-organization-id': there.organizationId };
      const reached = async () => (await accountDirectory(api.db).collections(there.userId)).length;
      const before = await reached();
      const { body } = await remove(there.organizationId);
      assert.equal(body.id, there.organizationId);
      for (const path of paths) {
        const statuses = [
          (await api.call('GET', path, { key: there.key })).status,
          (await api.call('GET', path, { headers })).status,
          (await api.call('GET', path)).status,
        ];
        assert.deepEqual(statuses, [401, 404, 404], path);
      }
      const list = await api.call('GET', '/v1/organizations?limit=1000');
      assert.ok(!JSON.stringify(list.body).includes(there.organizationId));
      assert.equal(Number(list.headers['x-total-count']), list.body.length);
      assert.equal((await remove(there.organizationId)).status, 404);
      const patch = { body: { name: 'Again' } };
      const url = `/v1/organizations/${there.organizationId}`;
      assert.equal((await api.call('PATCH', url, patch)).status, 404);
      // With a token, an account reaches the collections of all its organizations.
      assert.equal(before - (await reached()), 1);
      await assert.rejects(
        makeLocalKey(api.db, { name: 'late', role: 'admin' }, there.organizationId),
        /^Error: no organization with an admin has the id/,
      );
    });

    it('[KEY-37] [KEY-11] a deletion is refused when another organization would be left without an admin key', async () => {
      const keeper = await api.stranger('admin', { allOrganizations: true });
      const call = (method: 'POST', url: string, body: unknown, organizationId?: string) =>
        api.call(method, url, {
          key: keeper.key,
          body,
          ...(organizationId && { headers: { 'x-organization-id': organizationId } }),
        });
      const kept = (await call('POST', '/v1/organizations', { name: 'Kept' })).body.id;
      const refused = await remove(keeper.organizationId, keeper.key);
      assert.deepEqual(
        [refused.status, refused.body.detail],
        [
          409,
          'another organization can only be administered with keys of this one; make an admin key there first',
        ],
      );
      const own = await call('POST', '/v1/api-keys', { name: 'own', role: 'admin' }, kept);
      assert.equal((await remove(keeper.organizationId, keeper.key)).status, 200);
      const found = await accountDirectory(api.db).find(keeper.email);
      assert.equal(found?.organization.id, kept, 'the oldest organization that is left');
      const { status, body } = await api.call('GET', '/v1/organizations', { key: own.body.key });
      assert.deepEqual([status, body.map(({ id }: { id: string }) => id)], [200, [kept]]);
    });
  });

  describe(`the last two organizations on ${database.name}`, () => {
    let test: TestDatabase;
    let api: TestApi;
    let first: Caller;
    let second: Caller;
    beforeEach(async () => {
      test = await database.open();
      api = await openTestApi(test);
      first = await api.owner();
      second = await api.sibling();
      const key = await api.keyOf('admin');
      first = { ...first, key };
    });
    afterEach(() => api.close());
    const remove = ({ organizationId, key }: Caller) =>
      api.call('DELETE', `/v1/organizations/${organizationId}`, { key });

    it('[KEY-37] of two deletions at the same time, one is refused', async () => {
      const answers = await Promise.all([remove(first), remove(second)]);
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted(),
        [200, 409],
        JSON.stringify(answers.map(({ body }) => body)),
      );
    });

    it('[KEY-37] a deletion waits for another deletion, because its organization may then be the last', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      let isAnswered = false;
      const { removing } = await api.db.transaction().execute(async (tx) => {
        await lockAll(tx, 'postgres');
        await markDeleted(tx, second.organizationId);
        const removing = remove(first).finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await somebodyWaits(api.db)));
        return { removing };
      });
      const { status, body } = await removing;
      assert.deepEqual([status, body.detail], [409, LAST]);
    });

    for (const [url, body] of [
      ['/v1/collections', { name: 'Late' }],
      ['/v1/api-keys', { name: 'late' }],
      [
        '/v1/webhooks/subscriptions',
        { url: 'https://late.example.com', event_types: ['sync.failed'] },
      ],
    ] as const)
      it(`[KEY-37] POST ${url} makes nothing in an organization that is being deleted`, async (t) => {
        if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
        let isAnswered = false;
        const { making } = await api.db.transaction().execute(async (tx) => {
          await lockOrganization(tx, second.organizationId);
          await markDeleted(tx, second.organizationId);
          const making = api.call('POST', url, { key: second.key, body }).finally(() => {
            isAnswered = true;
          });
          await until(async () => isAnswered || (await somebodyWaits(api.db)));
          return { making };
        });
        const answer = await making;
        assert.deepEqual(
          [answer.status, answer.body.detail],
          [
            404,
            `organization '${second.organizationId}' does not exist: GET /v1/organizations lists them`,
          ],
        );
      });

    it('[KEY-37] no agentic search is counted for an organization that is deleted', async () => {
      const count = async (id: string) => {
        assert.equal(
          await countQuery(api.db, test.kind, { organizationId: id, limit: null }),
          true,
        );
        const rows = api.db.selectFrom('agentic_queries').select('count');
        return (await rows.where('organization_id', '=', id).execute()).length;
      };
      await api.db.transaction().execute((tx) => markDeleted(tx, second.organizationId));
      assert.deepEqual(
        [await count(first.organizationId), await count(second.organizationId)],
        [1, 0],
      );
    });
  });
}
