import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { SourceRateLimitExceededException } from '../errors.ts';
import type { Send } from '../net/guarded-send.ts';
import { request as sendRequest } from '../net/request.ts';
import type { Source } from '../sources/define.ts';
import { insertOrganization } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { cloudNotes } from '../test/rate-limits/cloud.ts';
import { type SkippedWaits, skipWaits } from '../test/skip-waits.ts';
import { newId } from '../util.ts';
import { windowId } from './admission-store.ts';
import { type CountedCaller, createRateLimiter } from './limiter.ts';
import * as store from './store.ts';

const MINUTE = 60_000;

for (const database of DATABASES)
  describe(`rate limiter on ${database.name}`, () => {
    let test: TestDatabase;
    let organizationId: string;
    let sources: Map<string, Source>;
    let skipped: SkippedWaits;
    /** Both clocks advance together: that of the process, and that of the database, which has another zero point. */
    let clock = 1000;
    let sent: string[];
    const send: Send = async (url) => {
      sent.push(url.pathname);
      return { status: 200, headers: new Headers(), body: null };
    };
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      organizationId = newId();
      sent = [];
      sources = new Map();
      for (const level of ['org', 'connection', null] as const)
        sources.set(`by_${level}`, cloudNotes({ shortName: `by_${level}`, level }));
      await insertOrganization(test.db, organizationId);
      await setFlag(true);
      skipped = skipWaits(100, (ms) => {
        clock += ms;
      });
    });
    afterEach(() => skipped.restore());

    const setFlag = (isOn: boolean) =>
      test.db
        .updateTable('organizations')
        .set({ feature_flags: JSON.stringify(isOn ? ['SOURCE_RATE_LIMITING'] : []) })
        .where('id', '=', organizationId)
        .execute();
    const setLimit = (shortName: string, limit: number, windowSeconds = 60) =>
      test.db.transaction().execute((tx) =>
        store.put(tx, organizationId, {
          source_short_name: shortName,
          max_requests: limit,
          window_seconds: windowSeconds,
        }),
      );
    const limiter = (db: Kysely<Schema> = test.db) =>
      createRateLimiter({
        db,
        kind: test.kind,
        url: null,
        sources,
        now: () => clock,
        databaseNow: () => sql<number>`cast(${1_800_000_000_000 + clock} as bigint)`,
      });
    /** Opens a connection, and returns a function that sends a request. */
    function open(over: Partial<CountedCaller> = {}, from = limiter(), signal?: AbortSignal) {
      const caller = {
        organizationId,
        shortName: 'by_org',
        connectionId: newId(),
        patienceMs: 0,
        ...over,
      };
      const limited = from.limit(send, caller);
      const request = { method: 'GET', headers: {}, body: null };
      return (path = 'a') =>
        limited(new URL(path, 'http://cloud.example'), {
          ...request,
          signal: signal ?? new AbortController().signal,
        });
    }
    const exceeded = (shortName: string, retryAfter: number) => (error: unknown) => {
      assert.ok(error instanceof SourceRateLimitExceededException);
      const { name, kind, sourceShortName } = error;
      assert.deepEqual(
        [name, kind, sourceShortName, error.retryAfter],
        ['SourceRateLimitExceededException', 'rate_limited', shortName, retryAfter],
      );
      return true;
    };

    it('[LIM-13] [LIM-14] a request over the limit is not sent, and the error names the source and the time of the next try', async () => {
      await setLimit('by_org', 2);
      const request = open();
      await request('first');
      clock += 20_000;
      await request('second');
      clock += 500;
      await assert.rejects(request('third'), exceeded('by_org', 39.5));
      clock += 39_450;
      await assert.rejects(request('third'), exceeded('by_org', 0.1));
      clock += 50;
      await request('third');
      assert.deepEqual(sent, ['/first', '/second', '/third']);
    });

    it('[LIM-13] the message names the limit, and what an admin can do', async () => {
      await setLimit('by_org', 1, 30);
      const request = open();
      await request();
      await assert.rejects(request(), {
        message:
          'SourceRateLimitExceededException: the limit of 1 requests in 30 s to by_org is reached (retry_after 30.0 s)',
        hint: 'An admin may change the limit: PUT /v1/source-rate-limits/by_org.',
      });
    });

    it('[LIM-10] delays no request while the flag is off, and notices a change of the flag within 10 seconds', async () => {
      await setLimit('by_org', 1);
      await setFlag(false);
      const request = open();
      for (let i = 0; i < 3; i++) await request();
      assert.deepEqual(
        await test.db
          .selectFrom('source_admissions')
          .selectAll()
          .where('window_id', 'in', (eb) =>
            eb
              .selectFrom('source_windows')
              .select('id')
              .where('organization_id', '=', organizationId),
          )
          .execute(),
        [],
      );
      await setFlag(true);
      clock += 10_001;
      await request();
      await assert.rejects(request(), exceeded('by_org', 60));
      await setFlag(false);
      await request();
      assert.equal(sent.length, 5);
    });

    it('[LIM-10] requests of a source without a level or a limit are not counted', async () => {
      await setLimit('by_null', 1);
      for (const shortName of ['by_null', 'by_org', 'by_connection', 'unknown']) {
        const request = open({ shortName });
        for (let i = 0; i < 3; i++) await request();
      }
      assert.equal(sent.length, 12);
    });

    it('[LIM-11] level org has one window for all connections, and level connection one window for each', async () => {
      await setLimit('by_org', 1);
      await setLimit('by_connection', 1);
      await open()();
      for (const connectionId of [newId(), null])
        await assert.rejects(open({ connectionId })(), exceeded('by_org', 60));
      const shortName = 'by_connection';
      for (const connectionId of [newId(), newId(), null]) {
        const request = open({ shortName, connectionId });
        await request();
        await assert.rejects(request(), exceeded(shortName, 60));
      }
      await assert.rejects(
        open({ shortName, connectionId: null })(),
        exceeded(shortName, 60),
        'all checks of new connections share a window',
      );
    });

    it('[LIM-04] the windows of two organizations are independent', async () => {
      await setLimit('by_org', 1);
      await open()();
      const first = organizationId;
      organizationId = newId();
      await insertOrganization(test.db, organizationId);
      await setFlag(true);
      await setLimit('by_org', 1);
      await open()();
      for (const id of [first, organizationId])
        await assert.rejects(open({ organizationId: id })(), exceeded('by_org', 60));
    });

    it('[LIM-15] a changed limit takes effect within 5 minutes, and at once for a request that would wait', async () => {
      await setLimit('by_org', 2, 3600);
      const request = open();
      await request();
      await setLimit('by_org', 1, 3600);
      await request();
      await assert.rejects(request(), exceeded('by_org', 3600));
      await setLimit('by_org', 4, 3600);
      await request();
      clock += 5 * MINUTE;
      await request();
      await setLimit('by_org', 6, 3600);
      await request();
      await store.remove(test.db, organizationId, 'by_org');
      clock += 5 * MINUTE;
      for (let i = 0; i < 5; i++) await request();
    });

    it('[LIM-15] a limit that is set for the first time takes effect within 5 minutes', async () => {
      const request = open();
      await request();
      await setLimit('by_org', 1);
      clock += 5 * MINUTE;
      await request();
      await assert.rejects(request(), exceeded('by_org', 60));
    });

    it('[LIM-16] the level of a source is kept for 10 minutes', async () => {
      await setLimit('by_org', 1);
      const from = limiter();
      const ask = () => open({}, from)();
      await ask();
      sources.set('by_org', cloudNotes({ shortName: 'by_org', level: null }));
      clock += 10 * MINUTE - 1;
      await ask();
      await assert.rejects(ask(), exceeded('by_org', 60));
      clock += 2;
      await ask();
    });

    it('[LIM-17] requests through an auth provider count under provider_proxy for all sources, 1000 in 300 seconds', async () => {
      const request = open({ viaProxy: true });
      const other = open({ viaProxy: true, shortName: 'by_null' });
      await request();
      await other();
      // In the meantime these requests went through the provider, whatever their source is.
      const window = { organizationId, shortName: 'provider_proxy', connectionId: '' };
      const window_id = await windowId(test.db, window);
      await test.db
        .insertInto('source_admissions')
        .values(
          Array.from({ length: 997 }, (_, i) => ({
            ...{ window_id, seq: 3 + i, at: 1_800_000_000_000 + clock },
            ...{ skew: 0, connection_id: 'another' },
          })),
        )
        .execute();
      await request();
      await assert.rejects(request(), exceeded('provider_proxy', 300));
      await assert.rejects(other(), exceeded('provider_proxy', 300));
      await open()('direct');
      assert.equal(sent.at(-1), '/direct');
      await setLimit('provider_proxy', 1001, 300);
      await other();
    });

    it('[LIM-17] a request through an auth provider also counts for its source', async () => {
      await setLimit('by_org', 1);
      await open({ viaProxy: true })();
      await assert.rejects(open()(), exceeded('by_org', 60));
    });

    it('waits as long as the patience of the request allows', async () => {
      await setLimit('by_org', 1, 8);
      const request = open({ patienceMs: 10_000 });
      await request();
      await request();
      assert.deepEqual(skipped.waits, [8000]);
      await setLimit('by_org', 1, 11);
      clock += 5 * MINUTE;
      await request();
      await assert.rejects(request(), exceeded('by_org', 11));
      assert.equal(skipped.waits.length, 1);
    });

    it('requests of one connection are admitted one after the other', async () => {
      await setLimit('by_org', 1, 2);
      const request = open({ patienceMs: 10_000 });
      await Promise.all(['a', 'b', 'c'].map(request));
      assert.deepEqual(
        [sent, skipped.waits],
        [
          ['/a', '/b', '/c'],
          [2000, 2000],
        ],
      );
    });

    it('a wait ends when the signal of the work aborts', async () => {
      await setLimit('by_org', 1, 8);
      const stop = new AbortController();
      const reason = new Error('cancelled');
      const request = open({ patienceMs: 10_000 }, limiter(), stop.signal);
      await request();
      stop.abort(reason);
      await assert.rejects(request(), reason);
      assert.equal(sent.length, 1);
    });

    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const unreachable = () =>
      new Proxy(test.db, {
        get(whole, name) {
          if (name === 'selectFrom') throw away;
          const value = Reflect.get(whole, name);
          return typeof value === 'function' ? value.bind(whole) : value;
        },
      });

    it('[LIM-22] a request that was not sent does not count, whatever kept it back', async () => {
      await setLimit('by_org', 1);
      const meter = { requests: 0, bytes: 0 };
      const caller = { organizationId, shortName: 'by_org', connectionId: newId(), patienceMs: 0 };
      const ask = (from = limiter(), signal = new AbortController().signal) =>
        sendRequest(from.limit(send, caller), new URL('http://cloud.example/a'), {
          ...{ headers: {}, body: null, signal, meter },
          ...{ deadlineMs: MINUTE, maxBytes: 10 },
        });
      await ask();
      assert.equal(meter.requests, 1);
      await assert.rejects(ask(), { fault: 'broken', message: /the limit of 1 requests/ });
      await assert.rejects(ask(limiter(unreachable())), {
        fault: 'broken',
        message: /ECONNREFUSED/,
      });
      const stop = new AbortController();
      const aborted = ask(limiter(), stop.signal);
      stop.abort(new Error('cancelled'));
      await assert.rejects(aborted, /cancelled/);
      assert.equal(meter.requests, 1);
      assert.deepEqual(sent, ['/a']);
    });

    it('loads what sends a request before the request is admitted, so that it is sent soon', async () => {
      if (test.kind !== 'sqlite') return;
      await setLimit('by_org', 1);
      // A thread has loaded nothing yet.
      const thread = new Worker(
        `const { parentPort, workerData: { url, organizationId, limiter, connect } } = require('node:worker_threads');
        const isLoaded = () => Object.keys(require.cache).some((file) => file.includes('undici'));
        (async () => {
          const { createRateLimiter } = await import(limiter);
          const db = (await import(connect)).connect(url);
          const seen = [isLoaded()];
          const sources = new Map([['by_org', { shortName: 'by_org', rateLimitLevel: 'org' }]]);
          const databaseNow = () => {
            seen.push(isLoaded());
            throw new Error('it asks to be admitted');
          };
          const limits = createRateLimiter({ db, kind: 'sqlite', url: null, sources, databaseNow });
          const caller = { organizationId, shortName: 'by_org', connectionId: null, patienceMs: 0 };
          const request = { method: 'GET', headers: {}, body: null, signal: new AbortController().signal };
          const send = limits.limit(() => seen.push('sent'), caller);
          await send(new URL('http://cloud.example'), request).catch((error) => seen.push(error.message));
          await db.destroy();
          parentPort.postMessage(seen);
        })();`,
        {
          eval: true,
          workerData: {
            ...{ url: test.url, organizationId },
            limiter: import.meta.resolve('./limiter.ts'),
            connect: import.meta.resolve('../db/connect.ts'),
          },
        },
      );
      const [seen] = await once(thread, 'message');
      assert.deepEqual(seen, [false, true, 'it asks to be admitted']);
      await thread.terminate();
    });

    it('an error of the database is not reported as an error of the source', async () => {
      await assert.rejects(open({}, limiter(unreachable()))(), {
        name: 'SourceError',
        kind: 'transient',
        message:
          'the request to by_org was not sent, because it could not be counted: the database cannot be reached',
        cause: away,
      });
      assert.deepEqual(sent, []);
    });
  });
