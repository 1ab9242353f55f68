/** The clean-up of a deleted organization is killed, and the next start goes on with it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { until } from '../until.ts';
import { type Server, startServer, TEST_KEY, tempDir } from './process.ts';

const ENTITIES = 3000;
const A_PUSH = 1000;
const TABLES = [
  'organizations',
  'memberships',
  'api_keys',
  'collections',
  'connections',
  'sync_jobs',
  'entities',
  'chunks',
  'chunk_bodies',
  'events',
  'jobs',
];

describe('a deleted organization', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  before(async () => {
    dir = tempDir();
    server = await startServer(dir.path);
  });
  after(async () => {
    await server.kill();
    dir.remove();
  });

  const call = async (method: string, path: string, body?: unknown, organizationId = '') => {
    const response = await fetch(`${server.address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TEST_KEY}`,
        'content-type': 'application/json',
        ...(organizationId && { 'x-organization-id': organizationId }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = (await response.json()) as any;
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  /** Makes a push connection in a collection of its own. */
  const connect = async (organizationId?: string): Promise<string> => {
    const collection = { name: 'Notes', readable_id: 'notes' };
    await call('POST', '/v1/collections', collection, organizationId);
    const input = { name: 'Pushes', short_name: 'push', readable_collection_id: 'notes' };
    return (await call('POST', '/v1/source-connections', input, organizationId)).id;
  };
  /** Returns the job when it has ended. */
  const push = async (connection: string, from: number, many: number, organizationId?: string) => {
    const entities = Array.from({ length: many }, (_, i) => ({
      entity_id: `note-${from + i}`,
      name: `Note ${from + i}`,
      text: `The note with the number ${from + i}.`,
    }));
    const path = `/v1/source-connections/${connection}`;
    const { id } = await call('POST', `${path}/entities`, { entities }, organizationId);
    return until(async () => {
      const jobs = await call('GET', `${path}/jobs`, undefined, organizationId);
      const job = jobs.find((one: { id: string }) => one.id === id);
      return !['PENDING', 'RUNNING'].includes(job.status) && job;
    });
  };
  const counts = (): Record<string, number> => {
    const file = new DatabaseSync(join(dir.path, 'quarry.db'), { readOnly: true, timeout: 5000 });
    try {
      return Object.fromEntries(
        TABLES.map((table) => [
          table,
          Number(file.prepare(`select count(*) as n from ${table}`).get()?.n),
        ]),
      );
    } finally {
      file.close();
    }
  };

  it('[KEY-37] is removed in the background, through a kill, while others go on', async () => {
    const own = await connect();
    await push(own, 0, 10);
    // The job's row goes just after its sync has ended.
    await until(() => counts().jobs === 0);
    const alone = counts();
    const { id } = await call('POST', '/v1/organizations', { name: 'Large' });
    const theirs = await connect(id);
    for (let from = 0; from < ENTITIES; from += A_PUSH) await push(theirs, from, A_PUSH, id);
    assert.equal(counts().entities, (alone.entities ?? 0) + ENTITIES);

    await call('DELETE', `/v1/organizations/${id}`);
    await until(() => (counts().entities ?? 0) < ENTITIES);
    await server.kill();
    const left = counts();
    assert.ok((left.entities ?? 0) > (alone.entities ?? 0), 'it was over before the kill');
    assert.equal(left.organizations, 2);

    server = await startServer(dir.path);
    // Other callers do not wait for the clean-up: this is answered while the rows are deleted.
    assert.equal((await push(own, 10, 1)).status, 'COMPLETED');
    const one = { entities: 1, chunks: 1, chunk_bodies: 1, sync_jobs: 1 };
    const expected = Object.entries(alone).map(([table, count]) => [
      table,
      count + (one[table as keyof typeof one] ?? 0),
    ]);
    await until(() => counts().organizations === 1 && counts().jobs === 0);
    const { events, ...rest } = counts();
    assert.deepEqual(
      Object.entries(rest),
      expected.filter(([table]) => table !== 'events'),
    );
    const [collection] = await call('GET', '/v1/collections');
    assert.equal(collection.readable_id, 'notes');
    const found = await call('POST', '/v1/collections/notes/search', {
      query: 'note number',
      generate_answer: false,
      limit: 100,
    });
    assert.equal(found.results.length, 11);
    assert.ok(events !== undefined && events < ENTITIES);
  });
});
