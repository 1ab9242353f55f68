/** Reads the stream of an agentic search over a real port, with a plain loop over the result of `fetch`. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { AgenticAnswer, AgenticEvent } from '../../search/agent/schema.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { openStream } from '../event-stream.ts';
import { type Library, libraryOn } from './library.ts';

for (const database of DATABASES) {
  describe(`POST agentic-search/stream on ${database.name}`, () => {
    let api: TestApi;
    let url: string;
    let library: Library;

    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      const { organizationId } = await api.owner();
      const { body } = await api.call('POST', '/v1/collections', {
        body: { name: 'Library', readable_id: 'library' },
      });
      library = libraryOn(opened, 'exact', organizationId);
      await library.put(body.id, await library.addConnection(body.id), [
        { id: 'zebra', text: 'A zebra has stripes.' },
        { id: 'heron', text: 'A heron waits in the reeds.' },
      ]);
      await api.api.listen({ host: '127.0.0.1', port: 0 });
      const { port } = api.api.server.address() as AddressInfo;
      url = `http://127.0.0.1:${port}/v1/collections/library/agentic-search/stream`;
    });
    after(() => api.close());

    const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

    it('[STR-02] the response has the headers of an event stream', async () => {
      const stream = await openStream(url, api.adminKey, { query: 'zebra', mode: 'fast' });
      for (const [name, value] of [
        ['content-type', 'text/event-stream'],
        ['cache-control', 'no-cache, no-transform'],
        ['connection', 'keep-alive'],
        ['x-accel-buffering', 'no'],
        ['access-control-allow-origin', '*'],
      ] as const)
        assert.equal(stream.headers.get(name), value, name);
      await stream.rest();
    });

    it('[STR-03] [STR-04] [STR-05] [STR-06] [STR-08] the stream sends every step, and at last the answer', async () => {
      const body = { query: 'Which stripes has the zebra, and where does the heron wait?' };
      const events = await (await openStream(url, api.adminKey, body)).rest();
      for (const event of events) assert.deepEqual(AgenticEvent.parse(event), event);
      assert.deepEqual(typesOf(events).slice(0, 2), ['planning', 'search']);
      assert.deepEqual(typesOf(events).slice(-2), ['evaluation', 'done']);
      const [{ reasoning, strategy }, first] = events;
      assert.ok(reasoning.includes('2 parts') && strategy.includes('heron'));
      assert.deepEqual(first, { type: 'search', query: body.query, results_found: 2 });
      const { type, ...done } = events.at(-1);
      assert.deepEqual(AgenticAnswer.parse(done), done);
      const found = typesOf(events).filter((one) => one === 'search');
      assert.equal(done.metadata.usage.searches, found.length);
      assert.equal(done.metadata.quality_score, events.at(-2).quality_score);
    });

    it('[STR-06] [AGT-13] the stream ends with the answer of the plain route', async () => {
      for (const mode of ['fast', 'thinking']) {
        const body = { query: 'where does the heron wait', mode, limit: 1 };
        const events = await (await openStream(url, api.adminKey, body)).rest();
        const { type, ...done } = events.at(-1);
        const plain = await api.call('POST', '/v1/collections/library/agentic-search', { body });
        assert.deepEqual(done, plain.body);
        assert.equal(typesOf(events).filter((one) => one === 'evaluation').length, 1);
      }
    });

    it('[STR-07] [STR-08] the stream sends an event for a failure, and ends', async () => {
      await library.db.schema.alterTable('chunk_bodies').renameTo('chunk_bodies_away').execute();
      try {
        const events = await (await openStream(url, api.adminKey, { query: 'zebra' })).rest();
        const { message, ...error } = events.at(-1);
        assert.deepEqual(error, { type: 'error', code: 'internal' });
        assert.ok(typeof message === 'string' && !message.includes('chunk_bodies'));
      } finally {
        await library.db.schema.alterTable('chunk_bodies_away').renameTo('chunk_bodies').execute();
      }
      const events = await (await openStream(url, api.adminKey, { query: 'zebra' })).rest();
      assert.equal(events.at(-1).type, 'done');
    });
  });
}
