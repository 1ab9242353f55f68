/**
 * Tests that a file that could not be read is not read again while nothing has changed. The stored refusal is changed in the
 * database, so a job that took its reason from there, and not from the file, shows that.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createJanitor } from '../../syncs/housekeeping/janitor.ts';
import { DATABASES } from '../databases.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { connectFolder, makeFolder } from './folder.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const MARK = 'as in the last sync';
const HOUR_MS = 3_600_000;

for (const database of DATABASES) {
  describe(`files that were refused before on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: ReturnType<typeof makeFolder>;
    let connection: string;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
    });
    beforeEach(async () => {
      folder = makeFolder();
      folder.put('broken.pdf', '%PDF-1.7 and nothing else');
      folder.put('scan.pdf', pdfFile([[]]));
      folder.put('guide.pdf', pdfFile([['The heron waits.']]));
      ({ id: connection } = await connectFolder(quarry, folder.path, 'notes'));
      await quarry.db.updateTable('refused_records').set({ message: MARK }).execute();
    });
    afterEach(async () => {
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      folder.remove();
    });
    after(() => quarry.close());

    const refusals = () =>
      quarry.db
        .selectFrom('refused_records')
        .select(['entity_id', 'message'])
        .where('connection_id', '=', connection)
        .orderBy('entity_id')
        .execute();
    const toAge = (hours: number) =>
      quarry.db
        .updateTable('refused_records')
        .set({ created_at: Date.now() - hours * HOUR_MS })
        .execute();
    /** Syncs, and returns the ids of the records that were left out, with true for those whose files were not read. */
    async function sync(query = '') {
      const job = await quarry.sync(connection, query);
      const at = `/v1/source-connections/${connection}/jobs/${job.id}`;
      const [failures, skipped] = [
        await quarry.ok('GET', `${at}/failures`),
        await quarry.ok('GET', `${at}/skipped`),
      ];
      assert.equal(job.entities_failed, failures.length);
      assert.equal(job.entities_skipped, skipped.length);
      const leftOut = [...failures, ...skipped].map(
        ({ entity_id, message, reason = message }) => [entity_id, reason === MARK] as const,
      );
      return { job, leftOut: Object.fromEntries(leftOut) };
    }
    const unread = { 'broken.pdf': true, 'scan.pdf': true };
    const read = { 'broken.pdf': false, 'scan.pdf': false };

    it('[JOB-26] the next sync reads none of them, and counts them as before', async () => {
      for (const _ of [1, 2]) {
        const { job, leftOut } = await sync();
        assert.deepEqual(leftOut, unread);
        assert.deepEqual([job.entities_kept, job.entities_failed, job.entities_skipped], [1, 1, 1]);
      }
    });

    it('a file that has changed is read', async () => {
      folder.put('broken.pdf', pdfFile([['The osprey hunts.']]));
      const { job, leftOut } = await sync();
      assert.deepEqual(leftOut, { 'scan.pdf': true });
      assert.equal(job.entities_inserted, 1);
      assert.equal((await sync()).job.entities_kept, 2);
    });

    it('a record whose new file is refused keeps its old text or loses it, as in the first sync', async () => {
      folder.put('guide.pdf', '%PDF-1.7 broken meanwhile');
      assert.equal((await sync()).leftOut['guide.pdf'], false);
      await quarry.db.updateTable('refused_records').set({ message: MARK }).execute();
      assert.equal((await sync()).leftOut['guide.pdf'], true);
      assert.deepEqual(await quarry.find('notes', 'heron'), ['guide.pdf__chunk_0']);
      folder.put('guide.pdf', pdfFile([[]]));
      assert.equal((await sync()).job.entities_deleted, 1);
      await quarry.db.updateTable('refused_records').set({ message: MARK }).execute();
      assert.deepEqual((await sync()).leftOut, { ...unread, 'guide.pdf': true });
    });

    it('a record that has its refused file back loses the text of the file between', async () => {
      const guide = quarry.db
        .selectFrom('entities')
        .select('version')
        .where('connection_id', '=', connection)
        .where('entity_id', '=', 'guide.pdf');
      const { version } = await guide.executeTakeFirstOrThrow();
      await quarry.db
        .updateTable('refused_records')
        .set({ entity_id: 'guide.pdf', version: version ?? '' })
        .where('entity_id', '=', 'scan.pdf')
        .execute();
      await quarry.db.updateTable('entities').set({ version: 'between' }).execute();
      const { job, leftOut } = await sync();
      assert.deepEqual(leftOut, { 'broken.pdf': true, 'scan.pdf': false, 'guide.pdf': true });
      assert.equal(job.entities_deleted, 1);
      assert.deepEqual(await quarry.find('notes', 'heron'), []);
    });

    it('all are read again in a full sync that a person asks for', async () => {
      assert.deepEqual((await sync('?force_full_sync=true')).leftOut, read);
      assert.ok((await refusals()).every(({ message }) => message !== MARK));
    });

    it('all are read again with another configuration or with other converters', async () => {
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        config: { path: folder.path, include: ['*.pdf'] },
      });
      assert.deepEqual((await sync()).leftOut, read);
      await quarry.db
        .updateTable('refused_records')
        .set(({ fn, val }) => ({ message: MARK, read_by: fn('upper', [val('older')]) }))
        .execute();
      assert.deepEqual((await sync()).leftOut, read);
    });

    it('all are read again after a day, and when the clock was set back', async () => {
      await toAge(23);
      assert.deepEqual((await sync()).leftOut, unread);
      await toAge(25);
      assert.deepEqual((await sync()).leftOut, read);
      await quarry.db.updateTable('refused_records').set({ message: MARK }).execute();
      await toAge(-1);
      assert.deepEqual((await sync()).leftOut, read);
    });

    it('a file that was read since is not refused, even if its row is damaged', async () => {
      const { version } = await quarry.db
        .selectFrom('entities')
        .select('version')
        .where('connection_id', '=', connection)
        .where('entity_id', '=', 'guide.pdf')
        .executeTakeFirstOrThrow();
      await quarry.db
        .updateTable('refused_records')
        .set({ entity_id: 'guide.pdf', version: version ?? '' })
        .where('entity_id', '=', 'broken.pdf')
        .execute();
      await quarry.db.updateTable('entities').set({ is_damaged: true }).execute();
      const { job, leftOut } = await sync();
      assert.deepEqual(leftOut, { 'broken.pdf': false, 'scan.pdf': true });
      assert.equal(job.entities_kept, 1);
    });

    it('the janitor removes those that are too old to count', async () => {
      const { db } = quarry;
      const janitor = () =>
        createJanitor({ db, kind: database.name, historyDays: 90, goneKeptMs: HOUR_MS }).work(
          () => true,
        );
      await toAge(23);
      await janitor();
      assert.equal((await refusals()).length, 2);
      await toAge(25);
      await janitor();
      assert.equal((await refusals()).length, 0);
    });
  });
}
