/** A whole Quarry in this process shows what it does as metrics, and Prometheus' own program accepts their text. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { parseExposition, type Sample, sampleOf } from './exposition.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

for (const database of DATABASES)
  describe(`metrics (${database.name})`, () => {
    let quarry: TestQuarry;
    let samples: readonly Sample[];
    let text: string;

    before(async () => {
      quarry = await openTestQuarry(await database.open(), { env: { QUARRY_METRICS_PORT: '0' } });
      await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
      const connection = await quarry.ok('POST', '/v1/source-connections', {
        ...{ short_name: 'push', readable_collection_id: 'birds', name: 'Notes' },
      });
      await quarry.ok('POST', `/v1/source-connections/${connection.id}/entities`, {
        entities: [
          { entity_id: 'heron', name: 'Heron', text: 'A heron waits in the reeds.' },
          { entity_id: 'stork', name: 'Stork', text: 'A stork stands on the chimney.' },
        ],
      });
      await quarry.settled(connection.id);
      const path = mkdtempSync(join(tmpdir(), 'quarry-metrics-'));
      const folder = await quarry.ok('POST', '/v1/source-connections', {
        ...{ short_name: 'files', readable_collection_id: 'birds', name: 'A folder' },
        ...{ config: { path }, sync_immediately: false, schedule: { cron: '0 3 * * *' } },
      });
      rmSync(path, { recursive: true });
      await quarry.ok('POST', `/v1/source-connections/${folder.id}/run`);
      await quarry.settled(folder.id);
      await quarry.find('birds', 'heron in the reeds');
      await quarry.call('GET', '/v1/collections/absent');
      const answer = await must(quarry.operations).inject({ method: 'GET', url: '/metrics' });
      assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
      text = answer.body;
      samples = parseExposition(text);
    });
    after(() => quarry.close());

    it('requests are counted by route and status, and never by address', () => {
      const name = 'quarry_http_request_duration_seconds_count';
      const route = '/v1/collections/:readable_id';
      assert.equal(sampleOf(samples, name, { method: 'GET', route, status: '404' }), 1);
      assert.doesNotMatch(text, /absent|birds/);
    });

    it('searches are measured as a whole and by stage', () => {
      const whole = { kind: 'search', outcome: 'answered' };
      assert.equal(sampleOf(samples, 'quarry_search_duration_seconds_count', whole), 1);
      for (const stage of ['embed', 'snapshot', 'candidates', 'rows'])
        assert.equal(
          sampleOf(samples, 'quarry_search_stage_duration_seconds_count', { stage }),
          1,
          stage,
        );
      assert.equal(sampleOf(samples, 'quarry_searches_waiting', {}), 0);
    });

    it('syncs, their records and their job are counted, and the database is asked for the rest', () => {
      const source = 'push';
      assert.equal(sampleOf(samples, 'quarry_syncs_total', { source, state: 'COMPLETED' }), 1);
      const inserted = { source, outcome: 'inserted' };
      assert.equal(sampleOf(samples, 'quarry_sync_records_total', inserted), 2);
      const done = { job: 'sync.push', outcome: 'done' };
      assert.equal(sampleOf(samples, 'quarry_jobs_total', done), 1);
      assert.equal(sampleOf(samples, 'quarry_records', { source }), 2);
      assert.equal(sampleOf(samples, 'quarry_index_passages', {}), 2);
      assert.equal(sampleOf(samples, 'quarry_connections', { source, state: 'unscheduled' }), 1);
      assert.equal(sampleOf(samples, 'quarry_database_up', {}), 1);
    });

    it('a connection whose last sync failed is shown until a later sync does not fail', () => {
      const source = 'files';
      assert.equal(sampleOf(samples, 'quarry_connections', { source, state: 'failed' }), 1);
      assert.equal(sampleOf(samples, 'quarry_connections', { source, state: 'ok' }), undefined);
      assert.equal(sampleOf(samples, 'quarry_schedule_lag_seconds', { source }), 0);
    });

    it('counters that alerts watch begin with 0, because a monitor sees no increase in a first value', () => {
      for (const [name, labels] of [
        ['quarry_syncs_total', { source: 'push', state: 'FAILED' }],
        ['quarry_jobs_total', { job: 'maintenance.task', outcome: 'broke' }],
        ['quarry_index_evictions_total', {}],
      ] as const)
        assert.equal(sampleOf(samples, name, labels), 0, name);
    });

    it('the event loop is measured, and the process by the names that Prometheus knows', () => {
      const loop = { thread: 'main', percentile: '99' };
      assert.ok(must(sampleOf(samples, 'quarry_event_loop_delay_seconds', loop)) >= 0);
      assert.ok(must(sampleOf(samples, 'process_resident_memory_bytes', {})) > 1e6);
    });

    it('promtool finds no fault in the text', {
      skip: !hasPromtool && 'promtool is missing (apt-get install prometheus)',
    }, () => {
      const ran = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, '', '']);
    });
  });
