/** Tests the service with its threads, and with vectors from a model server. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { caller } from '../inject.ts';
import { KEY, type ModelServer, startModelServer } from '../models/server.ts';
import { until } from '../until.ts';

describe('a model server and the threads of the service', () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-app-'));
  let models: ModelServer;
  let quarry: QuarryProcess;

  before(async () => {
    models = await startModelServer();
    const docs = join(dir, 'docs');
    mkdirSync(docs);
    writeFileSync(join(docs, 'heron.md'), '# Heron\n\nThe heron waits at the weir.');
    const env = {
      QUARRY_DATA_DIR: join(dir, 'data'),
      QUARRY_FILES_ROOTS: dir,
      QUARRY_EMBEDDER: models.named('cohere', 'e-1'),
      QUARRY_EMBEDDER_DIMENSIONS: '96',
      QUARRY_RERANKER: models.named('voyage', 'r-1'),
      QUARRY_LLM: `${models.named('anthropic')},${models.named('google')}`,
      COHERE_API_KEY: KEY,
      VOYAGE_API_KEY: KEY,
      ANTHROPIC_API_KEY: KEY,
      GEMINI_API_KEY: KEY,
    };
    quarry = await openProcess(readConfig(env), {
      log: pino({ level: 'silent' }),
      onFatal: (error) => assert.fail(error),
    });
  });
  after(async () => {
    await quarry.close();
    await models.close();
    rmSync(dir, { recursive: true });
  });

  it('the model server embeds the records of a sync and the queries', async () => {
    const request = caller(quarry.api, must(quarry.key));
    const post = (path: string, body: unknown) => request('POST', path, { body });
    await post('/v1/collections', { name: 'Birds', readable_id: 'birds' });
    const { status, body } = await post('/v1/source-connections', {
      name: 'Files',
      short_name: 'files',
      readable_collection_id: 'birds',
      config: { path: join(dir, 'docs') },
      authentication: { credentials: {} },
    });
    assert.ok(status < 300, JSON.stringify(body));
    const search = { query: 'heron weir', retrieval_strategy: 'neural', generate_answer: false };
    const found = await until(async () => {
      const answer = await post('/v1/collections/birds/search', search);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.results[0];
    });
    assert.match(found.md_content, /heron waits/);
    const embedded = models.calls.filter(({ kind }) => kind === 'embed');
    assert.ok(embedded.some(({ as, texts }) => as === 'document' && /heron/.test(texts[0] ?? '')));
    assert.ok(embedded.some(({ as, texts }) => as === 'query' && texts[0] === 'heron weir'));
    assert.ok(embedded.every(({ dimensions }) => dimensions === 96));
  });
});
