/** Pushes of a real process that is killed, and that are repeated with their Idempotency-Key until they are answered. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.ts';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from './process.ts';

const KILLS = 3;
const CALLERS = 8;

describe('pushes of a process that is killed', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let connection: string;

  beforeEach(async () => {
    dir = tempDir();
    server = await startServer(dir.path);
    await server.call('POST', '/v1/collections', { name: 'Pushes', readable_id: 'pushes' });
    const { body } = await server.call('POST', '/v1/source-connections', {
      name: 'Pushed',
      short_name: 'push',
      readable_collection_id: 'pushes',
    });
    connection = body.id;
  });
  afterEach(async () => {
    await server.kill();
    dir.remove();
  });

  async function push(key: string, text: string, options: { signal?: AbortSignal } = {}) {
    const response = await fetch(
      `${server.address}/v1/source-connections/${connection}/entities?wait=true`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TEST_KEY}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ entities: [{ entity_id: key, name: key, text }] }),
        ...options,
      },
    );
    return { status: response.status, body: (await response.json()) as any };
  }
  const jobs = async () =>
    (await server.call('GET', `/v1/source-connections/${connection}/jobs?limit=1000`)).body;

  it('[PSH-15] each of the pushes that are repeated after a kill is applied by one job', async () => {
    let asked = 0;
    let isOver = false;
    const answered = new Map<string, string>();
    /** Pushes one after another, each again and again until it is answered. */
    async function pushAll(): Promise<void> {
      while (!isOver) {
        const key = `key-${asked++}`;
        for (;;) {
          // The process is killed at any moment, and its successor has another address.
          const answer = await push(key, `the text of ${key}`).catch(() => undefined);
          if (answer?.status === 200) {
            answered.set(key, answer.body.id);
            break;
          }
          await sleep(20);
        }
      }
    }
    const callers = Array.from({ length: CALLERS }, pushAll);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = answered.size;
      await until(() => answered.size > before + CALLERS);
      await server.kill();
      server = await startServer(dir.path);
    }
    isOver = true;
    await Promise.all(callers);
    const all = await jobs();
    assert.equal(all.length, asked);
    assert.equal(answered.size, asked);
    assert.deepEqual(new Set(all.map((job: { id: string }) => job.id)), new Set(answered.values()));
    const { body } = await server.call('GET', `/v1/source-connections/${connection}`);
    assert.equal(body.entities.total_entities, asked);
    const other = await push('key-0', 'another text');
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  });

  it('[PSH-14] a client that goes away while it waits ends nothing, and neither does a stop', async () => {
    const client = new AbortController();
    const gone = push('one', 'a heron', { signal: client.signal });
    await until(async () => (await jobs()).length === 1);
    client.abort();
    await assert.rejects(gone);
    assert.equal((await untilSynced(server, connection)).status, 'COMPLETED');
    const last = push('two', 'a bittern');
    await until(async () => (await jobs()).length === 2);
    const [answer, exit] = await Promise.all([last, server.stop()]);
    assert.ok([200, 503].includes(answer.status), JSON.stringify(answer));
    assert.equal(exit.code, 0);
    server = await startServer(dir.path);
    assert.deepEqual((await push('two', 'a bittern')).status, 200);
    assert.equal((await jobs()).length, 2);
  });
});
