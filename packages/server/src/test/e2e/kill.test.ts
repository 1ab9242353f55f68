/**
 * kill -9 at random moments of a sync: after the restart nothing that was acknowledged is lost, nothing
 * deleted is shown, and the counters equal what is stored.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Server, startServer, tempDir, until, untilSynced } from './process.ts';

const ROUNDS = 20;
const FILES = 300;

describe('kill -9', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  const words = new Map<string, string>();
  const folder = () => join(dir.path, 'files');
  const data = () => join(dir.path, 'data');

  before(async () => {
    dir = tempDir();
    mkdirSync(folder());
    server = await startServer(data());
  });
  after(async () => {
    await server.kill();
    dir.remove();
  });

  function write(name: string): void {
    const word = `w${randomBytes(8).toString('hex')}`;
    words.set(name, word);
    writeFileSync(join(folder(), name), `# ${name}\n\nThe word of this file is ${word}.\n`);
  }

  const find = async (word: string) => {
    const { body } = await server.call('POST', '/v1/collections/killed/search', {
      query: word,
      retrieval_strategy: 'keyword',
      expand_query: false,
      generate_answer: false,
    });
    return body.results.map((result: { entity_id: string }) => result.entity_id);
  };

  it('[JOB-23] [JOB-43] [PSH-08] loses nothing and shows nothing that is gone', async () => {
    for (let i = 0; i < FILES; i++) write(`f${i}.md`);
    await server.call('POST', '/v1/collections', { name: 'Killed', readable_id: 'killed' });
    const { body: connection } = await server.call('POST', '/v1/source-connections', {
      name: 'Folder',
      short_name: 'files',
      readable_collection_id: 'killed',
      config: { path: folder() },
      schedule: { cron: null },
    });
    const { body: pushed } = await server.call('POST', '/v1/source-connections', {
      name: 'Pushed',
      short_name: 'push',
      readable_collection_id: 'killed',
    });
    const gone: string[] = [];
    const acknowledged: string[] = [];

    for (let round = 0; round < ROUNDS; round++) {
      const job = await server.call('POST', `/v1/source-connections/${connection.id}/run`);
      assert.ok([200, 409].includes(job.status), JSON.stringify(job.body));
      const word = `p${randomBytes(8).toString('hex')}`;
      const push = await server.call('POST', `/v1/source-connections/${pushed.id}/entities`, {
        entities: [{ entity_id: `p${round}`, name: `push ${round}`, text: word }],
      });
      assert.equal(push.status, 202);
      acknowledged.push(word);
      await sleep(Math.random() * 400);
      await server.kill();

      const [victim] = [...words.keys()].slice(round, round + 1);
      assert.ok(victim);
      gone.push(words.get(victim) ?? '');
      words.delete(victim);
      rmSync(join(folder(), victim));
      write(`new${round}.md`);
      gone.push(words.get(`f${FILES - 1 - round}.md`) ?? '');
      write(`f${FILES - 1 - round}.md`);

      server = await startServer(data());
    }

    await untilSynced(server, pushed.id);
    await untilSynced(server, connection.id);
    await until(async () => {
      const run = await server.call('POST', `/v1/source-connections/${connection.id}/run`);
      return run.status === 200;
    });
    const last = await untilSynced(server, connection.id);
    assert.equal(last.status, 'COMPLETED');

    for (const word of acknowledged) assert.equal((await find(word)).length, 1, `push ${word}`);
    for (const [name, word] of words) assert.deepEqual(await find(word), [`${name}__chunk_0`]);
    for (const word of gone) assert.deepEqual(await find(word), [], `deleted ${word}`);

    const { body: now } = await server.call('GET', `/v1/source-connections/${connection.id}`);
    assert.equal(now.entities.total_entities, words.size);
    const { body: jobs } = await server.call('GET', '/v1/sync/jobs');
    for (const job of jobs) {
      const seen = Object.values<number>(job.entities_encountered).reduce((a, b) => a + b, 0);
      assert.equal(
        seen,
        job.entities_inserted +
          job.entities_updated +
          job.entities_kept +
          job.entities_skipped +
          job.entities_failed,
        JSON.stringify(job),
      );
    }
    const mine = jobs.filter((job: { sync_id: string }) => job.sync_id === connection.sync_id);
    const sum = (field: string) =>
      mine.reduce((total: number, job: Record<string, number>) => total + (job[field] ?? 0), 0);
    assert.equal(sum('entities_inserted') - sum('entities_deleted'), words.size);
  });
});
