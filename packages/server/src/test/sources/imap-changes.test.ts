/** Tests the imap source through the whole service: what a person does in a mail program changes what searches find. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { decompress } from '../../syncs/pipeline/record.ts';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type DovecotServer, needsDovecot, startDovecot } from '../dovecot-server.ts';
import { attached, type MailAccount, multipart, openAccount, plain } from './imap-account.ts';

for (const database of DATABASES)
  describe(`a mailbox on ${database.name}`, needsDovecot, () => {
    let server: DovecotServer;
    let quarry: TestQuarry;
    let account: MailAccount;
    let connection: string;
    let collection: string;
    let collections = 0;
    before(async () => {
      server = await startDovecot();
      quarry = await openTestQuarry(await database.open());
    });
    after(async () => {
      await quarry?.close();
      await server?.stop();
    });
    beforeEach(async () => {
      account = await openAccount(server);
      collections++;
      collection = `mail-${collections}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Mail', readable_id: collection });
    });

    async function connect(config: object = {}) {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Mail',
        short_name: 'imap',
        readable_collection_id: collection,
        authentication: { credentials: account.credentials },
        config,
        schedule: { cron: null, continuous: true },
      });
      connection = id;
      return quarry.settled(connection);
    }

    /** Syncs, and returns the numbers of what was inserted, updated and deleted. */
    async function changes(): Promise<[number, number, number]> {
      const job = await quarry.sync(connection);
      assert.equal(job.status, 'completed', JSON.stringify(job));
      assert.equal(job.entities_failed, 0, JSON.stringify(job));
      return [job.entities_inserted, job.entities_updated, job.entities_deleted];
    }

    async function stored(): Promise<Map<string, { id: string; folder: string }>> {
      const rows = await quarry.db
        .selectFrom('entities')
        .select(['entity_id', 'raw'])
        .where('connection_id', '=', connection)
        .execute();
      const entities = rows.map(({ raw }) => decompress(must(raw)));
      return new Map(
        entities.map(({ id, name, breadcrumbs }) => [
          name,
          {
            id,
            folder: must(breadcrumbs)
              .map((one) => one.name)
              .join('/'),
          },
        ]),
      );
    }
    const names = async () => [...(await stored()).keys()].toSorted();
    /** A full pull must find nothing that the incremental ones have missed. */
    async function assertTrue(): Promise<void> {
      const before = await stored();
      const job = await quarry.sync(connection, '?force_full_sync=true');
      assert.equal(job.status, 'completed', JSON.stringify(job));
      assert.deepEqual(await stored(), before);
      assert.deepEqual(
        [job.entities_inserted, job.entities_updated, job.entities_deleted],
        [0, 0, 0],
      );
    }

    it('new, deleted and read messages change what a search finds, and nothing else', async () => {
      const heron = await account.append('INBOX', {
        subject: 'Heron',
        text: 'It waits at the weir.',
      });
      const ibis = await account.append('INBOX', { subject: 'Ibis', text: 'It wades.' });
      assert.equal((await connect()).entities_inserted, 2);
      assert.deepEqual(await changes(), [0, 0, 0]);
      await account.flag('INBOX', heron, ['\\Seen', '\\Flagged', 'Important']);
      assert.deepEqual(await changes(), [0, 0, 0]);
      await account.append('INBOX', { subject: 'Kingfisher', text: 'It dives.' });
      await account.expunge('INBOX', ibis);
      assert.deepEqual(await changes(), [1, 0, 1]);
      assert.deepEqual(await names(), ['Heron', 'Kingfisher']);
      const [found] = await quarry.find(collection, 'who waits at the weir?');
      assert.match(must(found), /^message\/[\w-]{11}__chunk_0$/);
      await assertTrue();
    });

    it('a moved message keeps its id, and shows its new folder', async () => {
      await account.create('Archive/2026');
      const uid = await account.append('INBOX', {
        subject: 'Plan',
        body: multipart('mixed', [plain('The plan.'), attached('plan.txt', 'Every step.')]),
      });
      await account.append('INBOX', { subject: 'Other' });
      await connect();
      const before = await stored();
      assert.equal(before.get('Plan')?.folder, 'INBOX');
      assert.equal(before.get('plan.txt')?.folder, 'INBOX/Plan');
      await account.move('INBOX', uid, 'Archive/2026');
      assert.deepEqual(await changes(), [0, 2, 0]);
      const after = await stored();
      assert.deepEqual(after.get('Plan'), {
        id: before.get('Plan')?.id,
        folder: 'Archive/2026',
      });
      assert.deepEqual(after.get('plan.txt'), {
        id: before.get('plan.txt')?.id,
        folder: 'Archive/2026/Plan',
      });
      await assertTrue();
      // Moving it into the trash takes it out of what is read.
      await account.move('Archive/2026', '1:*', 'Trash');
      assert.deepEqual(await changes(), [0, 0, 2]);
      assert.deepEqual(await names(), ['Other']);
      await assertTrue();
    });

    it('copies of a message are one record, which stays until the last copy is gone', async () => {
      await account.create('Birds');
      const uid = await account.append('INBOX', { subject: 'Heron' });
      await account.append('Birds', { subject: 'Ibis' });
      await account.copy('INBOX', uid, 'Birds');
      assert.equal((await connect()).entities_inserted, 2);
      const id = (await stored()).get('Heron')?.id;
      await assertTrue();
      await account.expunge('INBOX', uid);
      assert.deepEqual(await changes(), [0, 1, 0]);
      assert.deepEqual((await stored()).get('Heron'), { id, folder: 'Birds' });
      await assertTrue();
      await account.copy('Birds', '2', 'INBOX');
      assert.deepEqual(await changes(), [0, 1, 0]);
      assert.deepEqual((await stored()).get('Heron'), { id, folder: 'INBOX' });
      await account.expunge('INBOX', '1:*');
      await account.expunge('Birds', '2');
      assert.deepEqual(await changes(), [0, 0, 1]);
      assert.deepEqual(await names(), ['Ibis']);
      await assertTrue();
    });

    it('a renamed folder takes its messages along, and a deleted one takes them away', async () => {
      await account.create('Vögel/Ente & Co');
      await account.append('Vögel/Ente & Co', { subject: 'Duck' });
      await account.append('INBOX', { subject: 'Heron' });
      await connect();
      const id = (await stored()).get('Duck')?.id;
      assert.deepEqual((await stored()).get('Duck'), { id, folder: 'Vögel/Ente & Co' });
      await account.rename('Vögel', '鳥');
      assert.deepEqual(await changes(), [0, 1, 0]);
      assert.deepEqual((await stored()).get('Duck'), { id, folder: '鳥/Ente & Co' });
      await assertTrue();
      await account.deleteFolder('鳥/Ente & Co');
      assert.deepEqual(await changes(), [0, 0, 1]);
      assert.deepEqual(await names(), ['Heron']);
      await assertTrue();
    });

    it('a folder that was made again begins anew, and the others stay as they are', async () => {
      await account.create('Lists');
      await account.append('Lists', { subject: 'Old' });
      const kept = await account.append('Lists', { subject: 'Kept' });
      await account.append('INBOX', { subject: 'Heron' });
      await connect();
      const id = (await stored()).get('Kept')?.id;
      await account.create('Elsewhere');
      await account.copy('Lists', kept, 'Elsewhere');
      await account.deleteFolder('Lists');
      await account.create('Lists');
      await account.move('Elsewhere', '1:*', 'Lists');
      await account.append('Lists', { subject: 'New' });
      assert.deepEqual(await changes(), [1, 0, 1]);
      assert.deepEqual(await names(), ['Heron', 'Kept', 'New']);
      assert.equal((await stored()).get('Kept')?.id, id);
      await assertTrue();
    });

    it('[JOB-44] the deletion of most messages of a folder waits for a confirmation', async () => {
      for (let i = 0; i < 70; i++) await account.append('INBOX', { subject: `Note ${i}` });
      await connect();
      await account.expunge('INBOX', '1:60');
      const held = await quarry.sync(connection);
      assert.equal(held.entities_deleted, 0);
      assert.equal((await names()).length, 70);
      await quarry.ok(
        'POST',
        `/v1/source-connections/${connection}/jobs/${held.id}/confirm-deletions`,
      );
      assert.equal((await quarry.settled(connection)).entities_deleted, 60);
      assert.equal((await names()).length, 10);
      await account.create('Lists');
      for (let i = 0; i < 60; i++) await account.append('Lists', { subject: `Letter ${i}` });
      assert.deepEqual(await changes(), [60, 0, 0]);
      await account.deleteFolder('Lists');
      assert.deepEqual(await changes(), [0, 0, 0]);
      assert.equal((await names()).length, 70);
    });

    it('trash, junk and drafts are read only when they are chosen, and a chosen folder with those below it', async () => {
      await account.create('Work');
      await account.create('Work/Projects');
      for (const folder of ['INBOX', 'Trash', 'Junk', 'Drafts', 'Work', 'Work/Projects'])
        await account.append(folder, { subject: folder });
      await connect();
      assert.deepEqual(await names(), ['INBOX', 'Work', 'Work/Projects']);
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        config: { folders: ['Work', 'Trash'] },
      });
      await quarry.sync(connection);
      assert.deepEqual(await names(), ['Trash', 'Work', 'Work/Projects']);
    });

    it('messages that arrived before the chosen day are left out', async () => {
      await account.append('INBOX', { subject: 'Old' }, new Date('2020-05-05T12:00:00Z'));
      const uid = await account.append(
        'INBOX',
        { subject: 'New' },
        new Date('2025-05-05T12:00:00Z'),
      );
      await connect({ since: '2025-01-31' });
      assert.deepEqual(await names(), ['New']);
      assert.deepEqual(await changes(), [0, 0, 0]);
      await account.expunge('INBOX', uid);
      assert.deepEqual(await changes(), [0, 0, 1]);
    });

    it('only the owner of the mailbox finds its messages, or the people whom the owner names', async () => {
      await account.append('INBOX', { subject: 'Salary', text: 'The salary of the owl.' });
      await connect();
      const finds = async (user: string) =>
        (await quarry.find(collection, 'salary', {}, { 'x-principals': `user:${user}` })).length;
      assert.equal(await finds(account.user), 1);
      assert.equal(await finds('mallory@example.org'), 0);
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        config: { viewers: ['Cleo@example.org'] },
      });
      await quarry.sync(connection);
      assert.equal(await finds('cleo@example.org'), 1);
      assert.equal(await finds(account.user), 0);
    });
  });
