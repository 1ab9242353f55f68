/** Tests how the API shows attempts that have ended and attempts that are planned. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../util.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';

const BASE = '/v1/webhooks/subscriptions';
const URL_OK = 'https://hooks.example.com/in';

for (const database of DATABASES) {
  describe(`attempts over the API on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    async function subscribe(): Promise<string> {
      const body = { url: URL_OK, event_types: ['sync.completed'] };
      return (await api.call('POST', BASE, { body })).body.id;
    }
    /** Makes a message for only this subscription, with an attempt that is due at the given time. */
    async function message(subscription: string, dueAt: number): Promise<string> {
      const { id } = (await api.call('POST', `${BASE}/${subscription}/test`)).body;
      const { seq } = await api.db
        .selectFrom('events')
        .select('seq')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await api.db
        .updateTable('webhook_deliveries')
        .set({ due_at: dueAt })
        .where('event_seq', '=', seq)
        .execute();
      return id;
    }
    /** Inserts attempts with these statuses, the oldest first. */
    async function attempted(
      subscription: string,
      messageId: string,
      statuses: readonly ('success' | 'failed')[],
    ): Promise<string[]> {
      const { organizationId } = await api.owner();
      const rows = statuses.map((status) => ({
        id: newId(),
        organization_id: organizationId,
        subscription_id: subscription,
        message_id: messageId,
        status,
        response: '',
        response_status_code: 0,
        error: null,
        url: URL_OK,
        duration_ms: 1,
        created_at: Date.now(),
      }));
      await api.db.insertInto('webhook_attempts').values(rows).execute();
      return rows.map(({ id }) => id);
    }
    const detail = async (id: string) => (await api.call('GET', `${BASE}/${id}`)).body;
    const shown = (attempts: readonly { id: string; status: string; message_id: string }[]) =>
      attempts.map(({ id, status, message_id }) => (status === 'pending' ? message_id : id));
    const ofMessage = async (id: string) =>
      shown(
        (await api.call('GET', `/v1/webhooks/messages/${id}?include_attempts=true`)).body
          .delivery_attempts,
      );

    it('[WHK-19] planned attempts come before ended attempts, each with the newest first', async () => {
      const id = await subscribe();
      const soon = await message(id, 1_000);
      const late = await message(id, 3_000);
      const next = await message(id, 2_000);
      const delivered = await message(id, 4_000);
      const [first, second] = await attempted(id, delivered, ['failed', 'success']);
      const [other] = await attempted(id, soon, ['failed']);
      await api.db
        .updateTable('webhook_deliveries')
        .set({ state: 'DELIVERED' })
        .where('due_at', '=', 4_000)
        .execute();
      const all = [late, next, soon, other, second, first];
      assert.deepEqual(shown((await detail(id)).delivery_attempts), all);
      assert.deepEqual(await ofMessage(delivered), [second, first]);
      assert.deepEqual(await ofMessage(soon), [soon, other]);
    });

    it('[WHK-19] an attempt says the type of its message, as long as the message is kept', async () => {
      const id = await subscribe();
      const waiting = await message(id, 1_000);
      await attempted(id, waiting, ['failed']);
      await attempted(id, newId(), ['failed']);
      const { delivery_attempts } = await detail(id);
      assert.deepEqual(
        delivery_attempts.map((one: { status: string; event_type: string | null }) => [
          one.status,
          one.event_type,
        ]),
        [
          ['pending', 'test'],
          ['failed', null],
          ['failed', 'test'],
        ],
      );
    });

    it('[WHK-11] a disabled subscription has no planned attempts', async () => {
      const id = await subscribe();
      const waiting = await message(id, 1_000);
      assert.deepEqual(await ofMessage(waiting), [waiting]);
      // The service does the same when an endpoint answers 410 while another message is in
      // progress.
      const subscription = api.db.updateTable('webhook_subscriptions').where('id', '=', id);
      await subscription.set({ disabled_at: 1 }).execute();
      assert.deepEqual(await ofMessage(waiting), []);
      assert.deepEqual((await detail(id)).delivery_attempts, []);
    });

    it('[WHK-19] a subscription shows its newest 100 attempts', async () => {
      const id = await subscribe();
      const waiting = await message(id, 1_000);
      const ended = await attempted(id, waiting, Array(101).fill('success'));
      assert.deepEqual(shown((await detail(id)).delivery_attempts), [
        waiting,
        ...ended.reverse().slice(0, 99),
      ]);
    });

    for (const [older, newest, health] of [
      [['failed', 'failed'], Array(10).fill('success'), 'healthy'],
      [['failed'], Array(9).fill('success'), 'degraded'],
      [Array(7).fill('success'), Array(3).fill('failed'), 'failing'],
      [Array(3).fill('failed'), ['success'], 'degraded'],
    ] as const)
      it(`[DLV-15] health is ${health} after ${older.length} ${older[0]}, then ${newest.length} ${newest[0]}`, async () => {
        const id = await subscribe();
        await attempted(id, newId(), [...older, ...newest]);
        assert.equal((await detail(id)).health_status, health);
        const list = (await api.call('GET', BASE)).body;
        const [one] = list.filter((other: { id: string }) => other.id === id);
        assert.equal(one.health_status, health);
      });
  });
}
