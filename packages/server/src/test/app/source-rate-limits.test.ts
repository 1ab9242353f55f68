/** Tests limits on requests to a source over the API: how jobs, live searches and checks meet them. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openStream } from '../event-stream.ts';
import {
  assertPaced,
  type Cloud,
  cloudNotes,
  liveNotes,
  openCloud,
  settingsOf,
} from '../rate-limits/cloud.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { hurryJobs, openTestQuarry, type TestQuarry } from './quarry.ts';

const DAY_MS = 86_400_000;
/**
 * Each test has a source with a limit and a window in seconds. All limits are set before the first request, because the
 * limits of an organization are kept in memory for minutes.
 */
const LIMITS = {
  patient: [3, 1],
  parked: [3, 3600],
  failed: [2, 3600],
  checked: [1, 3600],
  live: [2, 3600],
  counted: [100, 3600],
  free: [1, 3600],
  shared: [4, 1],
  own: [100, 3600],
} as const;
const EXCEEDED = 'SourceRateLimitExceededException: the limit of';

for (const database of DATABASES)
  describe(`limited sources on ${database.name}`, () => {
    let quarry: TestQuarry;
    let cloud: Cloud;
    let made = 0;
    before(async () => {
      const sources = [
        ...Object.keys(LIMITS).map((shortName) =>
          shortName === 'live'
            ? liveNotes({ shortName })
            : cloudNotes({ shortName, level: shortName === 'own' ? 'connection' : 'org' }),
        ),
      ];
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map(sources.map((source) => [source.shortName, source])),
        env: { QUARRY_ALLOW_LOOPBACK: 'true' },
      });
      cloud = await openCloud({ perPage: 5 });
      for (const [name, [limit, seconds]] of Object.entries(LIMITS))
        await setLimit(name, limit, seconds);
    });
    after(async () => {
      await quarry.close();
      await cloud.close();
    });
    beforeEach(async () => {
      Object.assign(cloud, { notes: 30, arrivals: [], instead: () => false });
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: `notes-${++made}` });
    });

    const setLimit = (name: string, limit: number, window_seconds: number) =>
      quarry.ok('PUT', `/v1/source-rate-limits/${name}`, { limit, window_seconds });
    const connect = (short_name: keyof typeof LIMITS) =>
      quarry.call('POST', '/v1/source-connections', {
        name: 'Notes',
        short_name,
        readable_collection_id: `notes-${made}`,
        sync_immediately: false,
        ...settingsOf(cloud),
      });
    const connected = async (shortName: keyof typeof LIMITS): Promise<string> => {
      const { status, body } = await connect(shortName);
      assert.equal(status, 200, JSON.stringify(body));
      return body.id;
    };
    const run = async (id: string): Promise<string> =>
      (await quarry.ok('POST', `/v1/source-connections/${id}/run`)).id;
    const newestJob = async (id: string) =>
      (await quarry.ok('GET', `/v1/source-connections/${id}/jobs?limit=1`))[0];
    const waitOf = (id: string) => until(async () => (await newestJob(id)).waits_for ?? undefined);
    /** Ends the wait of a job, so that the job begins now. */
    const endWait = async (id: string, over: { progressed_at?: number } = {}) => {
      await quarry.db
        .updateTable('sync_jobs')
        .set({ waits_until: Date.now(), ...over })
        .where('connection_id', '=', id)
        .execute();
      await hurryJobs(quarry.db, id);
    };
    const rowOf = (id: string) =>
      quarry.db
        .selectFrom('sync_jobs')
        .select(['attempt', 'retries', 'waits_until'])
        .where('connection_id', '=', id)
        .executeTakeFirstOrThrow();

    it('[LIM-12] [LIM-22] a pull waits within its attempt, and the cloud service never receives more requests in a window than the limit', async () => {
      const since = Date.now();
      const id = await connected('patient');
      await run(id);
      const { status, entities_inserted, sync_metadata } = await quarry.settled(id);
      assert.deepEqual([status, entities_inserted], ['completed', 30]);
      assert.equal(cloud.arrivals.length, 7, 'one request checked the connection');
      assert.deepEqual([sync_metadata.requests, sync_metadata.attempt], [6, 1]);
      assertPaced(cloud.arrivals, { since, limit: 3, windowMs: 1000 });
    });

    it('[LIM-13] [LIM-15] a job that must wait long waits without a worker, shows why and until when, and uses up no retry', async () => {
      const id = await connected('parked');
      await quarry.api.listen({ host: '127.0.0.1', port: 0 });
      const { port } = quarry.api.server.address() as AddressInfo;
      const before = Date.now();
      const job = await run(id);
      const { reason, until: end } = await waitOf(id);
      assert.match(reason, new RegExp(`^${EXCEEDED} 3 requests in 3600 s to parked is reached`));
      const wait = Date.parse(end) - before;
      assert.ok(wait > 4 * 60_000 && wait <= 5 * 60_000 + (Date.now() - before), `${wait} ms`);
      const url = `http://127.0.0.1:${port}/v1/source-connections/${id}/jobs/${job}/stream`;
      const stream = await openStream(url, quarry.key);
      const { status, waits_for } = await stream.next();
      stream.leave();
      assert.deepEqual([status, waits_for], ['RUNNING', { reason, until: end }]);
      const asked = cloud.arrivals.length;
      await endWait(id);
      const again = await until(async () => {
        const row = await rowOf(id);
        return row.attempt === 2 && (row.waits_until ?? 0) > Date.now() && row;
      });
      assert.equal(again.retries, 0);
      assert.equal(cloud.arrivals.length, asked, 'a request over the limit is not sent');
      await setLimit('parked', 100, 3600);
      await endWait(id);
      const { status: ended, entities_inserted } = await quarry.settled(id);
      assert.deepEqual([ended, entities_inserted], ['completed', 30]);
    });

    it('[LIM-13] a job without progress for a day fails, and its details name the limit', async () => {
      const id = await connected('failed');
      await run(id);
      await waitOf(id);
      await endWait(id, { progressed_at: Date.now() - DAY_MS });
      await quarry.settled(id);
      const { status, error_details } = await newestJob(id);
      const { code, retryable, message, hint } = error_details;
      assert.deepEqual([status, code, retryable], ['FAILED', 'rate_limited', true]);
      assert.match(
        message,
        new RegExp(`^${EXCEEDED} 2 requests in 3600 s to failed .*retry_after [0-9.]+ s`),
      );
      assert.match(hint, /PUT \/v1\/source-rate-limits\/failed/);
    });

    it('[LIM-21] a request whose check would exceed the limit answers 429 with Retry-After, and saves nothing', async () => {
      await connected('checked');
      const { status, headers, body } = await connect('checked');
      assert.deepEqual([status, body.code], [429, 'source_rate_limit_exceeded']);
      const seconds = Number(headers['retry-after']);
      assert.ok(seconds >= 1 && seconds <= 3600, `${seconds} s`);
      assert.match(body.detail, new RegExp(`^${EXCEEDED} 1 requests in 3600 s to checked`));
      const [{ id }, ...more] = await quarry.ok(
        'GET',
        `/v1/source-connections?collection=notes-${made}`,
      );
      assert.equal(more.length, 0);
      const patch = await quarry.call('PATCH', `/v1/source-connections/${id}`, settingsOf(cloud));
      assert.equal(patch.status, 429);
      assert.equal(cloud.arrivals.length, 1);
    });

    it('[LIM-21] a live search over the limit names the limit, and the next search asks again', async () => {
      await connected('live');
      const admitted = async () => {
        const { count } = await quarry.db
          .selectFrom('source_admissions')
          .innerJoin('source_windows', 'source_windows.id', 'window_id')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('source_short_name', '=', 'live')
          .executeTakeFirstOrThrow();
        return Number(count);
      };
      const search = async () => {
        const url = `/v1/collections/notes-${made}/search`;
        const { results, metadata } = await quarry.ok('POST', url, { query: 'harbours' });
        const [{ status, message }] = metadata.federated;
        return { found: results.length > 0, status, message };
      };
      // On a busy machine a request is admitted more than once before it is sent, and a search may end before its source
      // has answered.
      const answered = () =>
        until(async () => {
          const limit = (await admitted()) + 1;
          await setLimit('live', limit, 3600);
          const { found, status } = await search();
          return found && status === 'answered' && limit;
        });
      const limit = await answered();
      const refusal = new RegExp(`^${EXCEEDED} ${limit} requests in 3600 s to live .*retry_after`);
      const before = cloud.arrivals.length;
      for (let i = 0; i < 2; i++)
        await until(async () => {
          const { found, status, message } = await search();
          assert.deepEqual([found, status], [false, 'failed']);
          return refusal.test(message);
        });
      assert.equal(cloud.arrivals.length, before);
      // The raised limit applies at once.
      await answered();
    });

    if (isSmokeEnough(database)) return;

    it('[LIM-22] retries, redirects and checks count as requests', async () => {
      cloud.notes = 5;
      cloud.instead = (_request, response) => {
        const [status, headers] = ([
          [503, {}],
          [302, { location: '/notes?from=0' }],
        ][cloud.arrivals.length - 2] as [number, object]) ?? [0, {}];
        if (status === 0) return false;
        response.writeHead(status, headers as Record<string, string>).end();
        return true;
      };
      const id = await connected('counted');
      await run(id);
      assert.equal((await quarry.settled(id)).status, 'completed');
      const rows = await quarry.db
        .selectFrom('source_admissions')
        .innerJoin('source_windows', 'source_windows.id', 'window_id')
        .select('source_admissions.connection_id')
        .where('source_short_name', '=', 'counted')
        .orderBy('seq')
        .execute();
      assert.deepEqual(
        cloud.arrivals.map(({ url }) => url),
        ['/me', '/notes', '/notes', '/notes'],
      );
      // On a busy machine a request is admitted again before it is sent, so there may be more admissions than requests.
      const owners = rows.map(({ connection_id }) => connection_id);
      const checks = owners.indexOf(id);
      assert.ok(checks >= 1, `${checks} admissions for the check`);
      assert.ok(owners.length - checks >= 3, `${owners.length - checks} admissions for the sync`);
      assert.deepEqual(
        owners,
        owners.map((_, i) => (i < checks ? '' : id)),
      );
    });

    it('[LIM-10] without the feature flag no request is delayed, although a limit is set', async () => {
      const { id: organization } = await quarry.ok('POST', '/v1/organizations', { name: 'Free' });
      const headers = { 'x-organization-id': organization };
      const ok = (method: 'GET' | 'POST' | 'PATCH' | 'PUT', url: string, body?: unknown) =>
        quarry.ok(method, url, body, headers);
      const flags = (feature_flags: string[]) =>
        ok('PATCH', `/v1/organizations/${organization}`, { feature_flags });
      await flags(['SOURCE_RATE_LIMITING']);
      await ok('PUT', '/v1/source-rate-limits/free', { limit: 1, window_seconds: 3600 });
      await flags([]);
      await ok('POST', '/v1/collections', { name: 'Free', readable_id: 'free' });
      const { id } = await ok('POST', '/v1/source-connections', {
        name: 'Notes',
        short_name: 'free',
        readable_collection_id: 'free',
        ...settingsOf(cloud),
      });
      await until(async () => {
        const [job] = await ok('GET', `/v1/source-connections/${id}/jobs`);
        return job.status === 'COMPLETED' || undefined;
      });
      assert.equal(cloud.arrivals.length, 7);
    });

    it('[LIM-11] two connections share a limit, and the syncs of both complete', async () => {
      const since = Date.now();
      const ids = [await connected('shared'), await connected('shared')];
      await Promise.all(ids.map(run));
      for (const id of ids) assert.equal((await quarry.settled(id)).status, 'completed');
      assert.equal(cloud.arrivals.length, 14);
      assertPaced(cloud.arrivals, { since, limit: 4, windowMs: 1000 });
    });

    it('the deletion of a connection removes the windows that no other connection used', async () => {
      const id = await connected('own');
      await run(id);
      await quarry.settled(id);
      const windows = () =>
        quarry.db
          .selectFrom('source_windows')
          .selectAll()
          .where('connection_id', '=', id)
          .execute();
      const [window] = await windows();
      assert.ok(window);
      await quarry.ok('DELETE', `/v1/source-connections/${id}`);
      await until(async () => (await windows()).length === 0);
      const left = await quarry.db
        .selectFrom('source_admissions')
        .select('seq')
        .where('window_id', '=', window.id)
        .execute();
      assert.deepEqual(left, []);
    });
  });
