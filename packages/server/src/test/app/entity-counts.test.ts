/** Tests the counts of entities over time, as the API shows them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { checkpoint } from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

for (const database of DATABASES)
  describe(`counts of entities over time on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;

    before(async () => {
      const test = testWorld();
      world = test.world;
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', test.source]]),
      });
    });
    after(() => quarry.close());

    it('[ENT-25] show a person the types of records without chunks as soon as they are there', async () => {
      const handlers = { enable_vector_handlers: false, enable_metadata_handlers: true };
      await quarry.ok('POST', '/v1/collections', {
        ...{ name: 'Blank', readable_id: 'blank', sync_config: { handlers } },
      });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        ...{ name: 'The world', short_name: 'world', readable_collection_id: 'blank' },
        ...{ authentication: { credentials: { password: 'right' } }, sync_immediately: false },
      });
      const types = async () => {
        const ann = { 'x-principals': 'user:ann@example.com' };
        const seen = await quarry.ok('GET', '/v1/collections/blank/contents', undefined, ann);
        return seen.entity_types.map(({ entity_type }: { entity_type: string }) => entity_type);
      };
      assert.deepEqual(await types(), []);
      for (const [items, shown] of [
        [[page('a')], ['Page']],
        [
          [page('a'), page('b', { type: 'Post' })],
          ['Page', 'Post'],
        ],
      ] as const) {
        world.items = whole(...items);
        await quarry.sync(id);
        assert.deepEqual(await types(), shown);
      }
    });

    it('have a point for each job that changed them', async () => {
      await quarry.ok('POST', '/v1/collections', { name: 'Counts', readable_id: 'counts' });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: 'counts',
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
      });
      const points = async () =>
        (await quarry.ok('GET', `/v1/source-connections/${id}/entity-counts`)).points;
      world.items = whole();
      await quarry.sync(id);
      assert.deepEqual(await points(), [], 'nothing came');

      const ends: string[] = [];
      const sync = async (items: World['items']) => {
        world.items = items;
        ends.push((await quarry.sync(id)).completed_at);
      };
      await sync(whole(page('a'), page('b', { type: 'Post' })));
      await sync(whole(page('a'), page('b', { type: 'Post' })));
      const broken = () => {
        throw new SourceError('transient', 'the world went away');
      };
      await sync([page('c'), checkpoint(1), broken]);
      await sync(whole());
      assert.deepEqual(await points(), [
        { at: ends[0], total_entities: 2, by_type: { Page: 1, Post: 1 } },
        { at: ends[2], total_entities: 3, by_type: { Page: 2, Post: 1 } },
        { at: ends[3], total_entities: 0, by_type: {} },
      ]);

      const many = Array.from({ length: 22 }, (_, i) => ({
        connection_id: id,
        entity_type: `T${i + 10}`,
        count: i + 1,
        listed: 0,
      }));
      await quarry.db.insertInto('entity_counts').values(many).execute();
      const old = Array.from({ length: 600 }, (_, at) => ({
        ...{ connection_id: id, at, total: at, by_type: '{}' },
      }));
      await quarry.db.insertInto('entity_count_points').values(old).execute();
      await sync(whole());
      const limited = await points();
      assert.ok(limited.length <= 500 && limited.length > 300, String(limited.length));
      const newest = limited.at(-1);
      assert.equal(newest.total_entities, (22 * 23) / 2);
      assert.deepEqual(
        Object.keys(newest.by_type).toSorted(),
        many.slice(2).map((one) => one.entity_type),
      );
    });
  });
