/** The disk of the data directory is full: what was accepted is kept, and applied when the disk has room again. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type Server, startServer, tempDir } from '../e2e/process.ts';
import { type SmallDisk, smallDisks } from '../e2e/small-disk.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';

const ENTITIES = 100;
const WORDS = 60;
const NO_LINK =
  /^quarry: no link to sign in was made: the (disk of the )?database .*: try again when the database can be used; then run: quarry sign-in-link$/m;
const NO_START =
  /: quarry: the (disk of the )?database .*: try again when the database can be used\n$/;

const probe = tempDir();
const disks = smallDisks(join(probe.path, 'probe'));

describe('a full disk', () => {
  let dir: ReturnType<typeof tempDir>;
  let disk: SmallDisk | undefined;
  let server: Server | undefined;
  beforeEach(() => {
    dir = tempDir();
  });
  afterEach(async () => {
    await server?.kill();
    disk?.remove();
    dir.remove();
    server = disk = undefined;
  });
  after(() => probe.remove());

  for (const [name, make] of disks)
    it(`[PSH-08] ${name}: searches go on, and what was accepted is there when there is room`, async () => {
      const data = join(dir.path, 'disk/data');
      disk = make(join(dir.path, 'disk'));
      const { through } = disk;
      server = await startServer(data, { through });
      const { push, count } = await pushConnection(() => must(server, 'it has been started'));
      assert.equal((await push('first')).status, 202);
      await until(async () => (await count('first')) === ENTITIES);

      const accepted: string[] = [];
      const refused = await until(async () => {
        const word = `push${accepted.length}x`;
        const answer = await push(word);
        if (answer.status === 202) accepted.push(word);
        return answer.status !== 202 && answer;
      });
      assert.equal(refused.status, 503);
      assert.match(refused.body.detail, /^the (disk of the )?database .*; try again in a moment$/);
      assert.equal(await count('first'), ENTITIES);
      assert.equal(server.child.exitCode, null);

      await server.kill();
      server = await startOnFullDisk(data, through);
      if (server) {
        assert.equal(await count('first'), ENTITIES);
        if (!/Sign in/.test(server.stdout())) assert.match(server.stderr(), NO_LINK);
      }
      disk.makeRoom(server);
      server ??= await startServer(data);
      assert.equal((await push('last')).status, 202);
      for (const word of [...accepted, 'last'])
        await until(async () => (await count(word)) === ENTITIES);
      assert.equal(await count(`push${accepted.length}x`), 0);
      const jobs = await server.call('GET', '/v1/sync/jobs');
      const statuses = jobs.body.map((job: { status: string }) => job.status);
      assert.deepEqual(statuses, Array(accepted.length + 2).fill('completed'));
    });
});

/** Starts the service. When it cannot start, it must say why. */
async function startOnFullDisk(data: string, through: readonly string[]) {
  try {
    return await startServer(data, { through });
  } catch (error) {
    assert.match((error as Error).message, NO_START);
    return undefined;
  }
}

async function pushConnection(server: () => Server) {
  await server().call('POST', '/v1/collections', { name: 'Disk', readable_id: 'disk' });
  const { body } = await server().call('POST', '/v1/source-connections', {
    name: 'Pushed',
    short_name: 'push',
    readable_collection_id: 'disk',
  });
  const text = () => Array.from({ length: WORDS }, () => randomBytes(5).toString('hex')).join(' ');
  return {
    push: (word: string) =>
      server().call('POST', `/v1/source-connections/${body.id}/entities`, {
        entities: Array.from({ length: ENTITIES }, (_, i) => ({
          entity_id: `${word}-${i}`,
          name: word,
          text: `${word} ${text()}`,
        })),
      }),
    async count(word: string): Promise<number> {
      const answer = await server().call('POST', '/v1/collections/disk/search', {
        ...PLAIN,
        query: word,
        retrieval_strategy: 'keyword',
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.results.length;
    },
  };
}
