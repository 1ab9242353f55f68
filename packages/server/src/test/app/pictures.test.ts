/** Tests that text recognition which is installed later reads what a connection has left out before. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { zipFile } from '../documents/archive-file.ts';
import { blank, drawn, pngFile, scanFile } from '../documents/picture-file.ts';
import { caller } from '../inject.ts';
import { until } from '../until.ts';

const MODULES = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));

describe('pictures and scanned pages of a folder', () => {
  let dir: string;
  let folder: string;
  let database: TestDatabase;
  let quarry: QuarryProcess;
  let key: string;
  let connection: string;
  before(async () => {
    [dir = '', folder = ''] = ['data', 'folder'].map((name) =>
      mkdtempSync(join(tmpdir(), `quarry-pictures-${name}-`)),
    );
    database = await must(DATABASES[0]).open();
    await start();
    await ok('POST', '/v1/collections', { name: 'Papers', readable_id: 'papers' });
    const page = await drawn(['The heron waits at the weir.']);
    writeFileSync(join(folder, 'note.png'), pngFile(page));
    writeFileSync(join(folder, 'scan.pdf'), scanFile([page]));
    writeFileSync(join(folder, 'holiday.png'), pngFile(blank(300, 200)));
    writeFileSync(join(folder, 'talk.mp3'), 'ID3');
    const packed = ['a.md', 'note.png', 'scan.pdf'].map((name) => ({
      name,
      content: name === 'a.md' ? 'Alpha' : readFileSync(join(folder, name)),
    }));
    writeFileSync(join(folder, 'pack.zip'), zipFile(packed));
    const config = { path: folder };
    const made = { name: 'Folder', short_name: 'files', readable_collection_id: 'papers', config };
    connection = (await ok('POST', '/v1/source-connections', made)).id;
  });
  after(async () => {
    await quarry.close();
    await database.close();
    for (const path of [dir, folder]) rmSync(path, { recursive: true });
  });

  async function start(): Promise<void> {
    const config = readConfig({ QUARRY_DATA_DIR: dir, QUARRY_WATCH: 'false' });
    const onFatal = (error: Error) => assert.fail(error);
    const log = pino({ level: 'silent' });
    quarry = await openProcess(config, { log, threads: false, database, onFatal });
    key = quarry.key ?? key;
  }
  async function ok(method: 'GET' | 'POST', url: string, body?: unknown) {
    const answer = await caller(quarry.api, key)(method, url, { body });
    assert.ok(answer.status < 300, `${method} ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  /** Returns the newest job of the connection when it has ended. */
  async function ended() {
    let job: { id: string; status: string } | undefined;
    await until(async () => {
      [job] = await ok('GET', `/v1/source-connections/${connection}/jobs`);
      return job?.status === 'COMPLETED' || job?.status === 'FAILED';
    });
    return ok('GET', `/v1/sync/jobs/${must(job).id}`);
  }
  it('are left out, and read by the next sync after text recognition was installed', async () => {
    const without = await ended();
    assert.equal(without.status, 'completed');
    assert.equal(without.entities_inserted, 2);
    assert.equal(without.entities_skipped, 6);

    await quarry.close();
    mkdirSync(join(dir, 'ocr'));
    symlinkSync(MODULES, join(dir, 'ocr', 'node_modules'));
    await start();
    await ok('POST', `/v1/source-connections/${connection}/run`);
    const first = await ended();
    assert.equal(first.entities_inserted, 5);
    assert.equal(first.entities_skipped, 1);
    const { results } = await ok('POST', '/v1/collections/papers/search', {
      query: 'heron',
      generate_answer: false,
    });
    const found = results.map((result: { entity_id: string }) => result.entity_id);
    const papers = ['note.png', 'scan.pdf'].flatMap((name) => [name, `pack.zip!/${name}`]);
    assert.deepEqual(found.slice(0, 4).toSorted(), papers.map((id) => `${id}__chunk_0`).toSorted());

    // A picture without text is not recognized again either, because its record is unchanged.
    await ok('POST', `/v1/source-connections/${connection}/run`);
    const second = await ended();
    assert.deepEqual([second.entities_inserted, second.entities_skipped], [0, 1]);
  });
});
