/** Tests the data directory of the service itself: a connection to it is refused, and no request shows its files. */
import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

for (const database of DATABASES) {
  describe(`the data directory on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: string;
    const at = (path: string) => join(folder, path);
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quarry-above-'));
      quarry = await openTestQuarry(await database.open(), {
        env: { QUARRY_DATA_DIR: at('data'), QUARRY_BACKUP_DIR: at('backups') },
      });
      await quarry.ok('POST', '/v1/collections', { name: 'Files', readable_id: 'files' });
    });
    after(async () => {
      await quarry.close();
      rmSync(folder, { recursive: true });
    });
    const connect = (path: string, config: object = {}) =>
      quarry.call('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'files',
        config: { path, ...config },
      });

    it('[CON-41] [CON-38] a connection to the data directory is refused, and nothing is stored', async () => {
      symlinkSync('data', at('another-name'));
      for (const path of ['data', 'data/', 'another-name', 'another-name/../data']) {
        const { status, body } = await connect(`${folder}/${path}`);
        assert.equal(status, 422, path);
        assert.match(body.detail[0].msg, /lies in the data directory of Quarry/);
        assert.deepEqual(body.detail[0].loc, ['body', 'config']);
      }
      assert.deepEqual(await quarry.ok('GET', '/v1/source-connections'), []);
    });

    it('[CON-41] a data directory below the folder of a connection is left out, and no request shows its files', async () => {
      const key = readFileSync(at('data/encryption.key'), 'utf8').trim();
      writeFileSync(at('a.md'), 'The heron waits.');
      linkSync(at('data/encryption.key'), at('harmless.txt'));
      symlinkSync('data/encryption.key', at('link.txt'));
      const { body } = await connect(folder, { include: ['*', 'data/', '*.key'] });
      const job = await quarry.settled(body.id);
      assert.equal(job.status, 'completed');
      assert.equal(job.entities_inserted, 1);
      const listed = await quarry.ok('GET', '/v1/entities?collection_readable_id=files');
      assert.deepEqual(
        listed.map(({ entity_id }: { entity_id: string }) => entity_id),
        ['a.md'],
      );
      for (const retrieval_strategy of ['hybrid', 'neural', 'keyword']) {
        const search = { query: key, retrieval_strategy, limit: 1000 };
        const answer = await quarry.ok('POST', '/v1/collections/files/search', search);
        assert.ok(!JSON.stringify([answer.results, answer.completion]).includes(key));
      }
      const grep = await quarry.ok('POST', '/v1/collections/files/contents/grep', {
        pattern: key,
      });
      assert.deepEqual(grep.records, []);
    });

    it('a connection to the folder of backups is refused, and one above it leaves out its files', async () => {
      const above = at('above');
      mkdirSync(at('backups'), { recursive: true });
      mkdirSync(above);
      writeFileSync(at('backups/backup.md'), 'The heron is in a backup.');
      linkSync(at('backups/backup.md'), join(above, 'harmless.md'));
      writeFileSync(join(above, 'own.md'), 'The heron waits.');
      const { status, body: refused } = await connect(at('backups'));
      assert.equal(status, 422);
      assert.match(refused.detail[0].msg, /or in its folder of backups/);
      const { body } = await connect(above);
      const job = await quarry.settled(body.id);
      assert.deepEqual([job.status, job.entities_inserted], ['completed', 1]);
      rmSync(above, { recursive: true });
    });

    it('[CON-41] a sync fails when its folder has become a link to the data directory', async () => {
      const other = mkdtempSync(join(tmpdir(), 'quarry-other-'));
      const { body } = await connect(other);
      await quarry.settled(body.id);
      rmSync(other, { recursive: true });
      symlinkSync(at('data'), other);
      const job = await quarry.sync(body.id);
      rmSync(other);
      assert.equal(job.status, 'failed');
      assert.match(job.error, /lies in the data directory of Quarry/);
    });
  });
}
