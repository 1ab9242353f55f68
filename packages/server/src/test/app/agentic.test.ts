/**
 * Tests agentic searches through every layer: HTTP on a port, the threads, the database, and a model whose answers a
 * script gives.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { openStream } from '../event-stream.ts';
import { caller } from '../inject.ts';
import {
  type Call,
  KEY,
  type ModelServer,
  type Script,
  startModelServer,
} from '../models/server.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';

const PATH = '/v1/collections/library/agentic-search';
const SAID: Readonly<Record<string, object>> = {
  plan: { reasoning: 'It asks for zebras.', strategy: 'Look for stripes.', queries: [] },
  evaluate: {
    quality_score: 1,
    needs_refinement: false,
    relevant: [1],
    queries: [],
    read_around: [],
  },
  answer: { answered: true, text: 'A zebra has stripes [1].' },
};
const answering: Script = ({ purpose }) => {
  const says = SAID[purpose ?? ''];
  return says && { says };
};

for (const database of DATABASES) {
  const isServer = database.name === 'sqlite' || process.env.TEST_POSTGRES_URL !== undefined;
  const skip = !isServer && 'the database lives in this process';
  describe(`agentic search in the service on ${database.name}`, { skip }, () => {
    let dir: string;
    let opened: TestDatabase;
    let models: ModelServer;
    let script: Script = answering;
    let quarry: QuarryProcess;
    let call: ReturnType<typeof caller>;
    let address: string;

    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'quarry-agentic-'));
      opened = await database.open();
      models = await startModelServer((asked) => script(asked));
      const config = readConfig({
        QUARRY_DATA_DIR: dir,
        QUARRY_LLM: models.named('openai', 'wise'),
        OPENAI_API_KEY: KEY,
        ...(opened.kind === 'postgres' && { DATABASE_URL: must(opened.url) }),
      });
      quarry = await openProcess(config, {
        log: pino({ level: 'silent' }),
        onFatal: (error) => assert.fail(error),
      });
      call = caller(quarry.api, must(quarry.key));
      await quarry.api.listen({ host: '127.0.0.1', port: 0 });
      address = `http://127.0.0.1:${(quarry.api.server.address() as AddressInfo).port}`;
      await fill();
    });
    after(async () => {
      await quarry.close();
      await models.close();
      await opened.close();
      await rm(dir, { recursive: true });
    });
    afterEach(() => {
      script = answering;
      (models.calls as Call[]).length = 0;
    });

    async function fill() {
      await call('POST', '/v1/collections', { body: { name: 'Library', readable_id: 'library' } });
      const { body: connection } = await call('POST', '/v1/source-connections', {
        body: { name: 'Pushed', short_name: 'push', readable_collection_id: 'library' },
      });
      const entities = [
        { entity_id: 'zebra', name: 'Zebra', text: 'A zebra has stripes.' },
        { entity_id: 'heron', name: 'Heron', text: 'A heron waits in the reeds.' },
      ];
      const path = `/v1/source-connections/${connection.id}`;
      const pushed = await call('POST', `${path}/entities`, { body: { entities } });
      assert.equal(pushed.status, 202, JSON.stringify(pushed.body));
      await until(async () => {
        const [job] = (await call('GET', `${path}/jobs`)).body;
        return job?.status === 'COMPLETED' || undefined;
      });
    }
    const stream = (query: string) =>
      openStream(`${address}${PATH}/stream`, must(quarry.key), { query });

    it('[AGT-07] [AGT-14] the model writes the answer, and nothing in the response is degraded', async () => {
      const { status, headers, body } = await call('POST', PATH, { body: { query: 'stripes' } });
      assert.equal(status, 200);
      assert.equal(body.answer.text, 'A zebra has stripes. [zebra__chunk_0]');
      assert.ok(!('x-search-degraded' in headers));
      assert.deepEqual(body.metadata.degraded, []);
      assert.equal(body.metadata.usage.model, 'openai/wise');
    });

    if (isSmokeEnough(database)) return;

    it('[STR-03] [STR-06] the stream sends each step when it happens, and ends with the answer of the plain request', async () => {
      const read = Promise.withResolvers<void>();
      script = async (asked) => {
        if (asked.purpose === 'evaluate') await read.promise;
        return answering(asked);
      };
      const events = await stream('stripes');
      assert.deepEqual(
        [(await events.next()).type, (await events.next()).type],
        ['planning', 'search'],
      );
      read.resolve();
      const rest = await events.rest();
      assert.deepEqual(
        rest.map(({ type }) => type),
        ['evaluation', 'done'],
      );
      const { type, ...done } = rest.at(-1);
      assert.deepEqual(done, (await call('POST', PATH, { body: { query: 'stripes' } })).body);
    });

    for (const step of ['plan', 'evaluate', 'answer'])
      it(`[STR-08] a search whose client leaves during the step ${step} ends its request to the model and makes no other`, async () => {
        const asked = Promise.withResolvers<void>();
        script = (one) => {
          if (one.purpose !== step) return answering(one);
          asked.resolve();
          return 'hang';
        };
        const left = models.left();
        const events = await stream('stripes');
        await asked.promise;
        const leftAt = performance.now();
        events.leave();
        await left;
        // The service closes its request to the model when the client leaves. Otherwise the request
        // would end at the time limit of the step, which is 7 s or more.
        assert.ok(performance.now() - leftAt < 5000);
        assert.equal(models.calls.at(-1)?.purpose, step);
        script = answering;
        const { status } = await call('POST', PATH, { body: { query: 'stripes' } });
        assert.equal(status, 200);
      });
  });
}
