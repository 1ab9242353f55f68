/**
 * Tests what sources of cloud services report besides records: partitions that an incremental pull has listed whole, a
 * cursor that the service no longer knows, values that a stub carries from the listing to the hydration, and HTML.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { SourceError } from '../../errors.ts';
import { defineSource, type Source } from '../../sources/define.ts';
import {
  bookmark,
  checkpoint,
  listed,
  lost,
  type SourceItem,
  type Stub,
  stub,
  upsert,
} from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World } from './source.ts';

for (const database of DATABASES) {
  describe(`what cloud sources report, on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let hydrated: Stub[] = [];
    let collection: string;
    let connection: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      const source: Source = {
        ...test.source,
        async *hydrate(_ctx, stubs) {
          hydrated.push(...stubs);
          for (const { id, version, partition, carry } of stubs) {
            const text = `carried ${JSON.stringify(carry)}`;
            yield upsert({ id, type: 'Page', name: id, text, fields: {} }, { version, partition });
          }
        },
      };
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', source]]),
      });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      Object.assign(world, { items: [], members: [], pulls: [] });
      hydrated = [];
      collection = `cloud-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Cloud', readable_id: collection });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null, continuous: true, cursor_field: 'at' },
      });
      connection = id;
    });

    const run = (...items: World['items']) => {
      world.items = items;
      return quarry.sync(connection);
    };
    const records = async () => {
      const rows = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      return rows.map((row: { entity_id: string }) => row.entity_id).toSorted();
    };
    const inPart = (id: string, partition: string, text = id): SourceItem =>
      upsert({ id, type: 'Page', name: id, text, fields: {} }, { partition });
    const cursors = () => world.pulls.map(({ cursor }) => cursor);
    const forgotten = () => {
      throw new SourceError('outdated', 'the page token is too old');
    };

    describe('a partition that an incremental pull has listed whole', () => {
      const all = ['a', 'a/b', 'c'].flatMap((part) => [
        inPart(`${part}-1`, part),
        inPart(`${part}-2`, part),
        listed(part),
      ]);

      it('[JOB-38] the sweep deletes the records that the pull did not yield, in this partition only', async () => {
        await run(...all, checkpoint(1));
        const job = await run(inPart('a-2', 'a', 'new'), listed('a'), checkpoint(2));
        assert.deepEqual([job.sync_metadata.full, job.entities_deleted], [false, 1]);
        assert.deepEqual(await records(), ['a-2', 'a/b-1', 'a/b-2', 'c-1', 'c-2']);
        assert.deepEqual(
          await quarry
            .find(collection, 'a-1', { limit: 3 })
            .then((ids) => ids.includes('a-1__chunk_0')),
          false,
        );
      });

      if (isSmokeEnough(database)) return;

      it('[JOB-38] the sweep keeps records that are unchanged, that failed, or that the pull yielded before those of another partition', async () => {
        await run(...all, checkpoint(1));
        const error = new SourceError('skip', 'broken');
        const job = await run(
          inPart('c-1', 'c'),
          inPart('a-1', 'a'),
          {
            kind: 'fail',
            id: 'a-2',
            type: 'Page',
            reason: error.message,
            detail: null,
            hint: null,
          },
          listed('a'),
          listed('c'),
          checkpoint(2),
        );
        assert.deepEqual([job.entities_deleted, job.entities_failed], [1, 1]);
        assert.deepEqual(await records(), ['a-1', 'a-2', 'a/b-1', 'a/b-2', 'c-1']);
      });

      it('[JOB-38] the sweep deletes nothing in a lost partition, or below it', async () => {
        await run(...all, checkpoint(1));
        const error = new SourceError('skip', 'forbidden');
        assert.equal((await run(lost('a', error), listed('a'), listed('a/b'))).entities_deleted, 0);
        assert.equal((await records()).length, 6);
      });

      it('[JOB-44] [JOB-38] many deletions need a confirmation, also when they are spread over many partitions', async () => {
        const parts = Array.from({ length: 10 }, (_, i) => `p${i}`);
        const items = (count: number) =>
          parts.flatMap((part) => [
            ...Array.from({ length: count }, (_, i) => inPart(`${part}-${i}`, part)),
            listed(part),
          ]);
        await run(...items(12), checkpoint(1));
        const job = await run(...items(2), checkpoint(2));
        // 50 deletions are not suspicious, so those of five partitions are made. The sixth
        // partition would make it 60.
        assert.equal(job.entities_deleted, 50);
        const [shown] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
        assert.equal(shown.error_details.code, 'deletions_need_confirmation');
        assert.match(shown.error_details.message, /^50 entities/);
        assert.equal((await records()).length, 70);
        world.items = items(2);
        const url = `/v1/source-connections/${connection}/jobs/${shown.id}/confirm-deletions`;
        await quarry.ok('POST', url);
        assert.equal((await quarry.settled(connection)).entities_deleted, 50);
        assert.equal((await records()).length, 20);
        assert.equal((await quarry.call('POST', url)).status, 409, 'a newer full sync has run');
      });

      it('[JOB-44] [JOB-38] the deletions of all attempts of a job are counted together, and those held back are shown when another attempt ends the job', async () => {
        const part = (name: string, count: number) => [
          ...Array.from({ length: count }, (_, i) => inPart(`${name}-${i}`, name)),
          listed(name),
        ];
        await run(...part('a', 40), ...part('b', 40), ...part('c', 40), checkpoint(1));
        let breaks = true;
        const breakOnce = () => {
          if (!breaks) return;
          breaks = false;
          throw new SourceError('transient', 'the line broke', { retryAfter: 600 });
        };
        world.items = [...part('a', 1), ...part('b', 1), checkpoint(2), breakOnce, ...part('c', 1)];
        const { id } = await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
        await until(async () => (breaks ? undefined : true));
        world.items = [...part('c', 1), checkpoint(3)];
        const job = await quarry.settled(connection, { hurry: true });
        assert.deepEqual([job.id, job.sync_metadata.attempt, cursors()], [id, 2, [null, 1, 2]]);
        assert.equal(job.entities_deleted, 39);
        const [shown] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
        assert.match(shown.error_details.message, /^78 entities/);
        assert.equal((await records()).length, 81);
      });

      it('[JOB-39] the records of a partition are deleted before the next cursor is stored', async () => {
        if (database.name !== 'sqlite') return;
        await run(...all, checkpoint(1));
        await sql`create trigger no_deletion before delete on entities begin select raise(abort, 'no'); end`.execute(
          quarry.db,
        );
        const broken = await run(inPart('a-2', 'a', 'new'), listed('a'), checkpoint(2));
        await sql`drop trigger no_deletion`.execute(quarry.db);
        assert.equal(broken.status, 'failed');
        await run(inPart('a-2', 'a', 'new'), listed('a'), checkpoint(2));
        assert.deepEqual(cursors(), [null, 1, 1]);
        assert.equal((await records()).includes('a-1'), false);
      });
    });

    describe('a cursor or bookmark that the source no longer knows', () => {
      it('[CON-39] the same job begins again without the cursor, and sweeps', async () => {
        await run(page('a'), page('gone'), listed(''), checkpoint(1));
        let first = true;
        world.items = [
          () => {
            if (!first) return;
            first = false;
            forgotten();
          },
          page('a'),
          page('b'),
          listed(''),
          checkpoint(9),
        ];
        const job = await quarry.sync(connection);
        assert.deepEqual(
          [job.status, job.sync_metadata.full, job.sync_metadata.attempt, job.entities_deleted],
          ['completed', true, 2, 1],
        );
        assert.deepEqual(await records(), ['a', 'b']);
        assert.deepEqual(cursors(), [null, 1, null]);
        assert.deepEqual(
          job.warnings.map(({ code, count }: { code: string; count: number }) => [code, count]),
          [['began_again', 1]],
        );
        await run(checkpoint(10));
        assert.equal(cursors().at(-1), 9);
      });

      it('[CON-39] a partition that only the outdated attempt had listed does not count as listed, so nothing in it is deleted', async () => {
        await run(inPart('x', 'a'), inPart('y', 'a'), listed('a'));
        world.items = [
          inPart('x', 'a'),
          listed('a'),
          bookmark({ page: 2 }),
          () => {
            world.items = [
              () => {
                world.items = [
                  inPart('y', 'b'),
                  listed('b'),
                  lost('a', new SourceError('skip', 'no')),
                ];
                forgotten();
              },
            ];
            throw new SourceError('transient', 'the line broke');
          },
        ];
        const job = await quarry.sync(connection, '?force_full_sync=true');
        assert.deepEqual(
          world.pulls.slice(1).map((pull) => pull.bookmark),
          [null, { page: 2 }, null],
        );
        assert.equal(job.status, 'completed');
        // The first attempt listed 'a' and met 'x' in it. The last attempt lost 'a', so nothing in
        // 'a' is deleted.
        assert.deepEqual(await records(), ['x', 'y']);
        assert.equal(job.entities_deleted, 0);
      });

      it('[CON-39] the job fails if it began without a cursor and a bookmark, and at its fourth outdated attempt', async () => {
        const job = await run(forgotten);
        assert.deepEqual([job.status, job.sync_metadata.attempt], ['failed', 1]);
        assert.match(job.error, /too old/);
        const again = await run(page('a'), bookmark(1), forgotten);
        assert.deepEqual([again.status, again.sync_metadata.attempt], ['failed', 4]);
        assert.equal(again.warnings[0].count, 3);
      });
    });

    if (isSmokeEnough(database)) return;

    it('`hydrate` receives the values that a stub carries, and only stubs whose version has changed', async () => {
      const listing = (version: string) => [
        stub('a', 'Page', { version, carry: { author: `ann ${version}` } }),
        stub('b', 'Page', { version: '1' }),
        listed(''),
      ];
      await run(...listing('1'));
      await quarry.sync(connection, '?force_full_sync=true');
      world.items = listing('2');
      await quarry.sync(connection, '?force_full_sync=true');
      assert.deepEqual(
        hydrated.map(({ id, carry }) => [id, carry]),
        [
          ['a', { author: 'ann 1' }],
          ['b', undefined],
          ['a', { author: 'ann 2' }],
        ],
      );
      assert.deepEqual(await quarry.find(collection, 'ann 2'), ['a__chunk_0']);
    });

    it('HTML of a record is read like an HTML file, a change of it counts as a change of the record, and HTML nested too deep harms only its record', async () => {
      const html = (word: string) =>
        page('a', { text: '', html: `<h1>Title</h1><p>The <i></i>${word}.` });
      const first = await run(html('heron'), page('b'), listed(''));
      assert.equal(first.entities_inserted, 2);
      const search = (query: string) =>
        quarry.ok('POST', `/v1/collections/${collection}/search`, {
          query,
          limit: 1,
          generate_answer: false,
        });
      const { results } = await search('heron');
      assert.match(results[0].md_content, /^# Title\n\nThe heron\.$/);
      assert.equal(results[0].metadata.heading, 'Title');
      const again = await run(html('heron'));
      assert.deepEqual([again.entities_kept, again.entities_updated], [1, 0]);
      const changed = await run(html('kingfisher'));
      assert.equal(changed.entities_updated, 1);
      const nested = await run(page('a', { text: '', html: '<div>'.repeat(2_000_000) }), page('b'));
      assert.deepEqual(
        [nested.status, nested.entities_failed + nested.entities_skipped],
        ['completed', 1],
      );
    });
  });
}

describe('a source with a cursor', () => {
  it('must say how its deletions are found', () =>
    assert.throws(
      () =>
        defineSource({
          ...(testWorld().source as Parameters<typeof defineSource>[0]),
          deletions: undefined as never,
        }),
      { message: 'world has a cursor and does not say how its deletions are found' },
    ));
});
