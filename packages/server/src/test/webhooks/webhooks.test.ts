/** Webhooks from the change to the endpoint, through every layer. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { openTestQuarry, type TestQuarry, until } from '../app/quarry.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { answer, ok, type Receiver, startReceiver } from './receiver.ts';

const SUBSCRIPTIONS = '/v1/webhooks/subscriptions';

for (const database of DATABASES) {
  describe(`webhooks on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    let receiver: Receiver;
    let made = 0;
    before(async () => {
      test = await database.open();
      quarry = await openTestQuarry(test, { env: { QUARRY_ALLOW_LOOPBACK: 'true' } });
      receiver = await startReceiver();
    });
    after(async () => {
      await quarry.close();
      await receiver.close();
    });
    beforeEach(() => receiver.react(ok));

    /** A subscription with a path of its own. */
    async function subscribe(event_types = ['collection.created'], more: object = {}) {
      const path = `/hook-${made++}`;
      const url = receiver.url + path;
      const { id } = await quarry.ok('POST', SUBSCRIPTIONS, { url, event_types, ...more });
      const subscription = `${SUBSCRIPTIONS}/${id}`;
      return {
        id,
        url,
        subscription,
        remove: () => quarry.ok('DELETE', subscription),
        got: () => receiver.at(path),
        gets: (count: number) =>
          until(async () => (receiver.at(path).length >= count ? receiver.at(path) : undefined)),
        detail: () => quarry.ok('GET', `${subscription}?include_secret=true`),
        /** Until so many attempts have ended. */
        attempts: (count: number) =>
          until(async () => {
            const { delivery_attempts } = await quarry.ok('GET', subscription);
            const ended = delivery_attempts.filter(
              ({ status }: { status: string }) => status !== 'pending',
            );
            return ended.length >= count ? ended : undefined;
          }),
      };
    }
    const makeCollection = () =>
      quarry.ok('POST', '/v1/collections', { name: 'Hooked', readable_id: `hooked-${made++}` });

    it('[DLV-01] [DLV-02] [DLV-03] [DLV-04] [DLV-05] [DLV-07] [EVT-17] [WHK-18] [WHK-19] a change arrives, signed, once', async () => {
      const hook = await subscribe();
      const collection = await makeCollection();
      const [received] = await hook.gets(1);
      assert.ok(received);
      assert.equal(received.method, 'POST');
      const { secret } = await hook.detail();
      const { body, headers } = received;
      assert.deepEqual(new StandardWebhook(secret).verify(body, headers), JSON.parse(body));
      new SvixWebhook(secret).verify(body, headers);
      assert.throws(() => new SvixWebhook(secret).verify(`${body} `, headers));
      for (const name of ['id', 'timestamp', 'signature'])
        assert.equal(received.headers[`svix-${name}`], received.headers[`webhook-${name}`]);

      const message = await quarry.ok(
        'GET',
        `/v1/webhooks/messages/${received.id}?include_attempts=true`,
      );
      assert.equal(JSON.stringify(message.payload), received.body);
      assert.deepEqual(message.channels, [collection.readable_id]);
      const [ended] = await hook.attempts(1);
      const { id, timestamp, duration_ms, ...attempt } = ended;
      assert.deepEqual(attempt, {
        message_id: received.id,
        endpoint_id: hook.id,
        status: 'success',
        response: 'thank you',
        response_status_code: 200,
        error: null,
        url: hook.url,
      });
      assert.equal(hook.got().length, 1);
      await hook.remove();
    });

    it('[DLV-11] [DLV-15] a failure waits for its next attempt', async () => {
      receiver.react(answer(500, {}, 'broken'));
      const hook = await subscribe();
      await makeCollection();
      const [failed] = await hook.attempts(1);
      assert.deepEqual(
        [failed.status, failed.response_status_code, failed.response],
        ['failed', 500, 'broken'],
      );
      const { delivery_attempts, health_status } = await hook.detail();
      assert.deepEqual(
        delivery_attempts.map(({ status }: { status: string }) => status),
        ['pending', 'failed'],
      );
      assert.equal(health_status, 'degraded');
      await hook.remove();
    });
  });
}
