/** Tests webhooks through every layer, from a change in the service to the request at the endpoint. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
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

    /** Makes a subscription with a path of its own. */
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
        /** Waits until this number of attempts has ended. */
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

    it('[DLV-01] [DLV-02] [DLV-03] [DLV-04] [DLV-05] [DLV-07] [EVT-17] [WHK-18] [WHK-19] a change sends one signed message', async () => {
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
        event_type: 'collection.created',
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

    it('[DLV-11] [DLV-15] a failed delivery waits for its next attempt', async () => {
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

    it('[EVT-02] [EVT-11] [EVT-14] sync.completed has the counts of the job, and its records can be found when it arrives', async () => {
      const collection = await makeCollection();
      const found: Promise<string[]>[] = [];
      receiver.react((response, received, count) => {
        if (received.body.includes('sync.completed'))
          found.push(quarry.find(collection.readable_id, 'zebra'));
        ok(response, received, count);
      });
      const hook = await subscribe(['sync.pending', 'sync.running', 'sync.completed']);
      const connection = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: collection.readable_id,
      });
      await quarry.ok('POST', `/v1/source-connections/${connection.id}/entities`, {
        entities: [{ entity_id: 'z', name: 'Zebra', text: 'A zebra has stripes.' }],
      });
      const job = await quarry.settled(connection.id);
      const received = await hook.gets(3);
      const payloads = received.map(({ body }) => JSON.parse(body));
      assert.deepEqual(payloads.map(({ event_type }) => event_type).toSorted(), [
        'sync.completed',
        'sync.pending',
        'sync.running',
      ]);
      const completed = payloads.find(({ event_type }) => event_type === 'sync.completed');
      assert.deepEqual(
        [completed.sync_job_id, completed.job_id, completed.status, completed.error],
        [job.id, job.id, 'COMPLETED', null],
      );
      assert.deepEqual(
        [completed.entities_inserted, completed.entities_deleted],
        [job.entities_inserted, job.entities_deleted],
      );
      assert.deepEqual(await Promise.all(found), [['z__chunk_0']]);
      await hook.remove();
    });

    it('[WHK-15] [WHK-26] a test message is sent for every filter, and counts for the health of the endpoint', async () => {
      const hook = await subscribe(['sync.failed']);
      const message = await quarry.ok('POST', `${hook.subscription}/test`);
      const [received] = await hook.gets(1);
      assert.deepEqual(
        [received?.id, JSON.parse(received?.body ?? '')],
        [message.id, message.payload],
      );
      await hook.attempts(1);
      assert.equal((await hook.detail()).health_status, 'healthy');
      await hook.remove();
    });

    it('[WHK-11] [WHK-13] [WHK-14] [WHK-25] a recovery delivers the missed messages of [since, until), each once', async () => {
      const hook = await subscribe();
      await quarry.ok('PATCH', hook.subscription, { disabled: true });
      for (let i = 0; i < 4; i++) await makeCollection();
      const missed = (await quarry.ok('GET', '/v1/webhooks/messages?limit=4')).reverse();
      await quarry.ok('PATCH', hook.subscription, { disabled: false });
      assert.deepEqual(hook.got(), []);
      const [, since, , end] = missed.map(({ timestamp }: { timestamp: string }) => timestamp);
      const recover = async (body: object) => {
        const task = await quarry.ok('POST', `${hook.subscription}/recover`, body);
        return until(async () => {
          const now = await quarry.ok('GET', `${hook.subscription}/recover/${task.id}`);
          return now.status === 'completed' ? now : undefined;
        });
      };
      const wanted = missed.filter(
        ({ timestamp }: { timestamp: string }) => timestamp >= since && timestamp < end,
      );
      const range = { since, until: end };
      assert.equal((await recover(range)).messages, wanted.length);
      await hook.gets(wanted.length);
      await hook.attempts(wanted.length);
      assert.equal((await recover(range)).messages, 0);
      await recover({ since: missed[0].timestamp });
      const all = await hook.gets(missed.length);
      const ids = missed.map(({ id }: { id: string }) => id);
      assert.deepEqual(all.map(({ id }) => id).toSorted(), ids.toSorted());
      await hook.remove();
    });

    it('[WHK-12] a deleted subscription gets no more messages, and its rows are removed', async () => {
      receiver.react(answer(500));
      const hook = await subscribe();
      await makeCollection();
      await hook.attempts(1);
      await hook.remove();
      await makeCollection();
      const rows = () =>
        test.db
          .selectFrom('webhook_deliveries')
          .select('state')
          .where('subscription_id', '=', hook.id)
          .execute();
      await until(async () => ((await rows()).length === 0 ? true : undefined));
      assert.equal(hook.got().length, 1);
    });
  });
}
