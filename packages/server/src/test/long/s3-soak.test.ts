/**
 * Edits, moves and deletes objects at random in a real server, while the service copies them and is killed with kill -9.
 * After each round a search must find what the buckets hold, and nothing else.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from '../e2e/process.ts';
import type { Random } from '../random/random.ts';
import { newWord } from '../sources/cloud-company.ts';
import { openS3Client, type S3Client } from '../sources/s3-client.ts';
import { type SwiftServer, skipWithoutSwift, startSwift } from '../swift-server.ts';
import { playRounds, soakRandom } from './soak.ts';

const ROUNDS = 2;
const BUCKETS = ['docs', 'versions'];
/** There are always enough objects that no sync deletes so many of them that it waits for a confirmation. */
const OBJECTS = 80;
const FOLDERS = ['', 'a/', 'a/b/', 'a//', 'ü ☃/', 'x+y/', 'line\nbreak/'];

describe('a real S3 server and kill -9', { skip: skipWithoutSwift }, () => {
  let swift: SwiftServer;
  let client: S3Client;
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let connection: string;
  let chance: Random;
  /** Maps the ids of all objects to their words. */
  const words = new Map<string, string>();
  /** Maps ids to the words by which a search has found them. */
  const found = new Map<string, string>();
  let made = 0;

  before(async () => {
    chance = soakRandom();
    swift = await startSwift({ pageSize: 15 });
    client = openS3Client(swift.endpoint, swift.owner);
    for (const bucket of BUCKETS) await client.makeBucket(bucket);
    await client.keepVersions('versions');
    for (let i = 0; i < OBJECTS; i++) await put(newId());
    dir = tempDir();
    server = await start();
    await call('POST', '/v1/collections', { name: 'Objects', readable_id: 'objects' });
    const { id } = await call('POST', '/v1/source-connections', {
      name: 'Objects',
      short_name: 's3',
      readable_collection_id: 'objects',
      config: { endpoint: swift.endpoint },
      authentication: { credentials: swift.owner },
      sync_immediately: false,
    });
    connection = id;
  });
  after(async () => {
    await server?.kill();
    await swift?.stop();
    dir?.remove();
  });

  const start = () =>
    startServer(dir.path, { env: { QUARRY_API_KEY: TEST_KEY, QUARRY_ALLOW_LOOPBACK: 'true' } });

  async function call(method: string, path: string, asked?: unknown) {
    const { status, body } = await server.call(method, path, asked);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  const newId = () => `${chance.pick(BUCKETS)}/${chance.pick(FOLDERS)}${made++}.txt`;
  const placeOf = (id: string): [bucket: string, key: string] => {
    const at = id.indexOf('/');
    return [id.slice(0, at), id.slice(at + 1)];
  };
  const anyId = () => chance.pick([...words.keys()]);

  async function put(id: string, word = newWord()): Promise<void> {
    words.set(id, word);
    await client.put(...placeOf(id), `It speaks of ${word}.`);
  }

  async function move(): Promise<void> {
    const from = anyId();
    const [bucket, key] = placeOf(from);
    const to = `${bucket}/moved/${made++}.txt`;
    words.set(to, must(words.get(from)));
    words.delete(from);
    await client.move(bucket, key, placeOf(to)[1]);
  }

  async function remove(): Promise<void> {
    const id = anyId();
    words.delete(id);
    await client.remove(...placeOf(id));
  }

  const again = () => {
    const id = anyId();
    return put(id, words.get(id));
  };
  const edit = () => {
    const add = () => put(newId());
    const addOrRemove = words.size < OBJECTS ? add : remove;
    return chance.pick([() => put(anyId()), () => put(anyId()), add, move, addOrRemove, again])();
  };

  async function synced() {
    const job = await untilSynced(server, connection);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    return job;
  }

  async function assertHeld(): Promise<void> {
    const query = `source_connection_id=${connection}&limit=1000`;
    const rows: { entity_id: string }[] = await call('GET', `/v1/entities?${query}`);
    assert.deepEqual(rows.map((row) => row.entity_id).toSorted(), [...words.keys()].toSorted());
    for (const [id, word] of words) {
      if (found.get(id) === word) continue;
      const { results } = await call('POST', '/v1/collections/objects/search', {
        query: word,
        limit: 2,
        generate_answer: false,
      });
      const ids = results.map((one: { entity_id: string }) => one.entity_id);
      assert.ok(ids.includes(`${id}__chunk_0`), `'${word}' finds ${ids}, and not ${id}`);
      found.set(id, word);
    }
  }

  async function playRound(): Promise<void> {
    await call('POST', `/v1/source-connections/${connection}/run`);
    for (let left = chance.below(12); left >= 0; left--) await edit();
    await server.kill();
    for (let left = chance.below(4); left > 0; left--) await edit();
    server = await start();
    for (let left = chance.below(12); left > 0; left--) await edit();
    await synced();
    // The first sync may have listed a part before it changed. The second one begins after the last change.
    await call('POST', `/v1/source-connections/${connection}/run`);
    assert.equal((await synced()).entities_failed, 0);
    await assertHeld();
  }

  it('[JOB-37] [JOB-43] loses no object and keeps none that is gone', async (t) => {
    const rounds = await playRounds(ROUNDS, playRound);
    t.diagnostic(`${rounds} rounds with ${words.size} objects at the end`);
  });
});
