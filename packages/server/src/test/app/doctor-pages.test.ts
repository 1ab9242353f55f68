/** The doctor examines everything, however many pages it takes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MaintenanceProblem, MaintenanceRun } from '../../doctor/schema.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

/** The number is larger than a page of entities, of records, or of the records that a source has listed. */
const MANY = 2010;
const pages = Array.from({ length: MANY }, (_, i) => page(`e${String(i).padStart(4, '0')}`));
const LAST = `e${MANY - 1}`;

for (const database of DATABASES) {
  describe(`doctor of many entities on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    let world: World;
    let connection: string;
    const url = '/v1/collections/many/doctor';

    before(async () => {
      test = await database.open();
      const { source, world: made } = testWorld();
      world = made;
      quarry = await openTestQuarry(test, { sources: new Map([['world', source]]) });
      await quarry.ok('POST', '/v1/collections', { name: 'Many', readable_id: 'many' });
      world.items = whole(...pages);
      ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: 'many',
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
      }));
      await quarry.sync(connection);
    });
    after(() => quarry.close());

    const ended = (of: MaintenanceRun | null) =>
      until(async () => {
        const run = await quarry.ok('GET', `/v1/collections/many/maintenance/${must(of).id}`);
        return run.status === 'COMPLETED' ? run : undefined;
      });
    const last = () =>
      test.db
        .selectFrom('entities')
        .select('id')
        .where('entity_id', '=', LAST)
        .executeTakeFirstOrThrow();
    const named = ({ problems }: { problems: readonly MaintenanceProblem[] }) =>
      problems.map(({ kind, count, examples }) => [kind, count, examples]);

    it('counts all entities, and finds and repairs a problem of the last one', async () => {
      const { id } = await last();
      const { checked, problems } = await quarry.ok('POST', url, {});
      assert.deepEqual([checked.entities, checked.chunks, problems], [MANY, MANY, []]);
      for (const [damage, expected] of [
        [{ text_hash: 'forged' }, [['wrong_chunks', 1, [id]]]],
        [
          { entity: 'nobody' },
          [
            ['chunk_without_entity', 1, ['nobody']],
            ['entity_without_chunks', 1, [id]],
          ],
        ],
      ] as const) {
        await test.db.updateTable('chunks').set(damage).where('entity', '=', id).execute();
        const sick = await quarry.ok('POST', url, { repair: true });
        assert.deepEqual(named(sick), expected);
        const done = await ended(sick.run);
        assert.deepEqual([done.entities_done, done.entities_rewritten], [MANY, 1]);
        assert.deepEqual(named(await quarry.ok('POST', url, {})), []);
      }
    });

    if (isSmokeEnough(database)) return;

    it('compares all entities with the source', async () => {
      world.items = whole(...pages.slice(0, -1));
      const { run } = await quarry.ok('POST', url, { source_connection_id: connection });
      const done = await ended(run);
      assert.deepEqual(
        [done.entities_done, named(done)],
        [MANY - 1, [['gone_at_source', 1, [LAST]]]],
      );
    });

    it('counts all entities with a problem, and names ten of them', async () => {
      await test.db
        .updateTable('entities')
        .set({ raw: new Uint8Array([1]) })
        .execute();
      const [[kind, count, examples]] = named(await quarry.ok('POST', url, {})) as any;
      assert.deepEqual([kind, count, examples.length], ['broken_record', MANY, 10]);
    });
  });
}
