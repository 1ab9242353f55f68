import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { catalog } from '../../sources/catalog.ts';
import type { Source } from '../../sources/define.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

for (const database of DATABASES) {
  describe(`source connections on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let sources: Map<string, Source>;
    let collection: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      sources = new Map([...catalog, ['world', test.source] as const]);
      quarry = await openTestQuarry(await database.open(), { sources });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      Object.assign(world, { items: whole(page('a')), members: [], pulls: [], password: 'right' });
      collection = `connections-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Connected', readable_id: collection });
    });

    const input = (over: object = {}) => ({
      name: 'The world',
      short_name: 'world',
      readable_collection_id: collection,
      authentication: { credentials: { password: 'right' } },
      schedule: { cron: null },
      ...over,
    });
    const create = (over?: object) =>
      quarry.call('POST', '/v1/source-connections', input({ sync_immediately: false, ...over }));
    const refused = async (over: object, status: number, loc?: unknown[]) => {
      const before = await quarry.ok('GET', '/v1/source-connections');
      const answer = await create(over);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      if (loc) assert.deepEqual(answer.body.detail[0].loc, loc);
      assert.deepEqual(await quarry.ok('GET', '/v1/source-connections'), before);
      return answer.body;
    };

    it('[CON-01] [CON-02] [CON-03] [CON-04] [CON-06] [CON-07] [CON-10] [CON-13] [CON-15] shows all of a new connection', async () => {
      const { status, body } = await create({
        description: 'All there is',
        schedule: undefined,
      });
      assert.equal(status, 200);
      const { id, organization_id, sync_id, created_at, modified_at, auth, schedule, ...rest } =
        body;
      for (const uuid of [id, organization_id, sync_id]) assert.match(uuid, /^[0-9a-f-]{36}$/);
      for (const time of [created_at, modified_at, auth.authenticated_at, schedule.next_run])
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual([auth.method, auth.authenticated, auth.expires_at], ['direct', true, null]);
      assert.ok(!('auth_url' in auth));
      const made = new Date(created_at);
      const daily = `${made.getUTCMinutes()} ${made.getUTCHours()} * * *`;
      assert.deepEqual([schedule.cron, schedule.continuous], [daily, false]);
      assert.deepEqual(rest, {
        name: 'The world',
        description: 'All there is',
        short_name: 'world',
        readable_collection_id: collection,
        status: 'ACTIVE',
        created_by_email: 'owner@localhost',
        modified_by_email: 'owner@localhost',
        true_as_of: null,
        watch: null,
        config: { part: 'all' },
        sync: {
          total_runs: 0,
          successful_runs: 0,
          failed_runs: 0,
          last_job: null,
          last_full_job: null,
        },
        entities: { total_entities: 0, by_type: {} },
        deletions_held_back: null,
        federated_search: false,
        full_every: 24,
        transformers: [],
      });
      assert.deepEqual(await quarry.ok('GET', `/v1/source-connections/${id}`), body);
    });

    it('[CON-04] [CON-05] [CON-06] [CON-14] [JOB-01] [COL-20] [COL-21] starts its first sync by itself, and then shows the result', async () => {
      const status = async () => (await quarry.ok('GET', `/v1/collections/${collection}`)).status;
      assert.equal(await status(), 'NEEDS_SOURCE');
      const { id } = await quarry.ok('POST', '/v1/source-connections', input());
      const job = await quarry.settled(id);
      assert.equal(job.sync_metadata.trigger, 'creation');
      const {
        sync,
        entities,
        status: state,
      } = await quarry.ok('GET', `/v1/source-connections/${id}`);
      assert.equal(state, 'ACTIVE');
      assert.deepEqual(entities, { total_entities: 1, by_type: { Page: { count: 1 } } });
      const { last_job, last_full_job, ...runs } = sync;
      assert.equal(last_full_job.id, job.id);
      assert.deepEqual(runs, { total_runs: 1, successful_runs: 1, failed_runs: 0 });
      assert.deepEqual(
        [last_job.id, last_job.status, last_job.entities_inserted, last_job.entities_updated],
        [job.id, 'COMPLETED', 1, 0],
      );
      assert.equal(
        last_job.duration_seconds,
        (Date.parse(last_job.completed_at) - Date.parse(last_job.started_at)) / 1000,
      );
      assert.equal(await status(), 'ACTIVE');
    });

    it('[COL-17] [COL-18] [COL-19] deleting a collection removes its connections, entities and jobs', async () => {
      const { id } = (await create()).body;
      const job = await quarry.sync(id);
      await quarry.ok('DELETE', `/v1/collections/${collection}`);
      for (const path of [
        `/v1/source-connections/${id}`,
        `/v1/source-connections/${id}/jobs`,
        `/v1/sync/jobs/${job.id}`,
        `/v1/entities?collection_readable_id=${collection}`,
      ])
        assert.equal((await quarry.call('GET', path)).status, 404, path);
      const search = await quarry.call('POST', `/v1/collections/${collection}/search`, {
        query: 'text',
      });
      assert.equal(search.status, 404);
      await until(async () => {
        const left = await quarry.db
          .selectFrom('collections')
          .select('id')
          .where('readable_id', '=', collection)
          .execute();
        return left.length === 0 ? true : undefined;
      });
      for (const table of ['entities', 'chunks', 'sync_jobs'] as const) {
        const rows = await quarry.db
          .selectFrom(table)
          .select('connection_id')
          .where('connection_id', '=', id)
          .execute();
        assert.deepEqual(rows, [], table);
      }
      await quarry.ok('POST', '/v1/collections', { name: 'Again', readable_id: collection });
      assert.deepEqual(await quarry.find(collection, 'text'), []);
    });

    if (isSmokeEnough(database)) return;

    it('[CON-08] [CON-09] [CON-35] keeps names and descriptions within their bounds', async () => {
      await refused({ name: 'abc' }, 422, ['body', 'name']);
      await refused({ name: 'a'.repeat(43) }, 422, ['body', 'name']);
      await refused({ description: 'a'.repeat(256) }, 422, ['body', 'description']);
      await refused({ name: undefined }, 422, ['body', 'name']);
      await refused({ short_name: undefined }, 422, ['body', 'short_name']);
      await refused({ readable_collection_id: undefined }, 422, ['body', 'readable_collection_id']);
      const shortest = await create({ name: 'abcd', description: 'a'.repeat(255) });
      assert.equal(shortest.status, 200);
      for (const name of ['a'.repeat(42), '🙂'.repeat(42)])
        assert.equal((await create({ name, description: '🙂'.repeat(255) })).status, 200);
      await refused({ name: '🙂🙂' }, 422, ['body', 'name']);
      const patch = (body: object) =>
        quarry.call('PATCH', `/v1/source-connections/${shortest.body.id}`, body);
      for (const body of [
        { name: 'abc' },
        { name: 'a'.repeat(43) },
        { description: 'a'.repeat(256) },
        { short_name: 'files' },
      ])
        assert.equal((await patch(body)).status, 422, JSON.stringify(body));
      assert.equal((await patch({ name: 'a'.repeat(42) })).status, 200);
    });

    it('[JOB-30] [JOB-45] is continuous by default when its source reports changes by itself', async () => {
      const { source } = testWorld('feed');
      sources.set('feed', { ...source, needsCursorField: false });
      const scheduleOf = async (over: object) => {
        const { status, body } = await create({ schedule: undefined, ...over });
        assert.equal(status, 200, JSON.stringify(body));
        const { cron, continuous } = body.schedule;
        return [cron === '*/5 * * * *' ? cron : /^\d+ \d+ \* \* \*$/.test(cron), continuous];
      };
      const feed = { short_name: 'feed' };
      assert.deepEqual(await scheduleOf(feed), ['*/5 * * * *', true]);
      assert.deepEqual(await scheduleOf({ ...feed, schedule: { continuous: false } }), [
        true,
        false,
      ]);
      assert.deepEqual(await scheduleOf({}), [true, false]);
      assert.deepEqual(await scheduleOf({ schedule: { continuous: true, cursor_field: 'at' } }), [
        '*/5 * * * *',
        true,
      ]);
      const often = await create({ ...feed, schedule: { cron: '*/5 * * * *', continuous: false } });
      assert.deepEqual([often.status, often.body.detail[0].loc], [422, ['body', 'schedule']]);
    });

    it('[JOB-46] full_every is set, shown and changed, in hours or never', async () => {
      const { body } = await create({ full_every: 6 });
      assert.equal(body.full_every, 6);
      const path = `/v1/source-connections/${body.id}`;
      const patched = async (full_every: unknown) =>
        (await quarry.call('PATCH', path, { full_every })).body.full_every;
      assert.deepEqual([await patched(48), await patched(null)], [48, null]);
      assert.equal((await quarry.ok('PATCH', path, { name: 'Renamed' })).full_every, null);
      for (const wrong of [0, 1.5, -1, 8761, '24']) {
        const { status, body } = await quarry.call('PATCH', path, { full_every: wrong });
        assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'full_every']]);
      }
      await refused(
        { short_name: 'push', authentication: undefined, schedule: undefined, full_every: 24 },
        422,
        ['body', 'full_every'],
      );
    });

    it('[CON-35] [CON-38] an unknown collection or source is a 404', async () => {
      await refused({ readable_collection_id: 'nowhere' }, 404);
      await refused({ short_name: 'nothing' }, 404);
    });

    it('[AUTH-02] [AUTH-03] [AUTH-04] [CON-11] accepts credentials in `authentication` or in `auth`, but not in both', async () => {
      const direct = { direct: { credentials: { password: 'right' } } };
      const both = await refused({ auth: direct }, 422);
      assert.match(both.detail[0].msg, /not both/);
      assert.equal((await create({ authentication: undefined, auth: direct })).status, 200);
      await refused({ authentication: undefined, auth: {} }, 422);
      await refused(
        { authentication: undefined, auth: { ...direct, oauth_token: { access_token: 'x' } } },
        422,
      );
      await refused({ authentication: { credentials: { password: 'right', user: 'me' } } }, 422, [
        'body',
        'authentication',
        'credentials',
        'user',
      ]);
      await refused({ authentication: { credentials: {} } }, 422, [
        'body',
        'authentication',
        'credentials',
        'password',
      ]);
      await refused({ authentication: { access_token: 'x' } }, 422);
    });

    it('[AUTH-09] shows by which method it signs in, whichever form was used, also after a change', async () => {
      const { check: _, ...source } = testWorld('keyring').source;
      sources.set('keyring', {
        ...source,
        auth: {
          direct: { fields: z.object({}) },
          oauth: {
            authorizeUrl: 'https://example.org/authorize',
            tokenUrl: 'https://example.org/token',
            scopes: [],
            refresh: 'rotating',
          },
        },
        api: { baseUrl: 'https://example.org' },
      });
      const flat = {
        oauth_browser: { redirect_uri: 'https://example.org/back', client_id: 'mine' },
        oauth_token: { access_token: 'a-token' },
      };
      for (const [method, over] of [
        ['direct', { authentication: { credentials: {} } }],
        ['direct', { authentication: undefined, auth: { direct: { credentials: {} } } }],
        ...Object.entries(flat).flatMap(([method, fields]) => [
          [method, { authentication: fields }],
          [method, { authentication: undefined, auth: { [method]: fields } }],
        ]),
      ] as [string, object][]) {
        const made = await create({ short_name: 'keyring', ...over });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        const url = `/v1/source-connections/${made.body.id}`;
        const list = await quarry.ok('GET', `/v1/source-connections?collection=${collection}`);
        const shown = [
          made.body,
          list.find(({ id }: { id: string }) => id === made.body.id),
          await quarry.ok('GET', url),
          await quarry.ok('PATCH', url, { name: 'Renamed' }),
          await quarry.ok('DELETE', url),
        ];
        const methods = shown.map(({ auth }) => auth.method);
        assert.deepEqual(methods, Array(5).fill(method), JSON.stringify(over));
      }
    });

    it('[AUTH-11] [AUTH-12] refused credentials are a 422 with the words of the source, and stay secret', async () => {
      const body = await refused(
        { authentication: { credentials: { password: 'hunter2 is wrong' } } },
        422,
      );
      assert.equal(body.code, 'credentials_refused');
      assert.equal(body.detail[0].msg, 'the world answered: wrong password');
      assert.ok(!JSON.stringify(body).includes('hunter2'));
      world.password = 'hunter2 is right';
      const created = await create({
        authentication: { credentials: { password: 'hunter2 is right' } },
      });
      assert.ok(!JSON.stringify(created.body).includes('hunter2'));
      const row = await quarry.db
        .selectFrom('connections')
        .selectAll()
        .where('id', '=', created.body.id)
        .executeTakeFirstOrThrow();
      assert.ok(!JSON.stringify(row).includes('hunter2'));
      assert.match(String(row.credentials), /^v1\./);
      assert.ok(row.credentials_key);
    });

    it('[CON-17] [CON-37] [COL-28] lists the connections of a collection, and refresh_all skips one that is syncing', async () => {
      const first = (await create()).body.id;
      const second = (await create()).body.id;
      const list = (query: string) => quarry.call('GET', `/v1/source-connections?${query}`);
      const ids = async (query: string) =>
        (await list(query)).body.map((one: { id: string }) => one.id);
      assert.deepEqual(await ids(`collection=${collection}`), [second, first]);
      assert.deepEqual(await ids(`collection=${collection}&limit=1&skip=1`), [first]);
      assert.equal((await list(`collection=${collection}&limit=1`)).headers['x-total-count'], '2');
      assert.equal((await list('collection=nowhere')).status, 404);
      let goOn = () => {};
      world.items = [
        () =>
          new Promise<void>((resolve) => {
            goOn = resolve;
          }),
        ...whole(page('a')),
      ];
      await quarry.ok('POST', `/v1/source-connections/${first}/run`);
      await until(async () => (world.pulls.length > 0 ? true : undefined));
      world.items = whole(page('a'));
      const jobs = await quarry.ok('POST', `/v1/collections/${collection}/refresh_all`);
      assert.deepEqual(
        jobs.map((job: { source_connection_id: string }) => job.source_connection_id),
        [second],
      );
      goOn();
      assert.equal((await quarry.settled(first)).status, 'completed');
      assert.equal((await quarry.settled(second)).status, 'completed');
    });

    it('[CON-18] an unknown connection is a 404 on every route', async () => {
      for (const id of ['00000000-0000-7000-8000-000000000000', 'no-uuid'])
        for (const [method, path] of [
          ['GET', ''],
          ['PATCH', ''],
          ['DELETE', ''],
          ['POST', '/run'],
          ['GET', '/jobs'],
          ['POST', `/jobs/${id}/cancel`],
          ['GET', `/jobs/${id}/failures`],
        ] as const) {
          const answer = await quarry.call(
            method,
            `/v1/source-connections/${id}${path}`,
            method === 'PATCH' ? {} : undefined,
          );
          assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], method + path);
        }
    });

    it('[CON-19] [CON-34] a change keeps the fields that it does not name', async () => {
      const transformers = [
        { transformer_id: '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d02', config: { kinds: ['card'] } },
        { transformer_id: '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01', config: {} },
      ];
      const { body: made } = await create({ description: 'old', transformers });
      assert.deepEqual(made.transformers, transformers);
      const changed = await quarry.ok('PATCH', `/v1/source-connections/${made.id}`, {
        name: 'New name',
      });
      assert.ok(changed.modified_at > made.modified_at);
      assert.deepEqual({ ...changed, name: made.name, modified_at: made.modified_at }, made);
      const reversed = transformers.toReversed();
      const other = await quarry.ok('PATCH', `/v1/source-connections/${made.id}`, {
        transformers: reversed,
        description: null,
        schedule: { cron: '0 3 * * *' },
      });
      assert.deepEqual(
        [other.transformers, other.description, other.schedule.cron, other.name],
        [reversed, null, '0 3 * * *', 'New name'],
      );
      assert.match(other.schedule.next_run, /T03:00:00\.000Z$/);
    });

    it('[CON-20] new credentials replace the old ones', async () => {
      const { body } = await create();
      world.password = 'newer';
      await quarry.ok('PATCH', `/v1/source-connections/${body.id}`, {
        auth: { direct: { credentials: { password: 'newer' } } },
      });
      assert.equal((await quarry.sync(body.id)).status, 'completed');
    });

    it('[CON-26] [CON-28] [CON-29] [JOB-16] [JOB-19] lists jobs, newest first, and cancels a waiting one', async () => {
      const { id } = (await create()).body;
      await quarry.sync(id);
      const job = (await quarry.sync(id)).id;
      const jobs = await quarry.call('GET', `/v1/source-connections/${id}/jobs?limit=1`);
      assert.deepEqual([jobs.body.length, jobs.body[0].id], [1, job]);
      assert.equal(jobs.headers['x-total-count'], '2');
      const second = await quarry.ok('GET', `/v1/source-connections/${id}/jobs?limit=1&skip=1`);
      assert.equal(second.length, 1);
      assert.notEqual(second[0].id, job);
      for (const limit of ['0', '1001', '-1', 'x'])
        assert.equal(
          (await quarry.call('GET', `/v1/source-connections/${id}/jobs?limit=${limit}`)).status,
          422,
          limit,
        );
      const cancel = await quarry.call('POST', `/v1/source-connections/${id}/jobs/${job}/cancel`);
      assert.deepEqual([cancel.status, cancel.body.code], [409, 'conflict']);
    });

    it('[JOB-02] [JOB-03] [JOB-04] [JOB-05] [JOB-06] [JOB-07] [JOB-09] [JOB-10] [JOB-12] [JOB-13] the routes of a connection and the routes of all jobs show the same job', async () => {
      const { id, sync_id } = (await create({ name: 'Jobs of it' })).body;
      await quarry.sync(id);
      const [job] = await quarry.ok('GET', `/v1/source-connections/${id}/jobs`);
      const all = await quarry.call('GET', '/v1/sync/jobs?limit=100');
      const [mine] = all.body.filter((one: { id: string }) => one.id === job.id);
      const detail = await quarry.ok('GET', `/v1/sync/jobs/${job.id}`);
      const { sync_config, sync_metadata, ...listed } = detail;
      assert.deepEqual(listed, mine);
      assert.equal(sync_config, null);
      assert.deepEqual(sync_metadata, {
        trigger: 'manual',
        attempt: 1,
        full: true,
        chunks_written: 1,
        bytes_fetched: 0,
        requests: 1,
      });
      assert.deepEqual(
        [mine.sync_name, mine.sync_id, mine.scheduled, mine.status, job.status, mine.failed_at],
        ['Jobs of it', sync_id, false, 'completed', 'COMPLETED', null],
      );
      assert.deepEqual(mine.entities_encountered, { Page: 1 });
      assert.equal(mine.created_by_email, 'owner@localhost');

      const statuses = async (query: string) =>
        (await quarry.ok('GET', `/v1/sync/jobs?${query}`)).map(
          (one: { status: string }) => one.status,
        );
      assert.ok((await statuses('status=completed')).every((word: string) => word === 'completed'));
      assert.ok((await statuses('status=failed&status=completed')).includes('completed'));
      assert.deepEqual(await statuses('status=created'), []);
      for (const query of ['status=done', 'limit=0', 'limit=101', 'skip=-1'])
        assert.equal((await quarry.call('GET', `/v1/sync/jobs?${query}`)).status, 422, query);
      const total = Number(all.headers['x-total-count']);
      assert.equal((await quarry.ok('GET', `/v1/sync/jobs?skip=${total - 1}`)).length, 1);
    });

    it('[JOB-29] [JOB-33] [JOB-06] a schedule starts a job when its time comes, once', async () => {
      const { id } = (await create({ schedule: { cron: '0 0 1 1 *' } })).body;
      const due = () =>
        quarry.db
          .updateTable('connections')
          .set({ next_run_at: Date.now() - 1000 })
          .where('id', '=', id)
          .execute();
      await due();
      const [job] = await until(async () => {
        const jobs = await quarry.ok('GET', `/v1/source-connections/${id}/jobs`);
        return jobs.length > 0 ? jobs : undefined;
      });
      assert.equal((await quarry.settled(id)).scheduled, true);
      const { schedule } = await quarry.ok('GET', `/v1/source-connections/${id}`);
      assert.match(schedule.next_run, /-01-01T00:00:00\.000Z$/);
      assert.ok(Date.parse(schedule.next_run) > Date.now());
      const jobs = await quarry.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.deepEqual(
        jobs.map((one: { id: string }) => one.id),
        [job.id],
      );
    });

    it('[CON-30] [CON-31] the status is computed for each answer and is not stored', async () => {
      const { id } = (await create()).body;
      const status = async () => (await quarry.ok('GET', `/v1/source-connections/${id}`)).status;
      assert.equal(await status(), 'ACTIVE');
      const world = sources.get('world');
      sources.delete('world');
      assert.equal(await status(), 'INACTIVE');
      sources.set('world', must(world));
      assert.equal(await status(), 'ACTIVE');
      const tables = await quarry.db.introspection.getTables();
      const columns = tables.find(({ name }) => name === 'connections')?.columns ?? [];
      assert.ok(columns.length > 10);
      assert.ok(!columns.some(({ name }) => name.includes('status')));
    });

    it('[JOB-11] an unknown job is a 404', async () => {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/cancel'],
      ] as const) {
        const url = `/v1/sync/jobs/00000000-0000-7000-8000-000000000000${path}`;
        assert.equal((await quarry.call(method, url)).status, 404);
      }
      const { id } = (await create()).body;
      const job = await quarry.sync(id);
      const { id: other } = await quarry.ok('POST', '/v1/organizations', { name: 'Other' });
      const headers = { 'x-organization-id': other };
      const get = await quarry.call('GET', `/v1/sync/jobs/${job.id}`, undefined, headers);
      const cancel = await quarry.call(
        'POST',
        `/v1/sync/jobs/${job.id}/cancel`,
        undefined,
        headers,
      );
      assert.deepEqual([get.status, cancel.status], [404, 404]);
      assert.deepEqual(await quarry.ok('GET', '/v1/sync/jobs', undefined, headers), []);
    });

    it('[COL-24] [COL-32] the status of a collection follows its connections', async () => {
      const status = async () => (await quarry.ok('GET', `/v1/collections/${collection}`)).status;
      const { id } = (await create()).body;
      assert.equal(await status(), 'NEEDS_SOURCE');
      world.password = 'changed';
      assert.equal((await quarry.sync(id)).status, 'failed');
      assert.equal(await status(), 'ERROR');
      world.password = 'right';
      await quarry.sync(id);
      assert.equal(await status(), 'ACTIVE');
      await quarry.ok('DELETE', `/v1/source-connections/${id}`);
      assert.equal(await status(), 'ACTIVE');
    });
  });
}
