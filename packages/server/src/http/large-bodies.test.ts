import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { unavailableReason } from '../db/unavailable.ts';
import { identityOf } from '../test/identity.ts';
import { until } from '../test/until.ts';
import { type App, createServer } from './server.ts';

const LARGE = 'x'.repeat(300 * 1024);

describe('requests with large bodies', () => {
  let app: App;
  let address: string;
  /** The callers whose requests are handled at the moment, in the order of their beginning. */
  let begun: string[];
  let gate: PromiseWithResolvers<void>;
  let endsBody: boolean;

  beforeEach(async () => {
    begun = [];
    gate = Promise.withResolvers();
    endsBody = false;
    app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason,
      authenticate: async () => identityOf('o', { role: 'member' }),
      routes(app) {
        app.route({
          method: 'POST',
          url: '/v1/body',
          config: { role: 'read', audit: null },
          schema: { body: z.strictObject({ a: z.string() }), response: { 200: z.string() } },
          async handler(req) {
            begun.push(String(req.headers['x-api-key']));
            if (endsBody) req.endBody();
            await gate.promise;
            return 'read';
          },
        });
      },
    });
    address = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    gate.resolve();
    await app.close();
  });

  const send = (caller: string, a: string, signal?: AbortSignal) =>
    fetch(`${address}/v1/body`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': caller },
      body: JSON.stringify({ a }),
      ...(signal && { signal }),
    }).then(({ status }) => status);
  const untilBegun = (count: number) => until(async () => begun.length >= count || undefined);

  it('are handled a few at a time, fewer of one caller, and small ones do not wait for them', async () => {
    const sent = Array.from({ length: 3 }, () => send('ann', LARGE));
    await untilBegun(2);
    sent.push(...['bob', 'cem', 'dan'].map((caller) => send(caller, LARGE)));
    await untilBegun(4);
    sent.push(send('ann', 'small'));
    await untilBegun(5);
    assert.deepEqual(begun.slice(0, 2), ['ann', 'ann']);
    assert.equal(begun.slice(2, 4).includes('ann'), false);
    assert.equal(begun[4], 'ann');
    gate.resolve();
    assert.deepEqual(await Promise.all(sent), Array(7).fill(200));
    assert.equal(begun.length, 7);
  });

  it('give their place to others when their client leaves', async () => {
    const leaving = new AbortController();
    const left = [send('ann', LARGE, leaving.signal), send('ann', LARGE, leaving.signal)];
    await untilBegun(2);
    const waiting = send('ann', LARGE);
    leaving.abort();
    for (const one of left) await assert.rejects(one, { name: 'AbortError' });
    await untilBegun(3);
    gate.resolve();
    assert.equal(await waiting, 200);
  });

  it('give their place to others when their body is handled, although their answer is still to come', async () => {
    endsBody = true;
    const sent = Array.from({ length: 5 }, () => send('ann', LARGE));
    await untilBegun(5);
    gate.resolve();
    assert.deepEqual(await Promise.all(sent), Array(5).fill(200));
  });
});
