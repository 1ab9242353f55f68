/** An organization keeps somebody who can administer it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { remove as removeKey } from '../../organizations/key-store.ts';
import { lock } from '../../organizations/store.ts';
import { DATABASES, hasOwnClock, somebodyWaits, type TestDatabase } from '../databases.ts';
import { until } from '../webhooks/post.ts';
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

    it('[KEY-11] [KEY-27] who is only a member here administers nothing here', async () => {
      const { key, organizationId } = await api.stranger();
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const other = await api.stranger('admin');
      await api.join(other.userId, organizationId, 'member');
      assert.equal((await remove(own.id, key)).status, 409);
    });

    it('[KEY-11] of two admin keys that delete each other at once one is left', async () => {
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

    it('[KEY-11] a deletion waits for another one that may take the last admin key', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const { key, organizationId } = await api.stranger();
      const [own] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const body = { name: 'another', role: 'admin' };
      const other = (await api.call('POST', '/v1/api-keys', { key, body })).body;
      let isAnswered = false;
      const answer = await api.db.transaction().execute(async (tx) => {
        await lock(tx, organizationId);
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
