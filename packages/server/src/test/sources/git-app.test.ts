/** Tests the git source through the whole service: a push changes the results of a search. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import {
  type GitServer,
  openGitServer,
  PASSWORD,
  skipWithoutGit,
  type TestRepository,
  USER,
} from './git-server.ts';

for (const database of DATABASES)
  describe(`a git connection on ${database.name}`, { skip: skipWithoutGit }, () => {
    let server: GitServer;
    let quarry: TestQuarry;
    let repository: TestRepository;
    before(async () => {
      server = await openGitServer();
      repository = await server.repository('team/notes');
      await repository.commit({
        'heron.md': 'the heron waits at the weir',
        'birds/swan.md': 'the swan glides',
        'birds/ibis.md': 'the ibis wades',
        'birds/owl.md': 'the owl hoots',
      });
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Code', readable_id: 'code' });
    });
    after(async () => {
      await quarry?.close();
      await server.close();
    });
    const connect = (extra: Record<string, unknown> = {}) => ({
      name: 'Notes',
      short_name: 'git',
      readable_collection_id: 'code',
      authentication: { credentials: { username: USER, password: PASSWORD } },
      config: { url: server.http('team/notes') },
      schedule: { cron: null, continuous: true },
      ...extra,
    });
    let id: string;

    it('new, changed, renamed and deleted files change the results at the next sync, and a second sync writes nothing', async () => {
      ({ id } = await quarry.ok('POST', '/v1/source-connections', connect()));
      const first = await quarry.settled(id);
      assert.deepEqual([first.status, first.entities_inserted], ['completed', 4]);
      assert.ok((await quarry.find('code', 'heron weir')).includes('heron.md__chunk_0'));
      await repository.commit({
        'heron.md': 'the bittern booms',
        'birds/swan.md': null,
        'water/swan.md': 'the swan glides',
        'birds/ibis.md': null,
      });
      const second = await quarry.sync(id);
      assert.deepEqual(
        [second.entities_inserted, second.entities_updated, second.entities_deleted],
        [1, 1, 2],
      );
      assert.deepEqual((await quarry.find('code', 'bittern swan ibis owl heron')).toSorted(), [
        'birds/owl.md__chunk_0',
        'heron.md__chunk_0',
        'water/swan.md__chunk_0',
      ]);
      server.requests.length = 0;
      const third = await quarry.sync(id);
      assert.deepEqual(
        [third.entities_inserted, third.entities_updated, third.entities_deleted],
        [0, 0, 0],
      );
      assert.equal(server.requests.filter((one) => one.startsWith('POST')).length, 1);
      const full = await quarry.sync(id, '?force_full_sync=true');
      assert.deepEqual(
        [full.entities_inserted, full.entities_updated, full.entities_deleted, full.entities_kept],
        [0, 0, 0, 3],
      );
    });

    it('a server that refuses, is away or has lost the branch deletes nothing, and the next sync goes on', async () => {
      await repository.commit({ 'kite.md': 'the kite soars' });
      for (const status of [401, 403, 404, 500]) {
        server.intercept.by = (_, response) => {
          response.writeHead(status, { 'www-authenticate': 'Basic realm="git"' }).end();
          return true;
        };
        const failed = await quarry.sync(id);
        assert.notEqual(failed.status, 'completed', String(status));
        assert.equal(failed.entities_deleted, 0);
      }
      server.intercept.by = null;
      assert.equal((await quarry.find('code', 'bittern')).length > 0, true);
      const next = await quarry.sync(id);
      assert.deepEqual(
        [next.status, next.entities_inserted, next.entities_deleted],
        ['completed', 1, 0],
      );
    });

    it('a connection that breaks while contents arrive is repeated, and no file is lost', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 450 }, (_, i) => [`many/${i}.md`, `number ${i}`]),
      );
      await repository.commit(many);
      let posts = 0;
      server.intercept.by = (request, response) => {
        if (request.method !== 'POST' || ++posts % 4 !== 0) return false;
        response.destroy();
        return true;
      };
      const job = await quarry.sync(id);
      server.intercept.by = null;
      assert.ok(posts > 4);
      assert.equal(job.status, 'completed');
      const again = await quarry.sync(id, '?force_full_sync=true');
      assert.deepEqual([again.entities_inserted, again.entities_deleted], [0, 0]);
      assert.equal(again.entities_kept, 454);
    });

    it('a force-push to a history without the last commit is followed, and the removed files are gone', async () => {
      await repository.git('checkout', '-q', '--orphan', 'fresh');
      await repository.git('rm', '-q', '-r', '-f', 'many');
      await repository.commit({ 'fresh.md': 'a fresh start' });
      await repository.git('-C', repository.path, 'reflog', 'expire', '--expire=now', '--all');
      await repository.git('-C', repository.path, 'gc', '-q', '--prune=now');
      const held = await quarry.sync(id);
      assert.deepEqual([held.entities_inserted, held.entities_deleted], [1, 0]);
      // A full sync asks a person before it deletes most of the records.
      await quarry.ok('POST', `/v1/source-connections/${id}/jobs/${held.id}/confirm-deletions`);
      assert.equal((await quarry.settled(id)).entities_deleted, 450);
      assert.ok((await quarry.find('code', 'fresh start')).includes('fresh.md__chunk_0'));
    });

    it('wrong credentials and a missing repository answer 422 with the reason, without the password', async () => {
      for (const [over, says] of [
        [
          { authentication: { credentials: { password: 'not-this-one' } } },
          /refuses the credentials/,
        ],
        [{ config: { url: server.http('nowhere') } }, /no repository at this address/],
        [
          { config: { url: server.http('team/notes'), branch: 'atlantis' } },
          /no branch 'atlantis'/,
        ],
        [{ config: { url: 'https://ann:hunter2@example.org/x.git' } }, /without a password in it/],
      ] as const) {
        const { status, body } = await quarry.call('POST', '/v1/source-connections', connect(over));
        assert.equal(status, 422);
        assert.match(JSON.stringify(body), says);
        assert.doesNotMatch(JSON.stringify(body), /not-this-one|hunter2|4711/);
      }
      const stored = await quarry.db.selectFrom('connections').selectAll().execute();
      assert.ok(!JSON.stringify(stored).includes(PASSWORD));
    });
  });
