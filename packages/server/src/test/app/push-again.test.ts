/** Tests pushes that wait until they can be found, and pushes that are repeated with their Idempotency-Key. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as giveWay } from 'node:timers/promises';
import { createJanitor } from '../../syncs/housekeeping/janitor.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const DAY_MS = 86_400_000;
const entity = (id: string, text = `the text of ${id}`) => ({ entity_id: id, name: id, text });

for (const database of DATABASES)
  describe(`pushes that wait or come again on ${database.name}`, () => {
    let quarry: TestQuarry;
    let collection: string;
    let connection: string;
    let made = 0;

    before(async () => {
      quarry = await openTestQuarry(await database.open());
    });
    after(() => quarry.close());
    beforeEach(async () => {
      collection = `pushes-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Pushes', readable_id: collection });
      connection = await connect();
    });

    async function connect(): Promise<string> {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: collection,
      });
      return id;
    }
    const push = (
      body: object,
      { key, query = '', to = connection }: { key?: string; query?: string; to?: string } = {},
    ) =>
      quarry.call(
        'POST',
        `/v1/source-connections/${to}/entities${query}`,
        body,
        key === undefined ? {} : { 'idempotency-key': key },
      );
    const jobs = (of = connection) => quarry.ok('GET', `/v1/source-connections/${of}/jobs`);
    const keys = () =>
      quarry.db
        .selectFrom('push_keys')
        .selectAll()
        .where('connection_id', '=', connection)
        .execute();

    it('[PSH-14] a push with wait=true answers 200 when a search finds it', async () => {
      for (let i = 0; i < 5; i++) {
        const { status, body } = await push(
          { entities: [entity('a', `heron${i}`)] },
          { query: '?wait=true' },
        );
        assert.deepEqual([status, body.status], [200, 'COMPLETED']);
        const found = await quarry.find(collection, `heron${i}`, { retrieval_strategy: 'keyword' });
        assert.deepEqual(found, ['a__chunk_0']);
      }
      const { status, body } = await push({ entities: [entity('b')] }, { query: '?wait=false' });
      assert.deepEqual([status, body.status], [202, 'PENDING']);
      assert.equal((await push({ entities: [] }, { query: '?wait=1' })).status, 422);
    });

    it('[PSH-15] a push with the same key and body is the same job, and with another body a 422', async () => {
      const body = { entities: [entity('a', 'heron')], delete: ['b'] };
      const first = await push(body, { key: 'one' });
      const again = await push(body, { key: 'one' });
      assert.deepEqual([first.status, again.status], [202, 202]);
      assert.equal(again.body.id, first.body.id);
      const waited = await push(body, { key: 'one', query: '?wait=true' });
      assert.deepEqual(
        [waited.status, waited.body.id, waited.body.entities_inserted],
        [200, first.body.id, 1],
      );
      const ended = await push(body, { key: 'one' });
      assert.deepEqual([ended.status, ended.body], [202, waited.body]);
      for (const other of [
        { entities: [entity('a', 'bittern')], delete: ['b'] },
        { ...body, delete: [] },
      ]) {
        const refused = await push(other, { key: 'one' });
        assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_key_reused']);
        assert.deepEqual(refused.body.detail[0].loc, ['headers', 'idempotency-key']);
      }
      assert.equal((await jobs()).length, 1);
      const next = await push(body, { key: 'two' });
      assert.notEqual(next.body.id, first.body.id);
    });

    it('[PSH-15] of pushes with one key that come at once, one starts a job', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => push({ entities: [entity('a')] }, { key: 'one' })),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
      assert.equal((await jobs()).length, 1);
    });

    it('[PSH-15] a key belongs to its connection, and has a form', async () => {
      const other = await connect();
      const body = { entities: [entity('a')] };
      const first = await push(body, { key: 'one' });
      const second = await push({ entities: [entity('b')] }, { key: 'one', to: other });
      assert.deepEqual([first.status, second.status], [202, 202]);
      for (const key of ['', 'x'.repeat(256), 'ü']) {
        const { status, body: error } = await push(body, { key });
        assert.deepEqual([status, error.detail[0].loc], [422, ['headers', 'idempotency-key']]);
      }
    });

    it('[PSH-15] a push that is refused takes no key', async () => {
      assert.equal(
        (await push({ entities: [entity('a')], delete: ['a'] }, { key: 'one' })).status,
        422,
      );
      assert.equal((await push({ entities: [entity('a')] }, { key: 'one' })).status, 202);
    });

    it('[PSH-15] a key is forgotten after 24 hours, and its job is kept for as long', async () => {
      const first = await push({ entities: [entity('a')] }, { key: 'one', query: '?wait=true' });
      await push({ entities: [entity('b')] }, { query: '?wait=true' });
      const janitor = async () => {
        const deps = { db: quarry.db, kind: quarry.kind, historyDays: 0, goneKeptMs: DAY_MS };
        await createJanitor(deps).work(() => true);
      };
      const age = (ms: number) =>
        quarry.db
          .updateTable('push_keys')
          .set({ created_at: Date.now() - ms })
          .where('connection_id', '=', connection)
          .execute();
      await age(DAY_MS - 60_000);
      await janitor();
      assert.equal(
        (await push({ entities: [entity('a')] }, { key: 'one' })).body.id,
        first.body.id,
      );
      await age(DAY_MS + 60_000);
      const next = await push({ entities: [entity('c')] }, { key: 'one', query: '?wait=true' });
      assert.notEqual(next.body.id, first.body.id);
      assert.equal((await keys()).length, 1);
      await age(DAY_MS + 60_000);
      await janitor();
      assert.deepEqual(await keys(), []);
      assert.ok((await jobs()).every(({ id }: { id: string }) => id !== first.body.id));
    });

    it('[PSH-15] the keys of a deleted connection are removed', async () => {
      await push({ entities: [entity('a')] }, { key: 'one', query: '?wait=true' });
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      await until(async () => (await keys()).length === 0);
    });
  });

describe('a push that waits for long', () => {
  const [sqlite] = DATABASES;
  let api: TestApi;
  before(async () => {
    assert.ok(sqlite);
    api = await openTestApi(await sqlite.open());
  });
  after(() => api.close());

  it('[PSH-14] answers 503 after 30 seconds, and the push goes on', async (t) => {
    await api.call('POST', '/v1/collections', { body: { name: 'Slow', readable_id: 'slow' } });
    const connection = { name: 'Pushed', short_name: 'push', readable_collection_id: 'slow' };
    const { id } = (await api.call('POST', '/v1/source-connections', { body: connection })).body;
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isAnswered = false;
    const asked = api
      .call('POST', `/v1/source-connections/${id}/entities?wait=true`, {
        body: { entities: [entity('a')] },
      })
      .finally(() => {
        isAnswered = true;
      });
    let waitedMs = 0;
    for (; !isAnswered; waitedMs += 100) {
      t.mock.timers.tick(100);
      for (let i = 0; i < 20; i++) await giveWay();
    }
    const { status, body, headers } = await asked;
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'still_running', '1']);
    assert.ok(waitedMs >= 30_000);
    const [job] = (await api.call('GET', `/v1/source-connections/${id}/jobs`)).body;
    assert.equal(job.status, 'PENDING');
    assert.ok(body.detail.includes(job.id));
  });
});
