import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AgenticEvent,
  bodyOf,
  createQuarryClient,
  eventsOf,
  itemsOf,
  pageOf,
  pagesAfter,
  type QuarryClient,
  QuarryError,
  type SyncJobEvent,
} from 'quarry-client';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';

describe('quarry-client', () => {
  let quarry: TestQuarry;
  let url: string;
  let client: QuarryClient;
  let connection: string;

  before(async () => {
    quarry = await openTestQuarry(await must(DATABASES[0]).open());
    url = await quarry.api.listen({ host: '127.0.0.1', port: 0 });
    client = createQuarryClient({ url, apiKey: quarry.key });
    await bodyOf(client.POST('/v1/collections', { body: { name: 'Birds', readable_id: 'birds' } }));
    const made = await bodyOf(
      client.POST('/v1/source-connections', {
        body: { name: 'My pushes', short_name: 'push', readable_collection_id: 'birds' },
      }),
    );
    connection = made.id;
    const entities = [
      { entity_id: 'heron', name: 'Heron', text: 'The heron waits at the weir.', for: 'ann' },
      { entity_id: 'diver', name: 'Diver', text: 'The diver waits in the lake.', for: 'ben' },
    ].map(({ for: person, ...entity }) => ({
      ...entity,
      access: { viewers: [`user:${person}@example.org`], is_public: false },
    }));
    await bodyOf(
      client.POST('/v1/source-connections/{id}/entities', {
        params: { path: { id: connection } },
        body: { entities },
      }),
    );
    await quarry.settled(connection);
  });
  after(() => quarry.close());

  const path = { readable_id: 'birds' };

  it('searches, on behalf of a person when X-Principals names one', async () => {
    const find = async (principals?: string) => {
      const { results } = await bodyOf(
        client.POST('/v1/collections/{readable_id}/search', {
          params: { path, ...(principals && { header: { 'X-Principals': principals } }) },
          body: { query: 'which bird waits?', generate_answer: false },
        }),
      );
      return results.map(({ metadata }) => metadata.name).toSorted();
    };
    assert.deepEqual(await find(), ['Diver', 'Heron']);
    assert.deepEqual(await find('user:ann@example.org'), ['Heron']);
  });

  it('throws the message, the code and the faults of a refusal', async () => {
    const missing = bodyOf(
      client.GET('/v1/collections/{readable_id}', { params: { path: { readable_id: 'fish' } } }),
    );
    await assert.rejects(missing, (error) => {
      assert.ok(error instanceof QuarryError);
      assert.deepEqual([error.status, error.code], [404, 'not_found']);
      assert.match(error.message, /'fish'/);
      assert.match(error.requestId, /^[0-9a-f-]{36}$/);
      return true;
    });
    await assert.rejects(bodyOf(client.POST('/v1/collections', { body: { name: 'x' } })), {
      status: 422,
      code: 'invalid',
      faults: [{ loc: ['body', 'name'], msg: 'use at least 4 characters', type: 'too_small' }],
      message: 'use at least 4 characters',
    });
  });

  it('reads a list of several pages to its end', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `Key ${i}`);
    for (const name of names) await bodyOf(client.POST('/v1/api-keys', { body: { name } }));
    const found: string[] = [];
    for await (const { name } of itemsOf((query) =>
      client.GET('/v1/api-keys', { params: { query } }),
    ))
      found.push(name);
    assert.deepEqual(found.filter((name) => names.includes(name)).toSorted(), names.toSorted());
    const { items, total } = await pageOf(
      client.GET('/v1/api-keys', { params: { query: { limit: 2 } } }),
    );
    assert.deepEqual([items.length, total], [2, found.length]);
  });

  it('reads a list that goes on after a mark to its end', async () => {
    const found: string[] = [];
    let pages = 0;
    for await (const { items } of pagesAfter(({ after }) =>
      client.GET('/v1/collections/{readable_id}/contents/list', {
        params: { path, query: { ...(after !== undefined && { after }), limit: 1 } },
      }),
    )) {
      found.push(...items.map(({ name }) => name));
      pages += 1;
    }
    assert.deepEqual(found.toSorted(), ['Diver', 'Heron']);
    assert.ok(pages >= 2);
  });

  it('[STR-03] yields the events of an agentic search, the answer last', async () => {
    const events: AgenticEvent[] = [];
    for await (const event of eventsOf<AgenticEvent>(
      client.POST('/v1/collections/{readable_id}/agentic-search/stream', {
        params: { path },
        body: { query: 'Which bird waits at the weir?', mode: 'fast' },
        parseAs: 'stream',
      }),
    ))
      events.push(event);
    const last = events.at(-1);
    assert.deepEqual([events[0]?.type, last?.type], ['planning', 'done']);
    assert.match(last?.type === 'done' ? last.answer.text : '', /heron/);
  });

  it('[JOB-40] yields the progress of a sync, and may stop before its end', async () => {
    const [job] = await bodyOf(
      client.GET('/v1/source-connections/{id}/jobs', { params: { path: { id: connection } } }),
    );
    const watch = (signal?: AbortSignal) =>
      eventsOf<SyncJobEvent>(
        client.GET('/v1/source-connections/{id}/jobs/{job_id}/stream', {
          params: { path: { id: connection, job_id: must(job).id } },
          parseAs: 'stream',
          ...(signal && { signal }),
        }),
      );
    const types: string[] = [];
    for await (const event of watch()) types.push(event.type);
    assert.deepEqual(types, ['done']);
    for await (const _event of watch()) break;
    await assert.rejects(watch(AbortSignal.abort()).next(), { name: 'AbortError' });
    await assert.rejects(
      eventsOf(
        client.GET('/v1/source-connections/{id}/jobs/{job_id}/stream', {
          params: { path: { id: connection, job_id: 'nothing' } },
          parseAs: 'stream',
        }),
      ).next(),
      { status: 404, code: 'not_found' },
    );
  });
});
