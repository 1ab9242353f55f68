/** Plays days of deliveries to a real endpoint, on a clock that the test moves. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Ctx } from '../../context.ts';
import { DELAYS } from '../../webhooks/deliver/schedule.ts';
import { recover } from '../../webhooks/recover.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openPost, type Post } from './post.ts';
import { answer, hang, ok, type Receiver, startReceiver } from './receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

for (const database of DATABASES) {
  describe(`deliveries over time on ${database.name}`, () => {
    let post: Post;
    let receiver: Receiver;
    let ctx: Ctx;
    before(async () => {
      post = openPost(await database.open());
      receiver = await startReceiver();
    });
    after(async () => {
      await post.close();
      await receiver.close();
    });
    beforeEach(async () => {
      post.rewind();
      ctx = await post.organization();
      post.start();
      receiver.react(ok);
    });
    afterEach(() => {
      receiver.cut();
      return post.stopAll();
    });

    let made = 0;
    const subscribe = async () => {
      const path = `/${database.name}-${made++}`;
      const { id } = await post.subscribe(ctx, receiver.url + path);
      return { id, path };
    };
    const detail = (id: string) => post.webhooks.get(ctx, id, false);
    const ended = async (id: string) =>
      (await detail(id)).delivery_attempts.filter(({ status }) => status !== 'pending');
    const untilEnded = (id: string, count: number) =>
      until(async () => (await ended(id)).length >= count);
    /** Moves the clock to the time at which the next delivery is due, and waits until its attempt has ended. */
    async function nextAttempt(id: string): Promise<number> {
      const before = (await ended(id)).length;
      const waiting = (await post.deliveries(id)).filter(({ state }) => state === 'PENDING');
      const wait = Math.min(...waiting.map(({ due_at }) => due_at)) - post.now();
      post.pass(Math.max(0, wait));
      await untilEnded(id, before + 1);
      return wait;
    }

    it('[DLV-09] [DLV-10] [WHK-19] a failing delivery is tried at the times of the schedule, and then has the state FAILED', async () => {
      receiver.react(answer(500));
      const { id, path } = await subscribe();
      const [message] = await post.tell(ctx);
      await untilEnded(id, 1);
      for (const [index, delay] of DELAYS.entries()) {
        const { delivery_attempts } = await detail(id);
        assert.deepEqual(
          delivery_attempts.map(({ status }) => status),
          ['pending', ...Array(index + 1).fill('failed')],
        );
        const wait = await nextAttempt(id);
        assert.ok(wait > delay * 0.9 - 2000 && wait < delay * 1.1, `${wait} for ${delay}`);
      }
      const [delivery] = await post.deliveries(id);
      assert.deepEqual([delivery?.state, delivery?.attempts], ['FAILED', 7]);
      post.pass(30 * HOUR);
      assert.deepEqual(
        receiver.at(path).map((one) => one.id),
        Array(7).fill(message),
      );
      assert.equal((await detail(id)).health_status, 'failing');
    });

    it('[DLV-09] [DLV-11] after hours of downtime, every message is delivered once', async () => {
      let isUp = false;
      receiver.react((response) => response.writeHead(isUp ? 204 : 503).end());
      const { id, path } = await subscribe();
      const messages = await post.tell(ctx, 10);
      for (let hour = 0; hour < 6; hour++) {
        await until(async () =>
          (await post.deliveries(id)).every(({ due_at }) => due_at > post.now()),
        );
        messages.push(...(await post.tell(ctx, 5)));
        post.pass(HOUR);
      }
      isUp = true;
      const seen = receiver.at(path).length;
      await until(async () => {
        const rows = await post.deliveries(id);
        if (rows.every(({ state }) => state === 'DELIVERED')) return true;
        post.pass(10 * MINUTE);
        return false;
      });
      const arrived = receiver.at(path).slice(seen);
      const late = receiver.at(path).map((one) => one.id);
      assert.deepEqual([...new Set(late)].toSorted(), messages.toSorted());
      assert.ok(arrived.length >= messages.length - seen);
      const successes = await post.db
        .selectFrom('webhook_attempts')
        .select('message_id')
        .where('subscription_id', '=', id)
        .where('status', '=', 'success')
        .execute();
      assert.deepEqual(successes.map((one) => one.message_id).toSorted(), messages.toSorted());
    });

    it('a delivery that a dead worker has claimed is sent by another worker after its lease has ended', async () => {
      receiver.react(hang);
      const { id, path } = await subscribe();
      const [message] = await post.tell(ctx);
      await until(() => receiver.at(path).length === 1);
      // The changed row looks as if the worker had been killed: the lease stays, and the
      // worker records nothing.
      await post.db
        .updateTable('webhook_deliveries')
        .set({ lease_token: 'of the dead' })
        .where('subscription_id', '=', id)
        .execute();
      post.start();
      receiver.react(ok);
      post.pass(59_000);
      const fresh = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(fresh.path).length === 1);
      assert.equal(receiver.at(path).filter((one) => one.id === message).length, 1);
      post.pass(2000);
      await until(async () => (await post.deliveries(id))[0]?.state === 'DELIVERED');
      assert.equal(receiver.at(path).filter((one) => one.id === message).length, 2);
    });

    it('a delivery that a dead worker has claimed before the clock was set back is sent again soon', async () => {
      post.pass(HOUR);
      receiver.react(hang);
      const { id, path } = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(path).length === 1);
      await post.db
        .updateTable('webhook_deliveries')
        .set({ lease_token: 'of the dead' })
        .where('subscription_id', '=', id)
        .execute();
      let looks = 0;
      const clock = async () => {
        looks++;
        return post.now();
      };
      post.start({ clock });
      await until(() => looks > 1);
      receiver.react(ok);
      post.rewind();
      await until(async () => (await post.deliveries(id))[0]?.state === 'DELIVERED');
      assert.equal(receiver.at(path).length, 2);
    });

    it('a worker whose delivery another one has made meanwhile records no failure', async () => {
      const { promise: asked, resolve: release } = Promise.withResolvers<void>();
      receiver.react(async (...all) => {
        await asked;
        return answer(500)(...all);
      });
      const { id, path } = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(path).length === 1);
      await post.db
        .updateTable('webhook_deliveries')
        .set({ lease_token: null, state: 'DELIVERED' })
        .where('subscription_id', '=', id)
        .execute();
      release();
      await post.stopAll();
      assert.deepEqual(await ended(id), []);
      const { failing_since } = await post.db
        .selectFrom('webhook_subscriptions')
        .select('failing_since')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(failing_since, null);
    });

    it('[WHK-11] [WHK-25] a delivery in progress is sent once, even if its subscription is disabled and enabled again', async () => {
      const { promise: asked, resolve: release } = Promise.withResolvers<void>();
      receiver.react(async (...all) => {
        await asked;
        return ok(...all);
      });
      const { id, path } = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(path).length === 1);
      const recover_since = new Date(Date.now() - MINUTE).toISOString();
      await post.webhooks.update(ctx, id, { disabled: true });
      await post.webhooks.update(ctx, id, { disabled: false, recover_since });
      // This worker does not know which delivery the first worker has in progress.
      post.start();
      await post.recoverAll();
      const later = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(later.path).length === 1);
      release();
      await untilEnded(id, 2);
      assert.equal(new Set(receiver.at(path).map((one) => one.id)).size, 2);
      assert.equal(receiver.at(path).length, 2);
    });

    if (isSmokeEnough(database)) return;

    it('[DLV-14] [WHK-11] [WHK-25] five days with only failures disable a subscription, and its missed messages are recovered', async () => {
      receiver.react(answer(500));
      const { id, path } = await subscribe();
      const missed: string[] = [];
      const since = new Date(Date.now() - 1000).toISOString();
      for (let day = 0; !(await detail(id)).disabled; day++) {
        assert.ok(day < 8, 'the subscription is never disabled');
        if (day < 5) assert.equal((await detail(id)).disabled_reason, null);
        missed.push(...(await post.tell(ctx)));
        await untilEnded(id, 7 * day + 1);
        for (let attempt = 2; attempt <= 7; attempt++) await nextAttempt(id);
        post.pass(6 * HOUR);
      }
      const { disabled, disabled_reason, disabled_at } = await detail(id);
      assert.deepEqual(
        [disabled, disabled_reason],
        [true, 'Every attempt has failed for five days.'],
      );
      assert.ok(Date.parse(disabled_at ?? '') > Date.now() + 5 * DAY - MINUTE);
      // These messages are emitted while the subscription is disabled.
      missed.push(...(await post.tell(ctx, 3)));
      receiver.react(ok);
      const before = receiver.at(path).length;
      await post.webhooks.update(ctx, id, { disabled: false });
      await post.recoverAll();
      assert.equal(receiver.at(path).length, before);
      await post.webhooks.update(ctx, id, { recover_since: since });
      await post.recoverAll();
      await until(() => receiver.at(path).length >= before + missed.length);
      await post.webhooks.recover(ctx, id, { since });
      await post.recoverAll();
      const last = await post.tell(ctx);
      await until(() => receiver.at(path).length > before + missed.length);
      assert.deepEqual(
        receiver
          .at(path)
          .slice(before)
          .map((one) => one.id)
          .toSorted(),
        [...missed, ...last].toSorted(),
      );
    });

    it('[DLV-14] a subscription with one success among its failures is not disabled', async () => {
      receiver.react((response, { body }) =>
        response.writeHead(body.includes('number 1') ? 200 : 500).end(),
      );
      const { id } = await subscribe();
      for (let day = 0; day < 7; day++) {
        const attempts = (await ended(id)).length;
        await post.tell(ctx, 2);
        await untilEnded(id, attempts + 2);
        for (let attempt = 2; attempt <= 7; attempt++) await nextAttempt(id);
        post.pass(6 * HOUR);
      }
      assert.equal((await detail(id)).disabled, false);
    });

    it('[DLV-13] an answer with status 410 disables the subscription at once, with the reason', async () => {
      receiver.react(answer(410));
      const { id, path } = await subscribe();
      const [gone] = await post.tell(ctx);
      await until(async () => (await detail(id)).disabled);
      const { disabled_reason, delivery_attempts } = await detail(id);
      assert.equal(disabled_reason, 'The endpoint answered 410 Gone.');
      assert.equal(delivery_attempts.length, 1);
      const { disabled_at } = await detail(id);
      const renamed = await post.webhooks.update(ctx, id, { description: 'no more' });
      assert.deepEqual(
        [renamed.disabled_at, renamed.disabled_reason],
        [disabled_at, disabled_reason],
      );
      await post.tell(ctx, 2);
      post.pass(3 * DAY);
      const other = await subscribe();
      receiver.react(ok);
      const [later] = await post.tell(ctx);
      await until(() => receiver.at(other.path).length === 1);
      assert.deepEqual(
        receiver.at(path).map((one) => one.id),
        [gone],
      );
      assert.deepEqual(
        receiver.at(other.path).map((one) => one.id),
        [later],
      );
      const enabled = await post.webhooks.update(ctx, id, { disabled: false });
      assert.deepEqual([enabled.disabled_at, enabled.disabled_reason], [null, null]);
    });

    it('[DLV-14] failures at an earlier URL of the subscription do not disable it', async () => {
      receiver.react(answer(500));
      const { id, path } = await subscribe();
      await post.tell(ctx);
      await untilEnded(id, 1);
      post.pass(5 * DAY);
      await untilEnded(id, 2);
      await post.webhooks.update(ctx, id, { url: `${receiver.url}${path}-new` });
      for (let attempt = 3; attempt <= 7; attempt++) await nextAttempt(id);
      assert.deepEqual(
        (await post.deliveries(id)).map(({ state }) => state),
        ['FAILED'],
      );
      assert.equal((await detail(id)).disabled, false);
    });

    it('[DLV-13] an answer of an earlier URL has no effect on the new URL', async () => {
      for (const react of [answer(410), answer(503, { 'retry-after': '3000' })]) {
        const { promise: asked, resolve: release } = Promise.withResolvers<void>();
        let isAsked = false;
        receiver.react(async (...all) => {
          isAsked = true;
          await asked;
          return react(...all);
        });
        const { id, path } = await subscribe();
        const [message] = await post.tell(ctx);
        await until(async () => isAsked);
        await post.webhooks.update(ctx, id, { url: `${receiver.url}${path}-new` });
        receiver.react(ok);
        release();
        await untilEnded(id, 1);
        assert.equal((await detail(id)).disabled, false);
        const [later] = await post.tell(ctx);
        await untilEnded(id, 2);
        await nextAttempt(id);
        assert.deepEqual(
          receiver.at(`${path}-new`).map((one) => one.id),
          [later, message],
        );
        assert.equal((await detail(id)).health_status, 'degraded');
      }
    });

    it('[WHK-11] [WHK-25] disabling a subscription stops its waiting deliveries, and only a recovery sends them', async () => {
      receiver.react(answer(500));
      const { id, path } = await subscribe();
      const since = new Date(Date.now() - 1000).toISOString();
      await post.tell(ctx, 2);
      await untilEnded(id, 2);
      await post.webhooks.update(ctx, id, { disabled: true });
      const states = async () => (await post.deliveries(id)).map(({ state }) => state);
      assert.deepEqual(await states(), ['STOPPED', 'STOPPED']);
      // The changed rows look as if a message had been emitted while an answer with
      // status 410 disabled the subscription.
      await post.db
        .updateTable('webhook_deliveries')
        .set({ state: 'PENDING' })
        .where('subscription_id', '=', id)
        .execute();
      receiver.react(ok);
      await post.webhooks.update(ctx, id, { disabled: false });
      assert.deepEqual(await states(), ['STOPPED', 'STOPPED']);
      // The changed rows look as if a worker had died with them. The subscription is
      // disabled first, because a live worker would claim the rows.
      await post.webhooks.update(ctx, id, { disabled: true });
      await post.db
        .updateTable('webhook_deliveries')
        .set({ state: 'PENDING', lease_token: 'of the dead', due_at: 1 })
        .where('subscription_id', '=', id)
        .execute();
      await post.webhooks.update(ctx, id, { disabled: true });
      assert.deepEqual(await states(), ['STOPPED', 'STOPPED']);
      await post.webhooks.update(ctx, id, { disabled: false });
      await post.webhooks.recover(ctx, id, { since });
      await post.recoverAll();
      await until(async () => (await states()).every((state) => state === 'DELIVERED'));
      assert.equal(receiver.at(path).length, 4);
    });

    it('[WHK-25] a recovered delivery is tried as often as a new one', async () => {
      receiver.react(answer(500));
      const { id } = await subscribe();
      await post.tell(ctx);
      await untilEnded(id, 1);
      await post.db
        .updateTable('webhook_deliveries')
        .set({ state: 'FAILED', attempts: DELAYS.length + 1 })
        .where('subscription_id', '=', id)
        .execute();
      await post.webhooks.recover(ctx, id, { since: new Date(Date.now() - MINUTE).toISOString() });
      await post.recoverAll();
      await untilEnded(id, 2);
      const [delivery] = await post.deliveries(id);
      assert.deepEqual([delivery?.state, delivery?.attempts], ['PENDING', 1]);
    });

    it('[WHK-25] a recovery that has ended does not recover later messages', async () => {
      const { id } = await subscribe();
      const since = new Date(Date.now() - MINUTE).toISOString();
      const task = await post.webhooks.recover(ctx, id, { since });
      await post.recoverAll();
      await post.webhooks.update(ctx, id, { disabled: true });
      await post.tell(ctx);
      await post.webhooks.update(ctx, id, { disabled: false });
      // The recovery runs again, as if a worker had died before the end of its job.
      await recover(post, task.id, new AbortController().signal);
      assert.deepEqual(await post.deliveries(id), []);
    });

    for (const [what, changes] of [
      ['has another address', [{ url: '-new' }]],
      ['was disabled', [{ disabled: true }, { disabled: false }]],
    ] as const)
      it(`an endpoint that ${what} during its pause gets the next message at once`, async () => {
        receiver.react(answer(429, { 'retry-after': '600' }));
        const { id, path } = await subscribe();
        await post.tell(ctx);
        await untilEnded(id, 1);
        receiver.react(ok);
        for (const change of changes) {
          const url = 'url' in change ? `${receiver.url}${path}${change.url}` : undefined;
          await post.webhooks.update(ctx, id, { ...change, url });
        }
        await post.tell(ctx);
        await untilEnded(id, 2);
      });

    it('an endpoint that answers 429 gets no delivery until Retry-After has passed', async () => {
      receiver.react(answer(429, { 'retry-after': '600' }));
      const { id, path } = await subscribe();
      await post.tell(ctx);
      await untilEnded(id, 1);
      receiver.react(ok);
      await post.tell(ctx);
      const other = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(other.path).length === 1);
      post.pass(9 * MINUTE);
      const again = await subscribe();
      await post.tell(ctx);
      await until(() => receiver.at(again.path).length === 1);
      assert.equal(receiver.at(path).length, 1);
      post.pass(MINUTE);
      await until(() => receiver.at(path).length === 5);
    });

    it('an endpoint whose rest a clock has written that was a year ahead gets the next message', async () => {
      const { id, path } = await subscribe();
      const restUntil = () =>
        post.db
          .selectFrom('webhook_subscriptions')
          .select('rest_until')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
      const ahead = { rest_until: post.now() + 365 * DAY };
      await post.db.updateTable('webhook_subscriptions').set(ahead).where('id', '=', id).execute();
      receiver.react(answer(429, { 'retry-after': '600' }));
      await post.tell(ctx);
      await untilEnded(id, 1);
      assert.equal(receiver.at(path).length, 1);
      assert.ok((await restUntil()).rest_until <= post.now() + 10 * MINUTE, 'its own rest counts');
    });

    /** Returns the number of signatures of the next delivery to the path. */
    const signatures = async (path: string) => {
      const before = receiver.at(path).length;
      await post.tell(ctx);
      await until(() => receiver.at(path).length > before);
      return receiver.at(path).at(-1)?.headers['webhook-signature']?.split(' ').length;
    };

    it('[WHK-22] [DLV-08] a rotated secret signs for one more day, beside the new secret', async () => {
      const { id, path } = await subscribe();
      await post.webhooks.rotateSecret(ctx, id);
      await post.webhooks.rotateSecret(ctx, id);
      assert.equal(await signatures(path), 3);
      post.pass(23 * HOUR);
      assert.equal(await signatures(path), 3);
      post.pass(HOUR + MINUTE);
      assert.equal(await signatures(path), 1);
    });

    it('[WHK-22] at most ten rotated secrets sign beside the new secret', async () => {
      const { id, path } = await subscribe();
      for (let i = 0; i < 12; i++) await post.webhooks.rotateSecret(ctx, id);
      assert.equal(await signatures(path), 11);
    });
  });
}
