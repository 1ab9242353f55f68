/**
 * Tests the files source through the whole service: a search finds files that exist, and not those that were
 * deleted.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { files } from '../../sources/catalog/files.ts';
import { DATABASES } from '../databases.ts';
import { PLAIN } from '../search/plain.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

const word = () => `w${randomBytes(7).toString('hex')}`;
const STRATEGIES = ['hybrid', 'neural', 'keyword'];

for (const database of DATABASES) {
  describe(`files on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quarry-folder-'));
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Files', readable_id: 'files' });
      await quarry.ok('POST', '/v1/collections', { name: 'Other', readable_id: 'other' });
    });
    after(async () => {
      await quarry.close();
      rmSync(folder, { recursive: true });
    });

    it('[CON-38] [AUTH-11] a connection to a folder that does not exist is refused, and nothing is stored', async () => {
      const before = await quarry.ok('GET', '/v1/source-connections');
      const missing = join(folder, 'missing');
      const { status, body } = await quarry.call('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'files',
        config: { path: missing },
      });
      assert.equal(status, 422);
      assert.match(body.detail[0].msg, /missing/);
      assert.deepEqual(await quarry.ok('GET', '/v1/source-connections'), before);
    });

    it('[CON-38] a folder may be written from the home folder on, and a part of a path is refused', async () => {
      const config = files.config.safeParse({ path: '~/notes' });
      assert.deepEqual(config.data, { path: join(homedir(), 'notes'), watch: true });
      assert.deepEqual(files.config.parse({ path: '/srv/~/notes' }), {
        path: '/srv/~/notes',
        watch: true,
      });
      for (const path of ['notes', '~ann/notes', './notes']) {
        const refused = await quarry.call('POST', '/v1/source-connections', {
          name: 'Folder',
          short_name: 'files',
          readable_collection_id: 'files',
          config: { path },
        });
        assert.equal(refused.status, 422);
        assert.match(refused.body.detail[0].msg, /whole path: begin with \//);
      }
    });

    it('[AUTH-13] [SRC-14] a connection to a folder needs no authentication, and unknown settings are refused', async () => {
      const { status, body } = await quarry.call('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'files',
        config: { path: folder, colour: 'red' },
      });
      assert.equal(status, 422);
      assert.deepEqual(body.detail[0].loc, ['body', 'config', 'colour']);
    });

    it('[JOB-32] a folder may be read every few minutes, and a source on another machine may not', async () => {
      const create = (short_name: string, config: object, more: object = {}) =>
        quarry.call('POST', '/v1/source-connections', {
          name: 'Often',
          short_name,
          readable_collection_id: 'other',
          config,
          schedule: { cron: '*/10 * * * *' },
          sync_immediately: false,
          ...more,
        });
      const { status, body } = await create('files', { path: folder });
      assert.deepEqual([status, body.schedule.cron], [200, '*/10 * * * *']);
      const inMs = Date.parse(body.schedule.next_run) - Date.parse(body.created_at);
      assert.ok(inMs > 0 && inMs <= 600_000);
      const credentials = { url: 'postgres://me:word@127.0.0.1:1/none' };
      const authentication = { credentials };
      const refused = await create('postgresql', { tables: ['t'] }, { authentication });
      assert.equal(refused.status, 422);
      assert.deepEqual(refused.body.detail[0].loc, ['body', 'schedule']);
      assert.match(
        refused.body.detail[0].msg,
        /only continuous connections and sources on this machine/,
      );
      await quarry.ok('DELETE', `/v1/source-connections/${body.id}`);
    });

    it('[GEN-37] a member of a service that a proxy publishes reads no folder that the operator has not named', async () => {
      const env = { QUARRY_PUBLIC_URL: 'https://quarry.example.com', QUARRY_FILES_ROOTS: folder };
      const published = await openTestQuarry(await database.open(), { env });
      try {
        await published.ok('POST', '/v1/collections', { name: 'Files', readable_id: 'files' });
        const { key } = await published.ok('POST', '/v1/api-keys', {
          name: 'member',
          role: 'member',
        });
        const member = { authorization: `Bearer ${key}` };
        const connect = (path: string) => {
          const body = { short_name: 'files', readable_collection_id: 'files', config: { path } };
          return published.call(
            'POST',
            '/v1/source-connections',
            { name: 'Folder', ...body },
            member,
          );
        };
        const refused = await connect('/etc');
        assert.equal(refused.status, 422);
        assert.match(
          refused.body.detail[0].msg,
          /\/etc may not be read: .* must set QUARRY_FILES_ROOTS to its folder or to one above it/,
        );
        const asked = { field: 'path', query: '/' };
        const listed = await published.ok('POST', '/v1/sources/files/options', asked, member);
        assert.deepEqual(listed, []);
        assert.equal((await connect(folder)).status, 200);
      } finally {
        await published.close();
      }
    });

    if (isSmokeEnough(database)) return;

    it('[ENT-10] [ENT-23] [CON-12] [JOB-37] after edits, renames and deletions among 200 files, searches find the files as they are now', async () => {
      const words = new Map<string, string>();
      const write = (name: string, text: string) =>
        writeFileSync(join(folder, name), `# ${name}\n\nA file with the word ${text} in it.\n`);
      mkdirSync(join(folder, 'sub folder'));
      for (let i = 0; i < 200; i++) {
        const name = i % 4 === 0 ? `sub folder/f${i}.md` : `f${i}.txt`;
        words.set(name, word());
        write(name, words.get(name) ?? '');
      }
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'files',
        config: { path: folder },
      });
      const first = await quarry.settled(id);
      assert.equal(first.entities_inserted, 200);

      const gone: string[] = [];
      for (const i of [1, 2, 3]) {
        gone.push(words.get(`f${i}.txt`) ?? '');
        words.set(`f${i}.txt`, word());
        write(`f${i}.txt`, words.get(`f${i}.txt`) ?? '');
      }
      for (const i of [5, 6, 7]) {
        renameSync(join(folder, `f${i}.txt`), join(folder, `sub folder/renamed${i}.txt`));
        words.set(`sub folder/renamed${i}.txt`, words.get(`f${i}.txt`) ?? '');
        words.delete(`f${i}.txt`);
      }
      for (const i of [9, 10, 11]) {
        gone.push(words.get(`f${i}.txt`) ?? '');
        words.delete(`f${i}.txt`);
        rmSync(join(folder, `f${i}.txt`));
      }
      const second = await quarry.sync(id);
      assert.deepEqual(
        [
          second.entities_inserted,
          second.entities_updated,
          second.entities_deleted,
          second.entities_kept,
        ],
        [3, 3, 6, 191],
      );

      for (const strategy of STRATEGIES) {
        for (const [name, text] of words) {
          const found = await quarry.find('files', text, { retrieval_strategy: strategy });
          // The embedder finds made-up words, but cannot rank them, because they are all alike to it.
          const place = found.indexOf(`${name}__chunk_0`);
          assert.ok(
            strategy === 'neural' ? place >= 0 : place === 0,
            `${strategy} ${text} ${place}`,
          );
        }
        for (const text of gone) {
          const { results } = await quarry.ok('POST', '/v1/collections/files/search', {
            query: text,
            retrieval_strategy: strategy,
            ...PLAIN,
          });
          for (const result of results)
            assert.ok(!result.md_content.includes(text), `${strategy} still shows ${text}`);
        }
        assert.deepEqual(
          await quarry.find('other', words.get('f13.txt') ?? '', { retrieval_strategy: strategy }),
          [],
        );
      }
    });
  });
}
