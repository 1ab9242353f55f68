/** Tests subscriptions and messages over the API, without a worker. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { EVENT_TYPES } from '../../events/types.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { sealedText } from '../sealed.ts';

const BASE = '/v1/webhooks/subscriptions';
const URL_OK = 'https://hooks.example.com/in';

for (const database of DATABASES) {
  describe(`the API of webhooks on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());
    beforeEach(async () => {
      await api.db.deleteFrom('webhook_subscriptions').execute();
    });

    const create = async (body: object = {}) => {
      const answer = await api.call('POST', BASE, {
        body: { url: URL_OK, event_types: ['sync.completed'], ...body },
      });
      return answer;
    };
    const made = async (body: object = {}) => {
      const { status, body: subscription } = await create(body);
      assert.equal(status, 200, JSON.stringify(subscription));
      return subscription;
    };
    const secretOf = async (id: string) =>
      (await api.call('GET', `${BASE}/${id}?include_secret=true`)).body.secret;

    it('[WHK-01] [WHK-03] [WHK-09] [WHK-23] subscriptions are created, listed and shown', async () => {
      const { id, created_at, updated_at, ...rest } = await made({
        event_types: ['sync.failed', 'collection.created'],
        description: 'ours',
      });
      assert.deepEqual(rest, {
        url: URL_OK,
        filter_types: ['sync.failed', 'collection.created'],
        description: 'ours',
        disabled: false,
        disabled_at: null,
        disabled_reason: null,
        health_status: 'unknown',
      });
      assert.equal(created_at, updated_at);
      const second = await made();
      const list = await api.call('GET', BASE);
      assert.deepEqual(
        list.body.map((one: { id: string }) => one.id),
        [second.id, id],
      );
      assert.equal(list.headers['x-total-count'], '2');
      const { key } = await api.stranger();
      const theirs = await api.call('GET', BASE, { key });
      assert.deepEqual([theirs.body, theirs.headers['x-total-count']], [[], '0']);
      const detail = await api.call('GET', `${BASE}/${id}`);
      assert.deepEqual(detail.body, { id, created_at, updated_at, ...rest, delivery_attempts: [] });
      assert.equal((await api.call('GET', `${BASE}/nothing`)).status, 404);
    });

    it('[WHK-01] a subscription is made disabled where the request says so', async () => {
      const off = await made({ disabled: true });
      assert.deepEqual(
        [off.disabled, off.disabled_at, off.disabled_reason],
        [true, off.created_at, null],
      );
      const { body: on } = await api.call('PATCH', `${BASE}/${off.id}`, {
        body: { disabled: false },
      });
      assert.deepEqual([on.disabled, on.disabled_at], [false, null]);
      assert.equal((await made({ disabled: false })).disabled, false);
    });

    it('[WHK-03] an event type that is given twice is stored once', async () => {
      const twice = ['sync.failed', 'collection.created', 'sync.failed'];
      const created = await made({ event_types: twice });
      assert.deepEqual(created.filter_types, ['sync.failed', 'collection.created']);
      const path = `${BASE}/${created.id}`;
      const { body } = await api.call('PATCH', path, { body: { event_types: twice.slice(1) } });
      assert.deepEqual(body.filter_types, ['collection.created', 'sync.failed']);
    });

    it('[WHK-03] [WHK-04] [WHK-05] [WHK-07] [WHK-27] invalid event types, secrets and URLs are refused', async () => {
      const bad = [
        { url: undefined },
        { event_types: undefined },
        { event_types: [] },
        { event_types: ['sync.exploded'] },
        { event_types: ['test'] },
        { secret: 'x'.repeat(23) },
        { secret: `whsec_${'x'.repeat(23)}` },
        { url: 'http://hooks.example.com/' },
        { url: 'http://127.0.0.1:8080/' },
        { url: 'https://127.0.0.1/' },
        { url: 'https://2130706433/' },
        { url: 'https://[::ffff:10.0.0.1]/' },
        { url: 'https://user:password@example.com/' },
        { url: 'hooks.example.com' },
        { colour: 'red' },
      ];
      for (const body of bad) assert.equal((await create(body)).status, 422, JSON.stringify(body));
      const { id } = await made();
      for (const body of [{ event_types: ['sync.exploded'] }, { url: 'https://10.0.0.1/' }]) {
        assert.equal((await api.call('PATCH', `${BASE}/${id}`, { body })).status, 422);
      }
      for (const type of EVENT_TYPES) await made({ event_types: [type] });
    });

    it('[WHK-02] [WHK-05] [WHK-06] the secret is shown only on request, and not to a key with the role read', async () => {
      const generated = await made();
      assert.match(await secretOf(generated.id), /^whsec_[A-Za-z0-9+/]{43}=$/);
      const text = 'a secret of 24 letters !';
      const custom = await made({ secret: text });
      const stored = await secretOf(custom.id);
      assert.equal(stored, `whsec_${Buffer.from(text).toString('base64')}`);
      const path = `${BASE}/${custom.id}`;
      const answers = [
        custom,
        (await api.call('GET', BASE)).body,
        (await api.call('GET', path)).body,
        (await api.call('GET', `${path}?include_secret=false`)).body,
        (await api.call('PATCH', path, { body: { description: 'x' } })).body,
        (await api.call('POST', `${path}/rotate-secret`)).body,
      ];
      for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), /secret|whsec/);
      assert.notEqual(await secretOf(custom.id), stored);
      const key = await api.keyOf('read');
      assert.equal((await api.call('GET', `${path}?include_secret=true`, { key })).status, 403);
      assert.equal((await api.call('GET', path, { key })).status, 200);
      const removed = await api.call('DELETE', path);
      assert.doesNotMatch(JSON.stringify(removed.body), /whsec/);
      const rows = await api.db.selectFrom('webhook_subscriptions').selectAll().execute();
      assert.doesNotMatch(JSON.stringify(rows), /whsec/);
    });

    it('[WHK-10] [WHK-12] PATCH changes only the given fields, and DELETE deletes the subscription once', async () => {
      const { id, ...before } = await made();
      const path = `${BASE}/${id}`;
      const patched = await api.call('PATCH', path, {
        body: { url: 'https://other.example.com/' },
      });
      assert.equal(patched.body.url, 'https://other.example.com/');
      assert.deepEqual(patched.body.filter_types, before.filter_types);
      const disabled = await api.call('PATCH', path, { body: { disabled: true } });
      assert.deepEqual(
        [disabled.body.disabled, disabled.body.disabled_reason, disabled.body.url],
        [true, null, 'https://other.example.com/'],
      );
      const since = '2026-01-01T00:00:00Z';
      for (const body of [{ recover_since: since }, { disabled: true, recover_since: since }])
        assert.equal((await api.call('PATCH', path, { body })).status, 422);
      assert.equal((await api.call('POST', `${path}/recover`, { body: { since } })).status, 409);
      assert.equal((await api.call('POST', `${path}/test`)).status, 409);
      const enabled = await api.call('PATCH', path, { body: { disabled: false } });
      assert.deepEqual([enabled.body.disabled, enabled.body.disabled_at], [false, null]);
      const deletions = await Promise.all([1, 2].map(() => api.call('DELETE', path)));
      assert.deepEqual(deletions.map(({ status }) => status).toSorted(), [200, 404]);
      assert.equal(deletions.find(({ status }) => status === 200)?.body.id, id);
      for (const [method, url] of [
        ['GET', path],
        ['PATCH', path],
        ['DELETE', path],
        ['POST', `${path}/test`],
        ['POST', `${path}/rotate-secret`],
      ] as const)
        assert.equal(
          (await api.call(method, url, method === 'PATCH' ? { body: {} } : {})).status,
          404,
        );
    });

    it('[WHK-13] [WHK-14] [WHK-25] a recovery is a task whose status can be requested', async () => {
      const { id } = await made();
      const ask = (body: object) => api.call('POST', `${BASE}/${id}/recover`, { body });
      assert.equal((await ask({})).status, 422);
      const [since, until] = ['2026-01-02T00:00:00Z', '2026-01-01T23:59:59Z'];
      assert.equal((await ask({ since, until })).status, 422);
      const ofZone = { since, until: '2026-01-02T00:30:00+01:00' };
      assert.equal(
        (await ask(ofZone)).status,
        422,
        'in UTC, this until is half an hour before since',
      );
      const { status, body: task } = await ask({ since, until: since });
      assert.deepEqual([status, task.status, task.messages], [202, 'running', 0]);
      const seen = await api.call('GET', `${BASE}/${id}/recover/${task.id}`);
      assert.deepEqual([seen.status, seen.body], [200, task]);
      assert.equal((await api.call('GET', `${BASE}/${id}/recover/${id}`)).status, 404);
    });

    it('[WHK-16] [WHK-17] [WHK-18] [WHK-24] messages exist without subscriptions, and can be filtered by type', async () => {
      const body = { name: 'Somewhere', readable_id: `somewhere-${database.name}` };
      await api.call('POST', '/v1/collections', { body });
      await api.call('PATCH', `/v1/collections/${body.readable_id}`, { body: { name: 'Else' } });
      await api.call('DELETE', `/v1/collections/${body.readable_id}`);
      const list = async (query: string) => {
        const { status, body } = await api.call('GET', `/v1/webhooks/messages${query}`);
        assert.equal(status, 200, JSON.stringify(body));
        return body.map((one: { event_type: string }) => one.event_type);
      };
      const [created, updated, deleted] = ['created', 'updated', 'deleted'].map(
        (what) => `collection.${what}`,
      );
      assert.deepEqual(await list(''), [deleted, updated, created]);
      assert.deepEqual(await list(`?event_types=${updated}`), [updated]);
      assert.deepEqual(await list(`?event_types=${updated}&event_types=${created}`), [
        updated,
        created,
      ]);
      assert.deepEqual(await list('?event_types=sync.failed'), []);
      const some = await api.call('GET', `/v1/webhooks/messages?event_types=${updated}`);
      assert.equal(some.headers['x-total-count'], '1');
      const unknown = await api.call('GET', '/v1/webhooks/messages?event_types=nothing');
      assert.equal(unknown.status, 422);

      const [message] = (await api.call('GET', '/v1/webhooks/messages?limit=1')).body;
      assert.deepEqual(message.channels, [body.readable_id]);
      assert.equal(message.tags, null);
      assert.equal(message.payload.timestamp, message.timestamp);
      const path = `/v1/webhooks/messages/${message.id}`;
      assert.deepEqual((await api.call('GET', path)).body, message);
      assert.deepEqual((await api.call('GET', `${path}?include_attempts=true`)).body, {
        ...message,
        delivery_attempts: [],
      });
      assert.equal((await api.call('GET', '/v1/webhooks/messages/none')).status, 404);
    });

    it('[WHK-15] [WHK-26] a test message is stored like every message, even if the subscription does not want its type', async () => {
      const { id } = await made({ event_types: ['sync.failed'] });
      const { status, body: message } = await api.call('POST', `${BASE}/${id}/test`);
      assert.deepEqual([status, message.event_type, message.channels], [202, 'test', []]);
      const stored = await api.call(
        'GET',
        `/v1/webhooks/messages/${message.id}?include_attempts=true`,
      );
      const [attempt] = stored.body.delivery_attempts;
      assert.deepEqual([attempt.status, attempt.endpoint_id, attempt.url], ['pending', id, URL_OK]);
      const { body: detail } = await api.call('GET', `${BASE}/${id}`);
      assert.deepEqual([detail.delivery_attempts, detail.health_status], [[attempt], 'unknown']);
    });

    it('[WHK-27] an organization has at most 100 subscriptions, even when many are created at the same time', async () => {
      const now = Date.now();
      const { organizationId } = await api.owner();
      const row = (i: number) => ({
        id: `s${i}`,
        organization_id: organizationId,
        url: URL_OK,
        filter_types: '[]',
        secret: sealedText(''),
        secret_key: '',
        created_at: now,
        modified_at: now,
      });
      const rows = Array.from({ length: 98 }, (_, i) => row(i));
      await api.db.insertInto('webhook_subscriptions').values(rows).execute();
      const answers = await Promise.all(Array.from({ length: 5 }, () => create()));
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [200, 200, 409, 409, 409]);
    });
  });
}
