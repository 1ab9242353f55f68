/** Tests records that no database could store: they fail or are refused, and affect nothing else. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { push } from '../../sources/catalog/push.ts';
import { remove, skip } from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

/** The text has 3,072 bytes, and an index cannot compress it. */
const LONG = Array.from({ length: 1024 }, (_, i) => String.fromCodePoint(0x4e00 + 7 * i)).join('');
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

for (const database of DATABASES) {
  describe(`records beyond the limits on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let collection: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      const sources = new Map([
        ['world', test.source],
        ['push', push],
      ]);
      quarry = await openTestQuarry(await database.open(), { sources });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      collection = `limits-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Limits', readable_id: collection });
    });

    const connect = async (more: object): Promise<string> =>
      (
        await quarry.ok('POST', '/v1/source-connections', {
          name: 'Limited',
          readable_collection_id: collection,
          sync_immediately: false,
          ...more,
        })
      ).id;

    it('[JOB-21] a record of a source with a long id or deeply nested fields fails alone, and searches go on', async () => {
      const connection = await connect({
        short_name: 'world',
        schedule: { cron: null },
        authentication: { credentials: { password: 'right' } },
      });
      const deep = { n: 1, deep: nested(2000) };
      world.items = whole(
        page('a', { fields: { n: 1 } }),
        page(LONG),
        page('deep', { fields: deep }),
      );
      const job = await quarry.sync(connection);
      assert.deepEqual(
        [job.status, job.entities_inserted, job.entities_failed, job.entities_encountered],
        ['completed', 1, 2, { Page: 3 }],
      );
      const failures = await quarry.ok(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/failures`,
      );
      assert.deepEqual(
        failures.map(({ entity_id, message }: Record<string, string>) => [entity_id, message]),
        [
          [LONG, 'its id is longer than 2048 bytes'],
          ['deep', 'its fields are nested more than 100 deep'],
        ],
      );
      for (const filter of [
        { must: [{ key: 'metadata.n', match: { value: 1 } }] },
        { must_not: [{ key: 'metadata.other', match: { value: 1 } }] },
      ])
        assert.deepEqual(await quarry.find(collection, 'text', { filter }), ['a__chunk_0']);
    });

    it('[JOB-21] records, group members and deletions with characters that no database can store affect nothing else', async () => {
      const connection = await connect({
        short_name: 'world',
        schedule: { cron: null },
        authentication: { credentials: { password: 'right' } },
      });
      const seenBy = (viewer: string) => ({ access: { viewers: [viewer], isPublic: false } });
      world.members = [
        { group: 'group:g\0', member: 'user:ann' },
        { group: 'group:g', member: 'user:a\0nn' },
        { group: 'group:g', member: 'user:bob' },
      ];
      world.items = whole(
        page('a', seenBy('group:g')),
        page('a\0'),
        page('a\ud800'),
        page('hidden', seenBy('group:g\0')),
        remove('gone\0'),
        skip('left\0', 'Page', { reason: 'too large' }),
      );
      const job = await quarry.sync(connection);
      assert.deepEqual(
        [job.status, job.entities_inserted, job.entities_failed, job.entities_skipped],
        ['completed', 1, 3, 1],
      );
      const failures = await quarry.ok(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/failures`,
      );
      assert.deepEqual(
        failures.map(({ entity_id }: { entity_id: string }) => entity_id).toSorted(),
        ['a\\u0000', 'a\\ud800', 'hidden'],
      );
      const found = (user: string) =>
        quarry.find(collection, 'text', {}, { 'x-principals': `user:${user}` });
      assert.deepEqual([await found('ann'), await found('bob')], [[], ['a__chunk_0']]);
    });

    it('[PSH-08] [GEN-08] a push with a record beyond the limits is refused, instead of accepted and lost', async () => {
      const connection = await connect({ short_name: 'push', sync_immediately: undefined });
      const one = { entity_id: 'a', name: 'A', text: '' };
      for (const [field, value] of [
        ['entity_id', LONG],
        ['metadata', { deep: nested(100) }],
        ['entity_type', '__proto__'],
        ['entity_type', 'T\0'],
        ['entity_id', 'a\0'],
        ['entity_id', 'a\ud800'],
      ] as const) {
        const { status, body } = await quarry.call(
          'POST',
          `/v1/source-connections/${connection}/entities`,
          { entities: [{ ...one, [field]: value }] },
        );
        assert.equal(status, 422);
        assert.deepEqual(body.detail[0].loc, ['body', 'entities', 0, field]);
      }
      const access = { viewers: ['user:ann', 'user:a\0'], is_public: false };
      for (const [body, loc] of [
        [{ entities: [{ ...one, access }] }, ['entities', 0, 'access', 'viewers', 1]],
        [{ delete: ['b', 'a\0'] }, ['delete', 1]],
      ] as const) {
        const url = `/v1/source-connections/${connection}/entities`;
        const refused = await quarry.call('POST', url, body);
        assert.equal(refused.status, 422);
        assert.deepEqual(refused.body.detail[0].loc, ['body', ...loc]);
      }
      await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, {
        entities: [
          { ...one, entity_id: LONG.slice(0, 682), metadata: { deep: nested(99) } },
          { ...one, entity_type: 'constructor' },
        ],
      });
      const job = await quarry.settled(connection);
      assert.deepEqual(
        [job.status, job.entities_inserted, job.entities_encountered],
        ['completed', 2, { PushedEntity: 1, constructor: 1 }],
      );
    });
  });
}
