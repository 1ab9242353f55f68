/**
 * Tests that a caller has a limited number of long requests in work and a limited number waiting, and that any further
 * request is refused.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { DATABASES } from '../databases.ts';
import { until } from '../until.ts';
import { openTestApi, type TestApi } from './harness.ts';

const WAITING = 1000;
const GREP = { path: 'contents/grep', pattern: 'heron' };
const SEARCH = { path: 'search', query: 'heron' };
const AGENTIC = { path: 'agentic-search', query: 'heron', mode: 'fast' };
type Request = typeof GREP | typeof SEARCH | typeof AGENTIC;
const [sqlite] = DATABASES;

describe('requests that take long', () => {
  let api: TestApi;
  let [one, other]: string[] = [];
  let inWork: number;
  let gate: PromiseWithResolvers<void>;

  before(async () => {
    assert.ok(sqlite);
    api = await openTestApi(await sqlite.open(), {
      async around(work, signal) {
        inWork++;
        await new Promise<void>((resolve, reject) => {
          void gate.promise.then(resolve);
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        return work();
      },
    });
    await api.call('POST', '/v1/collections', { body: { name: 'Empty', readable_id: 'empty' } });
    const { organizationId } = await api.owner();
    const body = {
      feature_flags: ['AGENTIC_SEARCH'],
      quotas: { agentic_queries_per_hour: null },
    };
    await api.call('PATCH', `/v1/organizations/${organizationId}`, { body });
    [one, other] = [await api.keyOf('read'), await api.keyOf('read')];
  });
  beforeEach(() => {
    inWork = 0;
    gate = Promise.withResolvers();
  });
  after(() => api.close());

  for (const [what, asking, last, atOnce] of [
    ['greps', GREP, GREP, 2],
    ['searches', SEARCH, SEARCH, 8],
    ['searches, an agentic one among them,', SEARCH, AGENTIC, 8],
  ] as const)
    it(`[GEN-17] of the ${what} of one caller, ${atOnce} are in work, ${WAITING} wait, and one more is refused`, async (t) => {
      // The test is about numbers, so calls that wait for its gate seem to take no time, and have all the time they need.
      t.mock.method(performance, 'now', () => 0);
      const { setTimeout } = globalThis;
      t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) =>
        setTimeout(work, ms === 30_000 ? 600_000 : ms),
      );
      const ask = ({ path, ...body }: Request, key: string | undefined) =>
        api.call('POST', `/v1/collections/empty/${path}`, { body, ...(key && { key }) });
      const asked = Array.from({ length: atOnce + WAITING }, () => ask(asking, one));
      asked.push(ask(last, one));
      try {
        // While the gate is closed, only a refusal can be answered.
        const first = await Promise.race([...asked, sleep(30_000, null, { ref: false })]);
        assert.ok(first, 'none was refused');
        assert.deepEqual(
          [first.status, first.body.code, first.headers['retry-after']],
          [429, 'too_many_requests', '1'],
        );
        assert.equal(inWork, atOnce);
        asked.push(ask(last, other));
        await until(async () => inWork > atOnce || undefined);
        assert.equal(inWork, atOnce + 1);
      } finally {
        gate.resolve();
        await Promise.all(asked);
      }
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, atOnce + WAITING + 1);
      assert.equal(inWork, atOnce + WAITING + 1);
    });

  for (const path of ['/v1/collections/empty/search', '/v1/search'])
    it(`POST ${path} is stopped after 30 seconds, and its answer says so`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      for (const [ms, status] of [
        [29_999, 200],
        [30_000, 503],
      ] as const) {
        inWork = 0;
        gate = Promise.withResolvers();
        const body = { query: 'heron' };
        const asked = api.call('POST', path, { body });
        while (inWork === 0) await setImmediate();
        t.mock.timers.tick(ms);
        gate.resolve();
        const answer = await asked;
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        if (status === 200) continue;
        assert.match(answer.body.detail, /^the search took over 30 s and was stopped: narrow it/);
        assert.equal(answer.headers['retry-after'], '1');
      }
    });
});
