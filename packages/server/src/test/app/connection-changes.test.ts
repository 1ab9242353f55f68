/** Tests what a PATCH of a source connection writes, field by field, and what it leaves as it was. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Selectable, Updateable } from 'kysely';
import type { ConnectionTable } from '../../db/schema.ts';
import { DATABASES } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { testWorld, type World } from './source.ts';

type Row = Selectable<ConnectionTable>;

/** This time lies before everything that the service writes today. */
const LONG_AGO = 1_000_000_000_000;

for (const database of DATABASES) {
  describe(`changes of a source connection on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let id: string;
    let keyId: string | null;
    /** The row was like this before the change. */
    let old: Row;

    before(async () => {
      const test = testWorld();
      world = test.world;
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', test.source]]),
      });
      await quarry.ok('POST', '/v1/collections', { name: 'Changed', readable_id: 'changed' });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      world.password = 'right';
      const made = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        description: 'as it was',
        short_name: 'world',
        readable_collection_id: 'changed',
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: '0 0 1 1 *', continuous: false, cursor_field: 'number' },
      });
      id = made.id;
      keyId = (await rowOf()).credentials_key;
      await write({
        authenticated_at: LONG_AGO,
        configured_at: LONG_AGO,
        refused_at: LONG_AGO,
        modified_at: LONG_AGO,
        cursor: '7',
        modified_by_email: 'somebody@example.com',
      });
      old = await rowOf();
    });

    const write = (changes: Updateable<ConnectionTable>) =>
      quarry.db.updateTable('connections').set(changes).where('id', '=', id).execute();
    const rowOf = () =>
      quarry.db
        .selectFrom('connections')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    /** Returns the new row, and the names of the columns in which it differs from the old one. */
    async function patch(body: object): Promise<{ row: Row; changed: string[] }> {
      await quarry.ok('PATCH', `/v1/source-connections/${id}`, body);
      const row = await rowOf();
      const differs = (column: string) =>
        JSON.stringify(row[column as keyof Row]) !== JSON.stringify(old[column as keyof Row]);
      const changed = Object.keys(row).filter(differs).toSorted();
      assert.equal(row.modified_by_email, 'owner@localhost');
      const always = ['modified_at', 'modified_by_email'];
      return { row, changed: changed.filter((column) => !always.includes(column)) };
    }

    it('[CON-20] [CON-33] new credentials are sealed with the current key, clear an earlier refusal, and remove the cursor', async () => {
      world.password = 'newer';
      await write({ credentials_key: 'the key before' });
      old = await rowOf();
      const { row, changed } = await patch({
        authentication: { credentials: { password: 'newer' } },
      });
      assert.deepEqual(changed, [
        'authenticated_at',
        'configured_at',
        'credentials',
        'credentials_key',
        'cursor',
        'refused_at',
      ]);
      assert.deepEqual([row.credentials_key, row.refused_at, row.cursor], [keyId, null, null]);
      assert.ok((row.authenticated_at ?? 0) > LONG_AGO);
      assert.equal(row.configured_at, row.authenticated_at);
    });

    it('[CON-19] another configuration removes the cursor and leaves the credentials as they are', async () => {
      const { row, changed } = await patch({ config: { part: 'one' } });
      assert.deepEqual(changed, ['config', 'configured_at', 'cursor']);
      assert.deepEqual([row.config, row.cursor], [{ part: 'one' }, null]);
      assert.ok(row.configured_at > LONG_AGO);
    });

    it('[CON-19] [JOB-44] a configuration that equals the stored one changes nothing', async () => {
      assert.deepEqual((await patch({ config: { part: 'all' } })).changed, []);
      assert.deepEqual((await patch({ config: {} })).changed, []);
    });

    it('[CON-19] [JOB-29] a schedule changes only the fields that it contains, and what depends on them (the next run, the cursor)', async () => {
      const cron = await patch({ schedule: { cron: '0 0 1 7 *' } });
      assert.deepEqual(cron.changed, ['cron', 'next_run_at']);
      assert.match(new Date(cron.row.next_run_at ?? 0).toISOString(), /-07-01T00:00:00\.000Z$/);
      old = cron.row;
      const continuous = await patch({ schedule: { continuous: true } });
      assert.deepEqual([continuous.changed, continuous.row.continuous], [['continuous'], true]);
      old = continuous.row;
      const field = await patch({ schedule: { cursor_field: 'time' } });
      assert.deepEqual(field.changed, ['cursor', 'cursor_field']);
      assert.deepEqual([field.row.cursor, field.row.cursor_field], [null, 'time']);
      old = field.row;
      const none = await patch({ schedule: { cron: null, cursor_field: null } });
      assert.deepEqual(none.changed, ['cron', 'cursor_field', 'next_run_at']);
      assert.deepEqual(
        [none.row.cron, none.row.cursor_field, none.row.next_run_at],
        [null, null, null],
      );
    });

    it('[CON-19] name, description and transformers can each be changed alone', async () => {
      for (const [field, value] of [
        ['name', 'Another name'],
        ['description', 'another'],
        ['description', null],
      ] as const) {
        const { row, changed } = await patch({ [field]: value });
        // Searches find a name in its folded form.
        const columns = field === 'name' ? ['folded_name', field] : [field];
        assert.deepEqual([changed, row[field]], [columns, value]);
        old = row;
      }
      const transformers = [
        { transformer_id: '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01', config: { parts: ['name'] } },
      ];
      const { row, changed } = await patch({ transformers });
      assert.deepEqual([changed, row.transformers], [['transformers'], transformers]);
    });

    it('[CON-19] `modified_at` grows with each change, even when the clock is behind', async () => {
      const ahead = Date.now() + 3_600_000;
      await write({ modified_at: ahead });
      const { row } = await patch({ name: 'Another name' });
      assert.equal(row.modified_at, ahead + 1);
    });

    it('[CON-19] `configured_at` grows with each change of configuration or credentials, also when the clock has been set back', async () => {
      const ahead = Date.now() + 3_600_000;
      for (const body of [
        { config: { part: 'one' } },
        { authentication: { credentials: { password: 'right' } } },
      ]) {
        await write({ configured_at: ahead, cursor: '7' });
        const { row } = await patch(body);
        assert.deepEqual([row.configured_at, row.cursor], [ahead + 1, null]);
      }
    });
  });
}
