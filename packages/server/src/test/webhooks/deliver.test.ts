/** Tests deliveries with many endpoints and many workers, and with endpoints that misbehave. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Ctx } from '../../context.ts';
import { cleanSubscription } from '../../webhooks/cleanup.ts';
import { trimWebhooks } from '../../webhooks/retention-store.ts';
import { selfSigned } from '../certificate.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { sealedText } from '../sealed.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openPost, type Post } from './post.ts';
import { answer, hang, ok, type Reaction, type Receiver, startReceiver } from './receiver.ts';

const DAY = 24 * 3_600_000;
/** The answer has 50 kB and unpacks to 50 MB. */
const BOMB = gzipSync(Buffer.alloc(50_000_000, 'z'));

for (const database of DATABASES) {
  describe(`deliveries on ${database.name}`, () => {
    let test: TestDatabase;
    let post: Post;
    let receiver: Receiver;
    let ctx: Ctx;
    before(async () => {
      test = await database.open();
      post = openPost(test);
      receiver = await startReceiver();
    });
    after(async () => {
      await post.close();
      await receiver.close();
    });
    beforeEach(async () => {
      ctx = await post.organization();
      receiver.react(ok);
    });

    afterEach(async () => {
      receiver.cut();
      await post.stopAll();
    });

    let made = 0;
    const subscribe = async (who = ctx) => {
      const path = `/${database.name}-${made++}`;
      const { id } = await post.subscribe(who, receiver.url + path);
      return { id, path };
    };
    const idsAt = (path: string) => receiver.at(path).map(({ id }) => id);
    const attemptsOf = async (id: string) =>
      (await post.webhooks.get(ctx, id, false)).delivery_attempts;
    /** Returns the stored first attempt at an endpoint. */
    async function firstAttempt(url: string) {
      const { id } = await post.subscribe(ctx, url);
      await post.tell(ctx);
      return until(async () => (await attemptsOf(id)).find(({ status }) => status !== 'pending'));
    }

    it('[DLV-01] [DLV-10] each delivery is sent once when several workers run', async () => {
      const hooks = await Promise.all(Array.from({ length: 6 }, () => subscribe()));
      for (let worker = 0; worker < 3; worker++) post.start();
      const messages: string[] = [];
      for (let round = 0; round < 5; round++) messages.push(...(await post.tell(ctx, 20)));
      await until(() => hooks.every(({ path }) => receiver.at(path).length >= messages.length));
      await post.stopAll();
      for (const { id, path } of hooks) {
        assert.deepEqual(idsAt(path).toSorted(), messages.toSorted());
        assert.ok((await post.deliveries(id)).every(({ state }) => state === 'DELIVERED'));
      }
    });

    it('a message whose transaction is rolled back is not delivered', async () => {
      const { id } = await subscribe();
      await assert.rejects(
        post.db.transaction().execute(async (tx) => {
          await post.emitIn(tx, ctx);
          throw new Error('no');
        }),
        /no/,
      );
      assert.deepEqual(await post.deliveries(id), []);
    });

    it('endpoints that never answer do not delay other endpoints', async () => {
      receiver.react((response, received, count) => {
        if (received.path.startsWith('/dead')) hang(response, received, count);
        else ok(response, received, count);
      });
      const limits = { total: 32, failing: 8, initial: 2, perEndpoint: 8 };
      for (let i = 0; i < 10; i++) await post.subscribe(ctx, `${receiver.url}/dead-${i}`);
      // The first attempt at each of these endpoints fails.
      post.start({ limits, deadlineMs: 500 });
      await post.tell(ctx);
      await until(() => receiver.received.filter(isDead).length === 10);
      await post.stopAll();
      const healthy = await subscribe();
      post.start({ limits, deadlineMs: 60_000, drainMs: 0 });
      const messages = await post.tell(ctx, 100);
      await until(() => receiver.at(healthy.path).length === 100);
      assert.deepEqual(idsAt(healthy.path).toSorted(), messages.toSorted());
      assert.ok(receiver.received.filter(isDead).length <= 10 + limits.failing);
    });

    it('a delivery that cannot be signed fails, and waits for its next attempt', async () => {
      const { id, path } = await subscribe();
      await post.db
        .updateTable('webhook_subscriptions')
        .set({ secret: sealedText('sealed by nobody') })
        .where('id', '=', id)
        .execute();
      post.start();
      await post.tell(ctx);
      const { error } = await until(async () =>
        (await attemptsOf(id)).find(({ status }) => status === 'failed'),
      );
      assert.equal(error, 'Nothing was sent: the service could not make this attempt.');
      const [delivery] = await post.deliveries(id);
      assert.ok((delivery?.due_at ?? 0) > post.now() + 1000);
      assert.deepEqual(receiver.at(path), []);
    });

    it('a worker that stops ends the requests it has sent, and releases those that get no answer', async () => {
      receiver.react(hang);
      const { id, path } = await subscribe();
      const worker = post.start({ deadlineMs: 60_000, drainMs: 50 });
      await post.tell(ctx);
      await until(() => receiver.at(path).length === 1);
      await worker.stop();
      const [delivery] = await post.deliveries(id);
      assert.deepEqual(
        [delivery?.state, delivery?.attempts, delivery?.lease_token],
        ['PENDING', 0, null],
      );
      receiver.react(ok);
      post.start();
      await until(async () => (await post.deliveries(id))[0]?.state === 'DELIVERED');
    });

    it('[WHK-12] [WHK-20] rows of a deleted subscription and rows older than 30 days are removed', async () => {
      const [gone, kept] = [await subscribe(), await subscribe()];
      post.start();
      await post.tell(ctx, 30);
      await until(async () =>
        (await post.deliveries(kept.id)).every(({ state }) => state === 'DELIVERED'),
      );
      await post.stopAll();
      await post.webhooks.remove(ctx, gone.id);
      await post.tell(ctx);
      await cleanSubscription(post.db, gone.id, new AbortController().signal);
      assert.deepEqual(await post.deliveries(gone.id), []);
      assert.equal((await post.deliveries(kept.id)).length, 31);
      const { id: task } = await post.webhooks.recover(ctx, kept.id, {
        since: new Date().toISOString(),
      });
      await post.recoverAll();
      await trimWebhooks(post.db, Date.now() + 30 * DAY - 60_000);
      assert.equal((await post.webhooks.recovery(ctx, kept.id, task)).status, 'completed');
      assert.equal((await post.deliveries(kept.id)).length, 31);
      while ((await trimWebhooks(post.db, Date.now() + 30 * DAY + 60_000)) > 0);
      assert.deepEqual(await post.deliveries(kept.id), []);
      assert.deepEqual(await attemptsOf(kept.id), []);
      await assert.rejects(post.webhooks.recovery(ctx, kept.id, task), { status: 404 });
    });

    if (isSmokeEnough(database)) return;

    it('[WHK-27] each of 1,000 subscriptions of 10 organizations gets its message once', async () => {
      const people = await Promise.all(Array.from({ length: 10 }, () => post.organization()));
      const paths = people.map((_, i) =>
        Array.from({ length: 100 }, (_one, j) => `/${database.name}-many-${i}-${j}`),
      );
      for (const [i, who] of people.entries()) {
        const urls = (paths[i] ?? []).map((path) => receiver.url + path);
        await post.subscribeMany(who, urls);
        await assert.rejects(subscribe(who), /at most 100 subscriptions/);
      }
      post.start();
      for (const who of people) await post.tell(who);
      const isOurs = ({ path }: { readonly path: string }) => path.includes('-many-');
      await until(() => receiver.received.filter(isOurs).length >= 1000);
      await post.stopAll();
      for (const path of paths.flat()) assert.equal(receiver.at(path).length, 1);
    });

    describe('an endpoint that', () => {
      beforeEach(() => {
        post.start({ bodyMs: 300 });
      });

      const CASES: readonly [
        name: string,
        reaction: Reaction,
        seen: readonly [status: string, code: number, error: RegExp | null, bytes?: number],
      ][] = [
        ['[DLV-11] answers 204', answer(204), ['success', 204, null, 0]],
        ['[DLV-11] answers 299', answer(299, {}, 'x'), ['success', 299, null, 1]],
        [
          '[DLV-11] redirects',
          answer(301, { location: '/elsewhere' }),
          ['failed', 301, /redirects are not followed/],
        ],
        [
          '[DLV-11] redirects to a private address',
          answer(308, { location: 'https://169.254.169.254/' }),
          ['failed', 308, /redirects/],
        ],
        ['[DLV-11] answers 404', answer(404), ['failed', 404, /answered 404/]],
        [
          '[WHK-21] answers much',
          answer(200, {}, 'y'.repeat(100_000)),
          ['success', 200, null, 1024],
        ],
        [
          '[WHK-21] answers a compressed bomb',
          (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
          ['success', 200, null, 1024],
        ],
        [
          '[WHK-21] never comes to the end of its answer',
          (response) => {
            response.writeHead(500);
            const drip = setInterval(() => response.write('d'), 20).unref();
            response.on('close', () => clearInterval(drip));
          },
          ['failed', 500, /answered 500/],
        ],
        [
          'has a status and then is silent',
          (response) => response.writeHead(200).flushHeaders(),
          ['success', 200, null, 0],
        ],
        [
          'closes in the middle of its answer',
          (response) => {
            response.writeHead(200, { 'content-length': '100' });
            response.write('half', () => response.destroy());
          },
          ['success', 200, null, 4],
        ],
        [
          'closes without an answer',
          (response) => response.destroy(),
          ['failed', 0, /closed before an answer/],
        ],
        [
          'has 200 kB of headers',
          (response) =>
            response
              .writeHead(
                200,
                Object.fromEntries(
                  Array.from({ length: 20 }, (_, i) => [`x-${i}`, 'h'.repeat(10_000)]),
                ),
              )
              .end(),
          ['failed', 0, /headers of the answer are too long/],
        ],
        [
          'speaks no text',
          (response) => response.writeHead(200).end(Buffer.from([0, 1, 255, 0xe2, 0x82])),
          ['success', 200, null],
        ],
      ];
      for (const [name, reaction, [status, code, error, bytes]] of CASES)
        it(name, async () => {
          receiver.react(reaction);
          const attempt = await firstAttempt(`${receiver.url}/odd-${made++}`);
          assert.deepEqual([attempt.status, attempt.response_status_code], [status, code]);
          if (error === null) assert.equal(attempt.error, null);
          else assert.match(attempt.error ?? '', error);
          if (bytes !== undefined) assert.equal(Buffer.byteLength(attempt.response), bytes);
          assert.ok(Buffer.byteLength(attempt.response) <= 1024);
          assert.equal(receiver.at('/elsewhere').length, 0);
        });

      it('[DLV-12] never answers', async () => {
        receiver.react(hang);
        await post.stopAll();
        post.start({ deadlineMs: 500 });
        const { status, error } = await firstAttempt(`${receiver.url}/odd-${made++}`);
        assert.equal(status, 'failed');
        assert.equal(error, 'The endpoint did not answer within 0.5 seconds.');
      });

      it('[DLV-12] nobody listens for', async () => {
        const port = await freePort();
        const { error } = await firstAttempt(`http://127.0.0.1:${port}/`);
        assert.equal(error, 'The endpoint refused the connection.');
      });

      it('has a certificate that nobody trusts', async () => {
        const { certificate: cert, key } = selfSigned('hooks.example.com');
        const server = createTlsServer({ cert, key }, (_, response) => response.end());
        const port = await listening(server);
        const { error } = await firstAttempt(`https://127.0.0.1:${port}/`);
        server.close();
        assert.equal(error, 'The certificate or TLS of the endpoint is not valid.');
      });

      it('speaks no HTTP', async () => {
        const server = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
        const port = await listening(server);
        const { error } = await firstAttempt(`http://127.0.0.1:${port}/`);
        server.close();
        assert.equal(error, 'The answer is not valid HTTP.');
      });
    });
  });
}

const isDead = ({ path }: { readonly path: string }) => path.startsWith('/dead');

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  return port;
}
