/** Uses a client that was not written for Quarry: the published SDK of a comparable service, on our address. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AirweaveSDKClient } from '@airweave/sdk';
import { catalog } from '../../sources/catalog.ts';
import { until } from '../until.ts';
import { type Server, startServer, TEST_KEY, tempDir } from './process.ts';

describe('@airweave/sdk', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let client: AirweaveSDKClient;
  before(async () => {
    dir = tempDir();
    mkdirSync(join(dir.path, 'files'));
    writeFileSync(join(dir.path, 'files/zebra.md'), '# Zebras\n\nA zebra has stripes.\n');
    server = await startServer(join(dir.path, 'data'));
    client = new AirweaveSDKClient({ apiKey: TEST_KEY, baseUrl: `${server.address}/v1` });
  });
  after(async () => {
    await server.kill();
    dir.remove();
  });

  it('[SRC-01] [KEY-01] [KEY-02] sources', async () => {
    const sources = await client.sources.list();
    assert.deepEqual(
      sources.map((source) => source.short_name),
      [...catalog.keys()],
    );
    assert.equal((await client.sources.get('files')).short_name, 'files');
    await assert.rejects(client.sources.get('nothing'), { statusCode: 404 });
  });

  it('[GEN-02] [GEN-21] [GEN-22] collections, connections, run, jobs, cancel, search', async () => {
    const collection = await client.collections.create({ name: 'Animals', readable_id: 'animals' });
    assert.equal(collection.status, 'NEEDS_SOURCE');
    assert.deepEqual(
      (await client.collections.list({ search: 'nimal' })).map(({ id }) => id),
      [collection.id],
    );
    const connection = await client.sourceConnections.create({
      name: 'Folder',
      short_name: 'files',
      readable_collection_id: 'animals',
      config: { path: join(dir.path, 'files') },
      sync_immediately: false,
    });
    const run = await client.sourceConnections.run(connection.id, { force_full_sync: true });
    assert.equal(run.status, 'PENDING');
    const job = await until(async () => {
      const [newest] = await client.sourceConnections.getSourceConnectionJobs(connection.id, {
        limit: 1,
      });
      // The SDK's type has other words than both services answer with.
      return String(newest?.status) === 'COMPLETED' && newest;
    });
    assert.deepEqual([job.id, job.entities_inserted], [run.id, 1]);
    await assert.rejects(client.sourceConnections.cancelJob(connection.id, job.id), {
      statusCode: 409,
    });
    const answer = await client.collections.search('animals', {
      query: 'zebra stripes',
      retrieval_strategy: 'hybrid',
      limit: 5,
    });
    const [first] = answer.results as { entity_id: string }[];
    assert.equal(first?.entity_id, 'zebra.md__chunk_0');
    const renamed = await client.sourceConnections.update(connection.id, { name: 'The folder' });
    assert.equal(renamed.name, 'The folder');
    assert.equal((await client.sourceConnections.get(connection.id)).name, 'The folder');
    assert.equal((await client.sourceConnections.list({ collection: 'animals' })).length, 1);
    const jobs = await client.collections.refreshAllSourceConnections('animals');
    assert.equal(jobs.length, 1);
    assert.equal((await client.sourceConnections.delete(connection.id)).id, connection.id);
    assert.equal((await client.collections.delete('animals')).id, collection.id);
    await assert.rejects(client.collections.get('animals'), { statusCode: 404 });
  });
});
