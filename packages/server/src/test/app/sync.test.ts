import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { checkpoint, fail, listed, lost, remove, skip, upsert } from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

const counters = (job: Record<string, number>) =>
  ['inserted', 'updated', 'deleted', 'kept', 'skipped', 'failed'].map(
    (name) => job[`entities_${name}`],
  );

for (const database of DATABASES) {
  describe(`syncs on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let collection: string;
    let connection: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', test.source]]),
      });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      Object.assign(world, { items: [], members: [], pulls: [], password: 'right' });
      collection = `syncs-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Syncs', readable_id: collection });
      connection = await connect();
    });

    async function connect(body: object = {}): Promise<string> {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
        ...body,
      });
      return id;
    }
    const run = () => quarry.sync(connection);
    const found = (query: string, body?: object) => quarry.find(collection, query, { ...body });
    const records = async () =>
      (await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`)) as {
        entity_id: string;
        hash: string;
        sync_job_id: string;
        created_at: string;
        modified_at: string;
      }[];

    it('[JOB-24] [JOB-25] [JOB-27] [JOB-37] [ENT-03] [ENT-04] a job counts inserted, updated, kept and deleted records', async () => {
      world.items = whole(page('a'), page('b'), page('c'));
      const first = await run();
      assert.equal(first.status, 'completed');
      assert.deepEqual(counters(first), [3, 0, 0, 0, 0, 0]);
      assert.deepEqual(first.entities_encountered, { Page: 3 });
      const before = Map.groupBy(await records(), (record) => record.entity_id);

      const second = await run();
      assert.deepEqual(counters(second), [0, 0, 0, 3, 0, 0]);
      assert.equal(second.sync_metadata.chunks_written, 0);
      assert.deepEqual(
        Map.groupBy(await records(), (record) => record.entity_id),
        before,
      );

      world.items = whole(page('a'), page('b', { text: 'another zebra' }));
      const third = await run();
      assert.deepEqual(counters(third), [0, 1, 1, 1, 0, 0]);
      const byType = {
        Page: { inserted: 0, updated: 1, deleted: 1, kept: 1, skipped: 0, failed: 0 },
      };
      assert.deepEqual(third.entities_by_type, byType);
      const [shown] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      assert.deepEqual(shown.entities_by_type, byType);
      assert.deepEqual(await found('zebra', { retrieval_strategy: 'keyword' }), ['b__chunk_0']);
      const now = await records();
      assert.deepEqual(now.map((record) => record.entity_id).toSorted(), ['a', 'b']);
      const b = now.find((record) => record.entity_id === 'b');
      const [old] = before.get('b') ?? [];
      assert.equal(b?.sync_job_id, third.id);
      assert.equal(b?.created_at, old?.created_at);
      assert.ok(b && old && b.modified_at > old.modified_at && b.hash !== old.hash);
      const a = now.find((record) => record.entity_id === 'a');
      assert.deepEqual(a, before.get('a')?.[0]);
      for (const strategy of ['hybrid', 'neural', 'keyword'])
        assert.ok(
          !(await found('text of c', { retrieval_strategy: strategy })).includes('c__chunk_0'),
        );
    });

    it('[CON-27] a second run while a sync is running answers 409 and adds no job', async () => {
      let goOn = () => {};
      world.items = [
        () =>
          new Promise<void>((resolve) => {
            goOn = resolve;
          }),
        listed(''),
      ];
      await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      const second = await quarry.call('POST', `/v1/source-connections/${connection}/run`);
      assert.deepEqual([second.status, second.body.code], [409, 'conflict']);
      await until(async () => (world.pulls.length > 0 ? true : undefined));
      assert.equal(
        (await quarry.ok('GET', `/v1/source-connections/${connection}`)).status,
        'SYNCING',
      );
      goOn();
      await quarry.settled(connection);
      const jobs = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      assert.equal(jobs.length, 1);
    });

    it('[CON-21] [CON-22] [CON-24] deleting the connection ends its running sync, and none of its records is found any more', async () => {
      let reached = () => {};
      const waiting = new Promise<void>((resolve) => {
        reached = resolve;
      });
      world.items = [
        page('a'),
        checkpoint(1),
        async () => {
          reached();
          await until(async () => {
            const { status } = await quarry.db
              .selectFrom('sync_jobs')
              .select('status')
              .where('connection_id', '=', connection)
              .executeTakeFirstOrThrow();
            return status === 'CANCELLING' ? true : undefined;
          });
        },
        page('b'),
      ];
      const job = await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      await waiting;
      const deleted = await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      assert.equal(deleted.id, connection);
      for (const path of [
        `/v1/source-connections/${connection}`,
        `/v1/source-connections/${connection}/jobs`,
        `/v1/sync/jobs/${job.id}`,
        `/v1/entities?source_connection_id=${connection}`,
      ])
        assert.equal((await quarry.call('GET', path)).status, 404, path);
      assert.deepEqual(await found('text of a'), []);
      const left = await until(async () => {
        const rows = await Promise.all(
          (['entities', 'chunks', 'sync_jobs', 'entity_counts'] as const).map((table) =>
            quarry.db
              .selectFrom(table)
              .select((eb) => eb.fn.countAll<number>().as('count'))
              .where('connection_id', '=', connection)
              .executeTakeFirstOrThrow(),
          ),
        );
        return rows.every(({ count }) => Number(count) === 0) ? true : undefined;
      });
      assert.ok(left);
    });

    it('[ENT-18] a sync stores the groups that the source lists, and removes those that the source no longer lists', async () => {
      world.items = whole(page('a', { access: { viewers: ['group:outer'], isPublic: false } }));
      world.members = [
        { group: 'group:outer', member: 'group:inner' },
        { group: 'group:inner', member: 'user:ann@example.org' },
      ];
      await run();
      const as = (who: string) => quarry.find(collection, 'text', {}, { 'x-principals': who });
      assert.deepEqual(await as('user:ann@example.org'), ['a__chunk_0']);
      assert.deepEqual(await as('group:inner'), ['a__chunk_0']);
      assert.deepEqual(await as('user:bob@example.org'), []);

      world.members = [{ group: 'group:outer', member: 'user:bob@example.org' }];
      await run();
      assert.deepEqual(await as('user:bob@example.org'), ['a__chunk_0']);
      const members = quarry.db.selectFrom('group_members').select('member');
      const kept = members.where('connection_id', '=', connection);
      await until(async () => ((await kept.execute()).length === 1 ? true : undefined));
    });

    if (isSmokeEnough(database)) return;

    it('[JOB-21] [JOB-22] [JOB-26] a record that fails does not affect the others, and stays if it was stored before', async () => {
      world.items = whole(page('a'), page('b'));
      await run();
      const broken = new SourceError('skip', 'the record is broken', { hint: 'repair it' });
      world.items = whole(
        fail('a', 'Page', broken),
        page('b'),
        skip('c', 'Page', { reason: 'too large' }),
      );
      const job = await run();
      assert.equal(job.status, 'completed');
      assert.deepEqual(counters(job), [0, 0, 0, 1, 1, 1]);
      assert.deepEqual(job.entities_encountered, { Page: 3 });
      assert.deepEqual((await found('text of a'))[0], 'a__chunk_0');
      const failures = await quarry.call(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/failures`,
      );
      assert.equal(failures.headers['x-total-count'], '1');
      const [failure] = failures.body;
      assert.deepEqual(
        [failure.entity_id, failure.entity_type, failure.stage, failure.message, failure.hint],
        ['a', 'Page', 'pull', 'the record is broken', 'repair it'],
      );
    });

    it('[JOB-49] a job lists the records that were left out on purpose with their reasons, and counts them by reason', async () => {
      const large = (id: string, mb: number) =>
        skip(id, 'Page', {
          reason: 'too large',
          detail: `${mb} MB, more than 20 MB`,
          hint: 'split it',
        });
      world.items = whole(
        ...[
          large('a', 21),
          page('b'),
          large('c', 22),
          skip('d', 'Post', { reason: 'of a kind without text' }),
        ],
      );
      const job = await run();
      assert.deepEqual(counters(job), [1, 0, 0, 0, 3, 0]);
      const counts = { 'too large': 2, 'of a kind without text': 1 };
      assert.deepEqual(job.skipped_by_reason, counts);
      const [first] = await quarry.ok('GET', '/v1/sync/jobs?limit=1');
      assert.deepEqual([first.id, first.skipped_by_reason], [job.id, counts]);
      const jobPath = `/v1/source-connections/${connection}/jobs/${job.id}`;
      const { headers, body } = await quarry.call('GET', `${jobPath}/skipped?skip=1&limit=2`);
      assert.equal(headers['x-total-count'], '3');
      assert.deepEqual(
        body.map(({ created_at, ...one }: Record<string, unknown>) => {
          assert.ok(Number.isFinite(Date.parse(String(created_at))));
          return one;
        }),
        [
          {
            entity_id: 'c',
            entity_type: 'Page',
            reason: 'too large',
            detail: '22 MB, more than 20 MB',
            hint: 'split it',
          },
          {
            entity_id: 'd',
            entity_type: 'Post',
            reason: 'of a kind without text',
            detail: null,
            hint: null,
          },
        ],
      );
      assert.deepEqual(await quarry.ok('GET', `${jobPath}/failures`), []);
    });

    it('[JOB-49] a job lists the first 1,000 records that were left out, and counts all of them', async () => {
      const many = Array.from({ length: 1100 }, (_, i) =>
        skip(`s${i}`, 'Page', { reason: 'too large' }),
      );
      world.items = whole(...many, page('a'));
      const job = await run();
      assert.equal(job.entities_skipped, 1100);
      assert.deepEqual(job.skipped_by_reason, { 'too large': 1100 });
      const { headers, body } = await quarry.call(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/skipped?skip=999&limit=10`,
      );
      assert.equal(headers['x-total-count'], '1000');
      assert.deepEqual(
        body.map((one: { entity_id: string }) => one.entity_id),
        ['s999'],
      );
    });

    it('[CON-41] a record that must not be stored is deleted at once, and a record that is only left out stays until a sweep', async () => {
      world.items = whole(page('a'), page('b'), page('c'));
      await run();
      const removes = { removes: 'record' } as const;
      world.items = [
        skip('a', 'Page', { reason: 'too large' }),
        skip('b', 'Page', { reason: 'a secret', ...removes }),
        lost('', new SourceError('skip', 'no answer')),
      ];
      const job = await run();
      const left = (await records()).map((record) => record.entity_id).toSorted();
      assert.deepEqual(left, ['a', 'c']);
      assert.deepEqual([job.entities_deleted, job.entities_skipped], [1, 2]);
      assert.ok(!(await found('text of b')).includes('b__chunk_0'));
    });

    it('[CON-41] the sweep deletes a partition that must not be stored, with everything below it', async () => {
      const inPart = (id: string, partition: string) =>
        upsert({ id, type: 'Page', name: id, text: id, fields: {} }, { partition });
      world.items = [
        inPart('a1', 'a'),
        inPart('b1', 'b'),
        inPart('b2', 'b/x/y'),
        inPart('c1', 'bc'),
      ];
      await run();
      const silent = new SourceError('skip', 'no answer');
      world.items = [
        skip('b', 'Part', { reason: 'a secret', removes: 'partition' }),
        inPart('b3', 'b/z'),
        ...['', 'a', 'b', 'bc'].map((partition) => lost(partition, silent)),
      ];
      await run();
      const left = (await records()).map((record) => record.entity_id).toSorted();
      assert.deepEqual(left, ['a1', 'b3', 'c1']);
    });

    it('a sync sweeps only partitions that were listed to their end', async () => {
      const inPart = (id: string, partition: string) =>
        upsert({ id, type: 'Page', name: id, text: id, fields: {} }, { partition });
      const full = [
        inPart('a1', 'a'),
        listed('a'),
        inPart('b1', 'b'),
        inPart('b2', 'b/x'),
        listed('b'),
        listed('b/x'),
        inPart('c1', 'c'),
        listed('c'),
      ];
      world.items = full;
      await run();
      world.items = [listed('a'), lost('b', new SourceError('transient', 'no answer'))];
      const job = await run();
      assert.deepEqual((await records()).map((record) => record.entity_id).toSorted(), [
        'b1',
        'b2',
      ]);
      assert.equal(job.entities_deleted, 2);
      assert.equal(job.entities_failed, 1);
    });

    it('a sync deletes nothing when its pull breaks off', async () => {
      world.items = whole(page('a'), page('b'));
      await run();
      world.items = [
        page('a'),
        () => {
          throw new SourceError('transient', 'the world went away');
        },
      ];
      const job = await run();
      assert.equal(job.status, 'failed');
      assert.equal(job.error, 'the world went away');
      const { body: jobs } = await quarry.call('GET', `/v1/source-connections/${connection}/jobs`);
      assert.deepEqual(jobs[0].error_details, {
        code: 'transient',
        stage: 'pull',
        message: 'the world went away',
        retryable: true,
      });
      assert.equal((await records()).length, 2);
      const { status, sync } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual([status, sync.total_runs, sync.failed_runs], ['ERROR', 2, 1]);
    });

    it('[JOB-20] an unexpected error is reported without its details', async () => {
      world.items = [
        () => {
          throw new Error('secret path /etc/passwd');
        },
      ];
      const job = await run();
      assert.equal(job.status, 'failed');
      assert.doesNotMatch(JSON.stringify(job), /passwd/);
    });

    it('[CON-33] a connection with refused credentials is NEEDS_REAUTH until they are renewed', async () => {
      world.password = 'new';
      await run();
      const refused = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual([refused.status, refused.auth.authenticated], ['NEEDS_REAUTH', false]);
      const wrong = await quarry.call('PATCH', `/v1/source-connections/${connection}`, {
        authentication: { credentials: { password: 'still wrong' } },
      });
      assert.equal(wrong.status, 422);
      assert.match(JSON.stringify(wrong.body), /the world answered: wrong password/);
      const renewed = await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        authentication: { credentials: { password: 'new' } },
      });
      assert.equal(renewed.auth.authenticated, true);
      assert.equal((await run()).status, 'completed');
    });

    it('[JOB-44] many deletions are held back until somebody confirms them', async () => {
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      world.items = whole(...pages);
      await run();
      world.items = whole(...pages.slice(0, 9));
      const job = await run();
      assert.equal(job.status, 'completed');
      assert.equal(job.entities_deleted, 0);
      const { body: jobs } = await quarry.call('GET', `/v1/source-connections/${connection}/jobs`);
      assert.equal(jobs[0].error_details.code, 'deletions_need_confirmation');
      assert.match(jobs[0].error_details.message, /^51 entities/);
      assert.equal((await records()).length, 60);
      const path = `/v1/source-connections/${connection}`;
      const held = async () =>
        (await quarry.ok('GET', `${path}/jobs/${job.id}/held-back?limit=1000`)) as {
          entity_id: string;
          name: string;
        }[];
      const waiting = async () => (await quarry.ok('GET', path)).deletions_held_back;
      assert.deepEqual([jobs[0].deletions_held_back, job.deletions_held_back], [51, 51]);
      assert.deepEqual(await waiting(), { job_id: job.id, count: 51 });
      assert.deepEqual(
        new Set((await held()).map(({ entity_id, name }) => `${entity_id} ${name}`)),
        new Set(Array.from({ length: 51 }, (_, i) => `p${i + 9} p${i + 9}`)),
      );
      const { body: some, headers } = await quarry.call(
        'GET',
        `${path}/jobs/${job.id}/held-back?skip=50&limit=5`,
      );
      assert.deepEqual([some.length, headers['x-total-count']], [1, '51']);
      await quarry.ok(
        'POST',
        `/v1/source-connections/${connection}/jobs/${job.id}/confirm-deletions`,
      );
      const confirmed = await quarry.settled(connection);
      assert.equal(confirmed.entities_deleted, 51);
      assert.deepEqual([await held(), await waiting()], [[], null]);
      const again = await quarry.call(
        'POST',
        `/v1/source-connections/${connection}/jobs/${job.id}/confirm-deletions`,
      );
      assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
      assert.equal((await records()).length, 9);
    });

    it('an incremental sync lists the deletions that it holds back, and not those that a later sync finds again', async () => {
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        schedule: { continuous: true, cursor_field: 'at' },
      });
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      world.items = [...whole(...pages), checkpoint(1)];
      await run();
      world.items = [listed(''), checkpoint(2)];
      const job = await run();
      assert.deepEqual([job.sync_metadata.full, job.deletions_held_back], [false, 60]);
      const path = `/v1/source-connections/${connection}`;
      const held = async () =>
        (await quarry.ok('GET', `${path}/jobs/${job.id}/held-back`)).map(
          (one: { entity_id: string }) => one.entity_id,
        );
      assert.equal((await held()).length, 60);
      world.items = [page('p0', { text: 'again' }), remove('p1'), checkpoint(3)];
      await run();
      assert.deepEqual((await quarry.ok('GET', path)).deletions_held_back, {
        job_id: job.id,
        count: 60,
      });
      assert.deepEqual(new Set(await held()), new Set(pages.slice(2).map((_, i) => `p${i + 2}`)));
    });

    it('many deletions after a change of the configuration need no confirmation', async () => {
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      world.items = whole(...pages);
      await run();
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, { config: { part: 'one' } });
      world.items = whole();
      assert.equal((await run()).entities_deleted, 60);
    });

    it('[JOB-14] [JOB-17] [JOB-18] [JOB-19] a cancelled job keeps the records that it has committed', async () => {
      let reached = () => {};
      const waiting = new Promise<void>((resolve) => {
        reached = resolve;
      });
      let goOn = () => {};
      world.items = [
        page('a'),
        checkpoint(1),
        () =>
          new Promise<void>((resolve) => {
            goOn = resolve;
            reached();
          }),
        page('b'),
        checkpoint(2),
        page('c'),
        listed(''),
      ];
      const started = await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      assert.deepEqual(
        [started.status, started.started_at, started.duration_seconds, started.entities_inserted],
        ['PENDING', null, null, 0],
      );
      await waiting;
      const { modified_at: before } = await quarry.ok('GET', `/v1/sync/jobs/${started.id}`);
      const cancelled = await quarry.ok('POST', `/v1/sync/jobs/${started.id}/cancel`);
      assert.equal(cancelled.status, 'cancelling');
      assert.ok(cancelled.modified_at > before);
      assert.equal(cancelled.modified_by_email, 'owner@localhost');
      goOn();
      const job = await quarry.settled(connection);
      assert.equal(job.status, 'cancelled');
      const stored = (await records()).map((record) => record.entity_id);
      assert.ok(stored.includes('a') && !stored.includes('c'), stored.join());
      assert.deepEqual(counters(job), [stored.length, 0, 0, 0, 0, 0]);
      assert.equal((await found('text of a'))[0], 'a__chunk_0');
      const again = await quarry.call('POST', `/v1/sync/jobs/${started.id}/cancel`);
      assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    });

    it('[JOB-34] [JOB-35] [JOB-36] [JOB-38] a continuous connection goes on from its cursor', async () => {
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        schedule: { continuous: true, cursor_field: 'at' },
      });
      world.items = [...whole(page('a')), checkpoint(5)];
      const first = await run();
      assert.equal(first.sync_metadata.full, true);
      world.items = [page('b'), checkpoint(6), remove('a')];
      const second = await run();
      assert.equal(second.sync_metadata.full, false);
      assert.deepEqual(counters(second), [1, 0, 1, 0, 0, 0]);
      world.items = [...whole(page('b')), checkpoint(7)];
      const forced = await quarry.sync(connection, '?force_full_sync=true');
      assert.equal(forced.sync_metadata.full, true);
      assert.deepEqual(world.pulls, [
        { cursor: null, cursorField: 'at', bookmark: null },
        { cursor: 5, cursorField: 'at', bookmark: null },
        { cursor: null, cursorField: 'at', bookmark: null },
      ]);
    });

    it('[JOB-42] a record of which only the times changed counts as kept, and its new times are shown', async () => {
      world.items = whole(page('a', { updatedAt: new Date('2026-01-01T00:00:00Z') }));
      await run();
      world.items = whole(page('a', { updatedAt: new Date('2026-02-01T00:00:00Z') }));
      assert.deepEqual(counters(await run()), [0, 0, 0, 1, 0, 0]);
      const { results } = await quarry.ok('POST', `/v1/collections/${collection}/search`, {
        query: 'text',
        filter: { must: [{ key: 'updated_at', range: { gte: '2026-01-15T00:00:00Z' } }] },
      });
      assert.equal(results[0]?.metadata.updated_at, '2026-02-01T00:00:00.000Z');
    });

    it('[COL-10] [COL-11] [COL-12] [COL-13] without vector handlers a collection has no search results, and without metadata handlers no list of records', async () => {
      world.items = whole(page('a'));
      await run();
      const handlers = (vectors: boolean, metadata: boolean) =>
        quarry.ok('PATCH', `/v1/collections/${collection}`, {
          sync_config: {
            handlers: { enable_vector_handlers: vectors, enable_metadata_handlers: metadata },
          },
        });
      await handlers(false, true);
      assert.deepEqual(await found('text'), ['a__chunk_0']);
      await run();
      assert.deepEqual(await found('text'), []);
      assert.equal((await records()).length, 1);
      await handlers(true, false);
      await run();
      assert.deepEqual(await found('text'), ['a__chunk_0']);
      assert.deepEqual(await records(), []);
      assert.deepEqual(counters(await run()), [0, 0, 0, 1, 0, 0]);
    });
  });
}
