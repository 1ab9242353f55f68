/** Tests where a job goes on after its source broke off or asked for a pause, and what it shows meanwhile. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { bookmark, checkpoint, fail, listed, lost, remove, skip } from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World } from './source.ts';

for (const database of DATABASES) {
  describe(`resumed syncs on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
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
      const collection = `resumed-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Resumed', readable_id: collection });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
      });
      connection = id;
    });

    const path = () => `/v1/source-connections/${connection}`;
    const run = (items: World['items']) => {
      world.items = items;
      return quarry.sync(connection);
    };
    const records = async () => {
      const rows = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      return rows.map((row: { entity_id: string }) => row.entity_id).toSorted();
    };
    /** Throws once; from then on the world lists these items. */
    const onceThen = (error: SourceError, items: World['items']) => () => {
      world.items = items;
      throw error;
    };
    const gone = new SourceError('transient', 'the world went away');
    const part = (id: string, partition: string) => ({ ...page(id), partition });
    const jobRow = () =>
      quarry.db
        .selectFrom('sync_jobs')
        .selectAll()
        .where('connection_id', '=', connection)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
    const bookmarks = async () => {
      const jobs = await quarry.db
        .selectFrom('sync_jobs')
        .select('bookmark')
        .where('connection_id', '=', connection)
        .execute();
      return jobs.map((job) => job.bookmark);
    };
    const parts = () => quarry.db.selectFrom('job_partitions').selectAll().execute();

    it('[JOB-43] a full pull goes on at its bookmark, counts nothing twice, and sweeps the partitions that it listed before and after', async () => {
      await run([
        ...['a1', 'a2', 'a3'].map((id) => part(id, 'a')),
        ...['b1', 'b2'].map((id) => part(id, 'b')),
        ...['c1', 'c2'].map((id) => part(id, 'c')),
        listed('a'),
        listed('b'),
        listed('c'),
      ]);
      const job = await run([
        part('a1', 'a'),
        skip('big', 'Page', { reason: 'too large', detail: '9 MB' }),
        fail('odd', 'Page', new SourceError('skip', 'odd')),
        listed('a'),
        lost('b', new SourceError('skip', 'no answer')),
        bookmark({ at: 1 }),
        part('c1', 'c'),
        skip('after', 'Page', { reason: 'without text' }),
        fail('later', 'Page', new SourceError('skip', 'odd')),
        checkpoint(1),
        onceThen(gone, [
          part('c1', 'c'),
          skip('after', 'Page', { reason: 'without text' }),
          fail('later', 'Page', new SourceError('skip', 'odd')),
          listed('c'),
        ]),
      ]);
      assert.deepEqual(
        world.pulls.slice(1).map((pull) => pull.bookmark),
        [null, { at: 1 }],
      );
      assert.equal(job.status, 'completed');
      const { attempt, full } = job.sync_metadata;
      assert.deepEqual([attempt, full], [2, true]);
      // The pull listed partition a without a2 and a3, and partition c without c2. Partition b
      // could not be listed.
      assert.deepEqual(await records(), ['a1', 'b1', 'b2', 'c1']);
      assert.deepEqual(
        [job.entities_kept, job.entities_deleted, job.entities_skipped, job.entities_failed],
        [2, 3, 2, 3],
      );
      assert.deepEqual(job.entities_encountered, { Page: 6, partition: 1 });
      const none = { inserted: 0, updated: 0, deleted: 0, kept: 0, skipped: 0, failed: 0 };
      assert.deepEqual(job.entities_by_type, {
        Page: { ...none, kept: 2, deleted: 3, skipped: 2, failed: 2 },
        partition: { ...none, failed: 1 },
      });
      const failures = await quarry.ok('GET', `${path()}/jobs/${job.id}/failures`);
      assert.deepEqual(
        failures.map(({ entity_id }: { entity_id: string }) => entity_id),
        ['odd', 'b', 'later'],
      );
      const skipped = await quarry.ok('GET', `${path()}/jobs/${job.id}/skipped`);
      assert.deepEqual(
        skipped.map((one: Record<string, string>) => [one.entity_id, one.reason, one.detail]),
        [
          ['big', 'too large', '9 MB'],
          ['after', 'without text', null],
        ],
      );
      assert.deepEqual(job.skipped_by_reason, { 'too large': 1, 'without text': 1 });
      assert.deepEqual([await bookmarks(), await parts()], [[null, null], []]);
    });

    if (isSmokeEnough(database)) return;

    for (const [how, mark] of [
      ['starts again', checkpoint(1)],
      ['goes on at its bookmark', bookmark({ at: 1 })],
    ] as const)
      it(`[CON-41] [JOB-43] a job that ${how} counts each record with a secret once`, async () => {
        // The token is in parts, so that a scanner for secrets finds none in this file.
        const text = ['gh', 'p_', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('');
        await run([page('kept', { text }), listed('')]);
        const items = [page('kept', { text }), page('new', { text }), page('plain')];
        const rest = [page('late', { text }), page('new', { text }), listed('')];
        const all = how === 'starts again' ? [...items, ...rest] : rest;
        const job = await run([...items, mark, onceThen(gone, all)]);
        assert.deepEqual([job.status, job.sync_metadata.attempt], ['completed', 2]);
        const [{ count, examples }] = job.warnings;
        assert.deepEqual([count, examples.toSorted()], [3, ['kept', 'late', 'new']]);
      });

    it('[JOB-21] [JOB-26] an incremental pull that goes on at its cursor keeps what it left out before the cursor, and counts the rest once', async () => {
      await quarry.ok('PATCH', path(), {
        schedule: { cron: null, continuous: true, cursor_field: 'at' },
      });
      await run([page('a'), listed(''), checkpoint(1)]);
      const odd = (id: string) => fail(id, 'Page', new SourceError('skip', 'odd'));
      const big = (id: string) => skip(id, 'Page', { reason: 'too large' });
      const rest = [odd('late'), big('after'), page('c')];
      const job = await run([
        ...[page('b'), odd('odd'), big('big'), lost('b', new SourceError('skip', 'no answer'))],
        checkpoint(2),
        ...rest,
        // This attempt stores no cursor, and keeps what an earlier one has settled.
        onceThen(gone, [page('b'), onceThen(gone, rest)]),
      ]);
      assert.deepEqual(
        world.pulls.map(({ cursor }) => cursor),
        [null, 1, 2, 2],
      );
      assert.deepEqual([job.status, job.sync_metadata.full], ['completed', false]);
      assert.deepEqual([job.entities_failed, job.entities_skipped], [3, 2]);
      const listedAs = async (kind: string) => {
        const rows = await quarry.ok('GET', `${path()}/jobs/${job.id}/${kind}`);
        return rows.map(({ entity_id }: { entity_id: string }) => entity_id).toSorted();
      };
      assert.deepEqual(await listedAs('failures'), ['b', 'late', 'odd']);
      assert.deepEqual(await listedAs('skipped'), ['after', 'big']);
      assert.deepEqual(job.skipped_by_reason, { 'too large': 2 });
      assert.deepEqual(job.entities_by_type.Page.failed, 2);
      assert.equal((await jobRow()).settled, null);
    });

    it('[JOB-21] a job that becomes full because its cursor is outdated forgets what it left out before', async () => {
      await quarry.ok('PATCH', path(), {
        schedule: { cron: null, continuous: true, cursor_field: 'at' },
      });
      await run([page('a'), listed(''), checkpoint(1)]);
      const odd = fail('odd', 'Page', new SourceError('skip', 'odd'));
      const outdated = new SourceError('outdated', 'the cursor is not known');
      const job = await run([odd, checkpoint(2), onceThen(outdated, [odd, listed('')])]);
      assert.deepEqual([job.sync_metadata.full, job.entities_failed], [true, 1]);
    });

    it('[JOB-43] a partition that was lost between two bookmarks stays lost, even if it had been listed before', async () => {
      await run([part('a1', 'a'), part('b1', 'b'), part('b2', 'b'), listed('a'), listed('b')]);
      const job = await run([
        part('b1', 'b'),
        listed('b'),
        bookmark(1),
        lost('b', new SourceError('skip', 'gone meanwhile')),
        bookmark(2),
        onceThen(gone, [part('a2', 'a'), listed('a'), bookmark(3)]),
      ]);
      assert.equal(world.pulls.at(-1)?.bookmark, 2);
      assert.equal((await jobRow()).retries, 0, 'the attempt made progress');
      assert.equal(job.entities_deleted, 1);
      assert.deepEqual(await records(), ['a2', 'b1', 'b2']);
    });

    it('[JOB-43] a partition that was met before the bookmark and not listed to its end is not swept', async () => {
      await run([
        ...['a1', 'a2'].map((id) => part(id, 'a')),
        ...['b1', 'b2'].map((id) => part(id, 'b')),
        ...['c1', 'c2', 'c3'].map((id) => part(id, 'c')),
        listed('a'),
        listed('b'),
        listed('c'),
      ]);
      const job = await run([
        part('a1', 'a'),
        part('b1', 'b'),
        bookmark({ at: 1 }),
        // From here on, no stored record shows that the pull met the partitions a and b.
        part('a1', 'c'),
        remove('b1'),
        part('c1', 'c'),
        listed('c'),
        bookmark({ at: 2 }),
        onceThen(gone, []),
      ]);
      assert.deepEqual([job.status, job.sync_metadata.attempt], ['completed', 2]);
      assert.deepEqual(await records(), ['a1', 'a2', 'b2', 'c1']);
    });

    it('[JOB-43] over any number of bookmarks, a listed partition stays listed, and a lost one stays lost even when it is also listed', async () => {
      await run(['a', 'b', 'c'].flatMap((name) => [part(`${name}1`, name), listed(name)]));
      const silent = new SourceError('skip', 'no answer');
      const job = await run([
        ...[listed('a'), listed('a'), lost('a', silent), lost('b', silent)],
        bookmark({ at: 1 }),
        ...[listed('a'), listed('b'), part('c2', 'c'), listed('c')],
        bookmark({ at: 2 }),
        part('c2', 'c'),
        bookmark({ at: 3 }),
        onceThen(gone, []),
      ]);
      assert.deepEqual([job.status, job.sync_metadata.attempt], ['completed', 2]);
      assert.deepEqual(await records(), ['a1', 'b1', 'c2']);
    });

    it('[JOB-43] a bookmark is not used after a change of the configuration', async () => {
      const again = [part('a1', 'a'), part('b1', 'b'), listed('a'), listed('b')];
      const job = await run([
        part('a1', 'a'),
        skip('big', 'Page', { reason: 'too large' }),
        listed('a'),
        bookmark(1),
        async () => {
          await quarry.ok('PATCH', path(), { config: { part: 'some' } });
          onceThen(gone, again)();
        },
      ]);
      assert.deepEqual(
        world.pulls.map((pull) => pull.bookmark),
        [null, null],
      );
      assert.deepEqual([job.entities_inserted, job.entities_skipped], [2, 0]);
    });

    it('[JOB-15] a network error fails the job at the third attempt in a row', async () => {
      let broken = 0;
      const breakOff = () => {
        broken++;
        throw gone;
      };
      const job = await run([page('a'), breakOff]);
      assert.deepEqual([job.status, job.error, broken], ['failed', 'the world went away', 3]);
      assert.equal((await jobRow()).waits_for, null);
    });

    it('[JOB-15] a network error fails a scheduled job only at the sixth attempt in a row', async () => {
      let broken = 0;
      const breakOff = async () => {
        broken++;
        const jobs = quarry.db.updateTable('sync_jobs').set({ trigger: 'schedule' });
        await jobs.where('connection_id', '=', connection).execute();
        throw gone;
      };
      const job = await run([page('a'), breakOff]);
      assert.deepEqual([job.status, job.error, broken], ['failed', 'the world went away', 6]);
    });

    it('[JOB-15] a job waits as long as its source asks, and occupies no worker meanwhile', async () => {
      const limit = new SourceError('rate_limited', 'slow down', { retryAfter: 3600 });
      world.items = [page('a'), bookmark(1), onceThen(limit, [page('b'), listed('')])];
      const { id } = await quarry.ok('POST', `${path()}/run`);
      const waiting = await until(async () => {
        const row = await jobRow();
        return row.waits_until === null ? undefined : row;
      });
      assert.equal(waiting.status, 'RUNNING');
      assert.equal(waiting.waits_for, 'slow down');
      const inAnHour = Number(waiting.waits_until) - Date.now();
      assert.ok(inAnHour > 3_500_000 && inAnHour <= 3_600_000);
      const queued = () =>
        quarry.db
          .selectFrom('jobs')
          .select(['run_at', 'lease_token'])
          .where('lane', '=', connection)
          .executeTakeFirst();
      const row = await until(async () => {
        const one = await queued();
        return one?.lease_token === null ? one : undefined;
      });
      // `run_at` follows the clock of the database and was computed a moment later, so the two
      // times differ a little.
      assert.ok(Math.abs(row.run_at - Number(waiting.waits_until)) < 5000);
      // This ends the hour for the job, and `hurry` ends it for the queue.
      await quarry.db
        .updateTable('sync_jobs')
        .set({ waits_until: Date.now() })
        .where('id', '=', id)
        .execute();
      const job = await quarry.settled(connection, { hurry: true });
      assert.deepEqual([job.id, job.status, job.sync_metadata.attempt], [id, 'completed', 2]);
      assert.deepEqual(await records(), ['a', 'b']);
    });

    it('[JOB-47] an old job may wait again if it has made progress within the last day, and fails otherwise', async () => {
      const DAY = 24 * 3_600_000;
      const limit = new SourceError('rate_limited', 'slow down', { retryAfter: 0 });
      /** The job looks as if it had begun, and made its last progress, so many milliseconds ago. */
      const age = (ms: number) => async () => {
        const then = Date.now() - ms;
        await quarry.db
          .updateTable('sync_jobs')
          .set({ started_at: then, progressed_at: then })
          .where('id', '=', (await jobRow()).id)
          .execute();
      };
      const further = await run([
        age(DAY),
        ...[page('a'), checkpoint(1)],
        onceThen(limit, [...[age(2 * DAY), bookmark(1)], onceThen(limit, [listed('')])]),
      ]);
      assert.deepEqual([further.status, further.sync_metadata.attempt], ['completed', 3]);
      const stuck = await run([age(DAY), onceThen(limit, [listed('')])]);
      assert.deepEqual([stuck.status, stuck.error], ['failed', 'slow down']);
    });

    it('[JOB-15] a network error is retried again when the attempt made progress before it', async () => {
      // Three attempts without progress end a job. This is the third attempt, and it has made progress.
      const again = onceThen(gone, [page('c'), listed('')]);
      const job = await run([
        page('a'),
        onceThen(gone, [page('a'), onceThen(gone, [bookmark(1), again])]),
      ]);
      assert.deepEqual([job.status, job.sync_metadata.attempt], ['completed', 4]);
    });

    it('[JOB-17] a job that waits for its source is cancelled at once', async () => {
      const limit = new SourceError('rate_limited', 'slow down', { retryAfter: 3600 });
      world.items = [page('a'), onceThen(limit, [])];
      const { id } = await quarry.ok('POST', `${path()}/run`);
      await until(async () => ((await jobRow()).waits_until === null ? undefined : true));
      await quarry.ok('POST', `${path()}/jobs/${id}/cancel`);
      const job = await quarry.settled(connection);
      assert.equal(job.status, 'cancelled');
      assert.equal(world.pulls.length, 1);
    });
  });
}
