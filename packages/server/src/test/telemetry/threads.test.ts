/** The threads of a real process report to its port of metrics, which a process without the API has, too. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { caller } from '../inject.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';
import { parseExposition, type Sample, sampleOf } from './exposition.ts';

describe('the metrics of a process with threads', () => {
  let dir: string;
  let quarry: QuarryProcess;
  const lines: Record<string, unknown>[] = [];
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-metrics-'));
    const config = readConfig({
      ...{ QUARRY_DATA_DIR: dir, QUARRY_METRICS_PORT: '0', QUARRY_WATCH: 'false' },
    });
    quarry = await openProcess(config, {
      log: pino({}, { write: (line) => lines.push(JSON.parse(line)) }),
      threads: 'one log',
      onFatal: (error) => assert.fail(error),
    });
    const call = caller(quarry.api, must(quarry.key));
    await call('POST', '/v1/collections', { body: { name: 'Birds', readable_id: 'birds' } });
    const { body: made } = await call('POST', '/v1/source-connections', {
      body: { short_name: 'push', readable_collection_id: 'birds', name: 'Notes' },
    });
    await call('POST', `/v1/source-connections/${made.id}/entities`, {
      body: { entities: [{ entity_id: 'heron', name: 'Heron', text: 'A heron waits.' }] },
    });
    await until(async () => {
      const { body } = await call('GET', `/v1/source-connections/${made.id}/jobs`);
      return body[0].status === 'COMPLETED';
    });
    const found = await call('POST', '/v1/collections/birds/search', {
      body: { ...PLAIN, query: 'heron' },
    });
    assert.equal(found.body.results.length, 1);
  });
  after(async () => {
    await quarry.close();
    rmSync(dir, { recursive: true });
  });

  /** The text is made again when it is a second old. */
  const scrape = async (): Promise<Sample[]> =>
    parseExposition((await must(quarry.operations).inject('/metrics')).body);

  it('have what the worker and the search thread did, at one address', async () => {
    const done = { job: 'sync.push', outcome: 'done' };
    const searched = { kind: 'search', outcome: 'answered' };
    const samples = await until(async () => {
      const some = await scrape();
      return sampleOf(some, 'quarry_jobs_total', done) === 1 && some;
    });
    assert.equal(sampleOf(samples, 'quarry_search_duration_seconds_count', searched), 1);
    assert.ok(must(sampleOf(samples, 'quarry_index_resident_bytes', {})) > 0);
    for (const thread of ['search', 'worker'])
      assert.equal(sampleOf(samples, 'quarry_threads', { thread }), 1, thread);
    for (const thread of ['main', 'search', 'worker'])
      assert.ok(must(sampleOf(samples, 'quarry_thread_heap_bytes', { thread })) > 1e6, thread);
  });

  it('stand beside one line in the log for each job', () => {
    const ended = lines.filter(({ name }) => name === 'sync.push');
    assert.equal(ended.length, 1);
    const { msg, outcome, source, state, inserted } = must(ended[0]);
    assert.deepEqual(
      { msg, outcome, source, state, inserted },
      { msg: 'a job is done', outcome: 'done', source: 'push', state: 'COMPLETED', inserted: 1 },
    );
  });

  it('have health beside them', async () => {
    const ready = await must(quarry.operations).inject('/health/ready');
    assert.deepEqual([ready.statusCode, ready.json()], [200, { status: 'ok', problems: [] }]);
    const absent = await must(quarry.operations).inject('/v1/collections');
    assert.deepEqual([absent.statusCode, absent.json().code], [404, 'not_found']);
  });
});
