/**
 * Tests secrets in a folder through the whole service: no request shows them, and the job lists every file that it left
 * out.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { SECRET_FILES, SECRET_FOLDERS } from '../documents/left-out-names.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

/** Every planted secret contains this text, and nothing else does. */
const MARK = 'hunter2hunter2';

// The rules concern files alone, so one database is enough for `npm test`.
for (const database of DATABASES.filter((one) => !isSmokeEnough(one))) {
  describe(`secrets in a folder on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quarry-secrets-'));
      quarry = await openTestQuarry(await database.open());
    });
    after(async () => {
      await quarry.close();
      rmSync(folder, { recursive: true });
    });
    function write(path: string, text: string): void {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const skipped = (connection: string, job: { id: string }) =>
      quarry.ok('GET', `/v1/source-connections/${connection}/jobs/${job.id}/skipped?limit=1000`);

    it('[CON-41] [JOB-49] no search, answer, list or grep shows a secret, and the job lists all files with secrets', async () => {
      const planted: string[] = [];
      const plant = (path: string, listed = path) => {
        write(path, `The password of the database is ${MARK}.`);
        planted.push(listed);
      };
      // The list of a job holds a thousand records, so not every name is planted.
      for (const [i, name] of SECRET_FILES.entries()) {
        if (i % 3 !== 0) continue;
        const cased = i % 2 === 0 ? name.toUpperCase() : name;
        plant(`${'deep/'.repeat(i % 4)}f${i}/${cased}`);
        if (i % 9 === 0) plant(`f${i}/sub/${name}.bak`);
      }
      for (const [i, name] of SECRET_FOLDERS.entries())
        plant(`d${i}/${name}/a/plain.md`, `d${i}/${name}`);
      write('notes.md', 'Where is the password of the database? Ask the heron.');
      plant('.env');
      plant('deep/odd name.md');
      const key = 'OPENSSH PRIVATE KEY-----';
      write('deep/odd name.md', `-----BEGIN ${key}\n${MARK}\n-----END ${key}\n`);
      symlinkSync('.env', join(folder, 'link.md'));
      planted.push('link.md');

      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'notes',
        config: { path: folder },
      });
      const job = await quarry.settled(id);
      assert.deepEqual([job.status, job.entities_inserted], ['completed', 1]);
      const listed = await skipped(id, job);
      assert.deepEqual(
        listed.map((one: { entity_id: string }) => one.entity_id).sort(),
        planted.sort(),
      );
      assert.equal(job.skipped_by_reason['left out as secrets'], planted.length - 1);
      for (const { reason, detail, hint } of listed) assert.ok(reason && detail && hint);

      const question = { query: 'What is the password of the database?', limit: 1000 };
      const search = '/v1/collections/notes/search';
      const shown = [
        ...['hybrid', 'neural', 'keyword'].map((retrieval_strategy) =>
          quarry.ok('POST', search, { ...question, retrieval_strategy }),
        ),
        quarry.ok('POST', search, { ...question, query: MARK }),
        quarry.ok('POST', '/v1/collections/notes/agentic-search', question),
        quarry.ok('POST', '/v1/collections/notes/contents/grep', { pattern: 'hunter\\w+' }),
        quarry.ok('GET', '/v1/collections/notes/contents/list'),
        quarry.ok('GET', '/v1/entities'),
      ];
      for (const answer of await Promise.all(shown)) {
        const { query: _, ...rest } = answer;
        assert.ok(!JSON.stringify(rest).includes(MARK));
      }
      assert.deepEqual(await quarry.find('notes', 'password'), ['notes.md__chunk_0']);
    });

    it('[CON-41] the next full sync deletes secrets that an earlier version stored, also while other deletions wait for a confirmation', async () => {
      for (let i = 0; i < 80; i++) write(`old/notes/n${i}.md`, `Note ${i} of the heron.`);
      const secrets = ['old/.env', 'old/.ssh/a/key.txt', 'old/.ssh/config', 'old/notes/id_rsa'];
      for (const path of secrets) write(path, `password: ${MARK}`);
      for (let i = 0; i < 60; i++) write(`old/node_modules/p${i}/README.md`, `Package ${i}.`);
      await quarry.ok('POST', '/v1/collections', { name: 'Old notes', readable_id: 'old' });
      const path = join(folder, 'old');
      const include = ['*', '.env', '.ssh/', 'config', 'id_rsa', 'node_modules/'];
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'old',
        config: { path, include },
      });
      assert.equal((await quarry.settled(id)).entities_inserted, 144);
      // An upgrade changes no configuration. So the change in the next line must look older than
      // the first sync.
      await quarry.ok('PATCH', `/v1/source-connections/${id}`, { config: { path } });
      await quarry.db.updateTable('connections').set({ configured_at: 0 }).execute();
      for (let i = 0; i < 78; i++) rmSync(join(folder, `old/notes/n${i}.md`));

      const job = await quarry.sync(id);
      const [{ error_details }] = await quarry.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.equal(error_details.code, 'deletions_need_confirmation');
      assert.match(error_details.message, /^78 /);
      assert.deepEqual([job.entities_kept, job.entities_deleted, job.entities_skipped], [2, 64, 4]);
      assert.deepEqual(job.skipped_by_reason, {
        'left out as secrets': 3,
        'left out as dependencies': 1,
      });
      const ids = (
        await quarry.ok('GET', '/v1/entities?collection_readable_id=old&limit=1000')
      ).map(({ entity_id }: { entity_id: string }) => entity_id);
      assert.equal(ids.length, 80);
      assert.ok(ids.every((one: string) => one.startsWith('notes/n')));
      assert.deepEqual(await quarry.find('old', MARK, { retrieval_strategy: 'keyword' }), []);
    });
  });
}
