/** Tests that an organization always keeps an account that can administer it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lockOrganization } from '../../db/organization.ts';
import { remove as removeKey } from '../../organizations/key-store.ts';
import { makeKey } from '../../organizations/make-key.ts';
import { newId } from '../../util.ts';
import { DATABASES, hasOwnClock, somebodyWaits, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { openTestApi, type TestApi } from './harness.ts';

for (const database of DATABASES) {
  describe(`the last admin key on ${database.name}`, () => {
    let test: TestDatabase;
    let api: TestApi;
    before(async () => {
      test = await database.open();
      api = await openTestApi(test);
    });
    after(() => api.close());

    const remove = (id: string, key: string) => api.call('DELETE', `/v1/api-keys/${id}`, { key });

    it('[KEY-11] [KEY-27] an admin key of another organization does not count if its account is only a member here', async () => {
      const { key, organizationId } = await api.stranger();
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const other = await api.stranger('admin', { allOrganizations: true });
      await api.join(other.userId, organizationId, 'member');
      assert.equal((await remove(own.id, key)).status, 409);
    });

    it('[KEY-11] when two admin keys delete each other at the same time, one is left', async () => {
      const { key } = await api.stranger();
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      for (let i = 0; i < 5; i++) {
        const body = { name: 'another', role: 'admin' };
        const other = (await api.call('POST', '/v1/api-keys', { key, body })).body;
        const answers = await Promise.all([remove(own.id, other.key), remove(other.id, key)]);
        const gone = answers.filter((answer) => answer.status === 200);
        assert.equal(gone.length, 1, JSON.stringify(answers.map((answer) => answer.body)));
        if (answers[0].status === 200) return;
      }
    });

    it("[KEY-11] [KEY-32] the deletion of a key waits for the deletion of another organization's key that reaches the same organization", async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const { key, userId, organizationId } = await api.stranger('admin', {
        allOrganizations: true,
      });
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const make = async (name: string) =>
        (await api.call('POST', '/v1/organizations', { key, body: { name } })).body.id as string;
      const shared = await make('Reached by two keys');
      const elsewhere = await make('The home of the second key');
      const insert = async (all_organizations: boolean, organization_id: string) => {
        const { key: value, hash } = makeKey();
        const row = { id: newId(), organization_id, user_id: userId, role: 'admin' as const };
        await api.db
          .insertInto('api_keys')
          .values({ ...row, name: 'made', hash, all_organizations, created_at: Date.now() })
          .execute();
        return { id: row.id, key: value };
      };
      const second = await insert(true, elsewhere);
      await insert(false, elsewhere);
      const near = await insert(false, organizationId);
      let isAnswered = false;
      const answer = await api.db.transaction().execute(async (tx) => {
        await lockOrganization(tx, shared);
        await removeKey(tx, elsewhere, second.id);
        const removing = remove(own.id, near.key).finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await somebodyWaits(api.db)));
        return { removing };
      });
      assert.equal((await answer.removing).status, 409);
    });

    it('[KEY-23] [KEY-32] a key that is revoked meanwhile makes no organization', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const { key, organizationId } = await api.stranger('admin', { allOrganizations: true });
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const body = { name: 'Out of reach' };
      let isAnswered = false;
      const answer = await api.db.transaction().execute(async (tx) => {
        await lockOrganization(tx, organizationId);
        await removeKey(tx, organizationId, own.id);
        const making = api.call('POST', '/v1/organizations', { key, body }).finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await somebodyWaits(api.db)));
        return { making };
      });
      // The note of the key's use may be what has waited. Then the request only finds that its key is gone.
      const { status } = await answer.making;
      assert.ok([401, 409].includes(status), String(status));
      const made = api.db.selectFrom('organizations').select('id').where('name', '=', body.name);
      assert.deepEqual(await made.execute(), []);
    });

    it('[KEY-11] the deletion of an admin key waits for the deletion of another admin key, because it may then be the last', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const { key, organizationId } = await api.stranger();
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const body = { name: 'another', role: 'admin' };
      const other = (await api.call('POST', '/v1/api-keys', { key, body })).body;
      let isAnswered = false;
      const answer = await api.db.transaction().execute(async (tx) => {
        await lockOrganization(tx, organizationId);
        await removeKey(tx, organizationId, other.id);
        const removing = remove(own.id, key).finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await somebodyWaits(api.db)));
        return { removing };
      });
      assert.equal((await answer.removing).status, 409);
    });
  });
}
