/** Tests that slow requests of one reader do not keep others waiting. The service runs with its threads. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { type Answer, caller } from '../inject.ts';
import { until } from '../until.ts';

/** The expression is about as large as allowed, and slow on a text that it nearly matches everywhere. */
const HOSTILE = '(?:a?){900}[xy]';
const GREPS_AT_ONCE = 4;

describe('a reader whose requests take long', () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-stalls-'));
  let quarry: QuarryProcess;
  let call: ReturnType<typeof caller>;
  let reader: string;

  before(async () => {
    quarry = await openProcess(readConfig({ QUARRY_DATA_DIR: dir }), {
      log: pino({ level: 'silent' }),
      onFatal: (error) => assert.fail(error),
    });
    call = caller(quarry.api, must(quarry.key));
    await call('POST', '/v1/collections', { body: { name: 'Texts', readable_id: 'texts' } });
    const { body: push } = await call('POST', '/v1/source-connections', {
      body: { name: 'Pushed', short_name: 'push', readable_collection_id: 'texts' },
    });
    const entities = Array.from({ length: 40 }, (_, i) => ({
      entity_id: `e${i}`,
      name: `Text ${i}`,
      text: `The heron ${i} waits. ${'a'.repeat(1500)}`,
    }));
    await call('POST', `/v1/source-connections/${push.id}/entities`, { body: { entities } });
    await until(async () => {
      const { body } = await call('GET', `/v1/source-connections/${push.id}/jobs`);
      return body[0].status === 'COMPLETED' || undefined;
    });
    const { body } = await call('POST', '/v1/api-keys', {
      body: { name: 'Reader', role: 'read' },
    });
    reader = body.key;
  });
  after(async () => {
    await quarry.close();
    rmSync(dir, { recursive: true });
  });

  it('several slow expressions at once do not delay the API and the searches of others', async () => {
    // The first expression starts the thread.
    await call('POST', '/v1/collections/texts/contents/grep', { body: { pattern: 'heron' } });
    let ended = 0;
    const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
    const greps = Array.from({ length: GREPS_AT_ONCE }, () =>
      call('POST', '/v1/collections/texts/contents/grep', {
        key: reader,
        body: { pattern: HOSTILE },
      }).finally(() => ended++),
    );
    const health = await call('GET', '/health/live', { key: null });
    const search = await call('POST', '/v1/collections/texts/search', { body: { query: 'heron' } });
    assert.deepEqual([health.status, search.status, ended], [200, 200, 0]);
    assert.ok(search.body.results.length > 0);
    const answers: Answer[] = await Promise.all(greps);
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
    // The thread of the API would do nearly all of the work if expressions ran in it.
    const share = process.threadCpuUsage(thread).user / process.cpuUsage(all).user;
    assert.ok(share < 0.5, `the thread of the API did ${share} of the work`);
    // A page says where it ended, so that no reader has to wait for the whole search.
    assert.ok(answers.some(({ body }) => body.next !== null));
  });
});
