/** Tests that live results of sources stand among indexed results, in the same form and under the same rules. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { push } from '../../sources/catalog/push.ts';
import { upsert } from '../../sources/items.ts';
import { book, federatedSource } from '../app/federated-source.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { testWorld, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';

interface Result {
  readonly entity_id: string;
  readonly source_name: string;
  readonly md_content: string;
  readonly metadata: Record<string, unknown>;
  readonly score: number;
  readonly url: string;
}

for (const database of DATABASES)
  describe(`live search on ${database.name}`, () => {
    const { source, shelf } = federatedSource();
    const second = federatedSource('attic');
    const pulled = testWorld();
    let quarry: TestQuarry;
    let collection: string;
    before(async () => {
      const sources = [source, second.source, push, pulled.source];
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map(sources.map((one) => [one.shortName, one])),
      });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      for (const one of [shelf, second.shelf])
        Object.assign(one, { find: () => [], password: 'right', asked: [] });
      collection = (await quarry.ok('POST', '/v1/collections', { name: 'Anything' })).readable_id;
    });

    const connect = async (shortName = 'shelf'): Promise<string> =>
      (
        await quarry.ok('POST', '/v1/source-connections', {
          name: 'Of a test',
          short_name: shortName,
          readable_collection_id: collection,
          authentication: { credentials: { password: 'right' } },
        })
      ).id;
    /** Indexes these records through a new connection. */
    const index = async (...entities: readonly Entity[]): Promise<string> => {
      pulled.world.items = whole(...entities.map((entity) => upsert(entity)));
      const id = await connect('world');
      assert.equal((await quarry.settled(id)).status, 'completed');
      return id;
    };
    const search = (query: string, body: object = {}, headers?: Record<string, string>) =>
      quarry.ok('POST', `/v1/collections/${collection}/search`, { query, ...body }, headers);
    const ids = async (query: string, body: object = {}): Promise<string[]> =>
      (await search(query, body)).results.map((result: Result) => result.entity_id);
    const page = (id: string, over: Partial<Entity> = {}) => book(id, { type: 'Page', ...over });

    it('[FED-03] live results look like indexed results, and are ordered with them by score', async () => {
      await index(
        page('good', { text: 'the lighthouse keeper' }),
        page('weak', { text: `the keeper of ${'many other things '.repeat(40)}` }),
      );
      const id = await connect();
      const updatedAt = new Date('2026-01-02T03:04:05Z');
      const url = 'https://shelf.example/best';
      shelf.find = () => [
        book('best', { name: 'Lighthouse keeper', text: 'a lighthouse keeper', url, updatedAt }),
      ];
      const { results, metadata } = await search('lighthouse keeper');
      assert.deepEqual(
        results.map((result: Result) => result.entity_id),
        ['best__chunk_0', 'good__chunk_0', 'weak__chunk_0'],
      );
      const [best, good] = results;
      for (const part of [(one: Result) => one, (one: Result) => one.metadata])
        assert.deepEqual(Object.keys(part(best)).toSorted(), Object.keys(part(good)).toSorted());
      assert.ok(best.score <= 1 && best.score >= good.score);
      assert.deepEqual(
        [best.source_name, best.md_content, best.url, best.breadcrumbs],
        ['shelf', 'a lighthouse keeper', url, []],
      );
      assert.deepEqual(best.metadata, {
        name: 'Lighthouse keeper',
        entity_type: 'Book',
        source_connection_id: id,
        created_at: null,
        updated_at: updatedAt.toISOString(),
        heading: null,
        page: null,
        place: null,
        line: null,
        shelf: 1,
      });
      assert.deepEqual(metadata.federated, [
        { source_connection_id: id, source_name: 'shelf', status: 'answered', results: 1 },
      ]);
    });

    it('[FED-03] live results are found in a collection without indexed records, by every strategy', async () => {
      await connect();
      shelf.find = () => [
        book('other', { text: 'a recipe for bread and butter' }),
        book('wanted', { text: 'the keeper of the lighthouse' }),
      ];
      for (const retrieval_strategy of ['hybrid', 'neural', 'keyword'])
        for (const rerank of [true, false]) {
          const { results } = await search('lighthouse keeper', { retrieval_strategy, rerank });
          assert.equal(results[0].entity_id, 'wanted__chunk_0', `${retrieval_strategy} ${rerank}`);
          assert.ok(results[0].score > 0.3 && results[0].score <= 1, `${results[0].score}`);
        }
    });

    it('[FED-03] a search over several collections asks the sources of all, and names the collection of each live result', async () => {
      await index(page('in-first', { text: 'the lighthouse keeper' }));
      const first = collection;
      const shelfId = await connect();
      collection = (await quarry.ok('POST', '/v1/collections', { name: 'Another' })).readable_id;
      const atticId = await connect('attic');
      shelf.find = () => [book('on-shelf', { text: 'lighthouse keeper of the shelf' })];
      second.shelf.find = () => [book('in-attic', { text: 'lighthouse keeper of the attic' })];
      const { results, metadata } = await quarry.ok('POST', '/v1/search', {
        query: 'lighthouse keeper',
        collections: [first, collection],
      });
      const where = results.map((result: Result & { collection: { readable_id: string } }) => [
        result.entity_id,
        result.collection.readable_id,
      ]);
      assert.deepEqual(Object.fromEntries(where), {
        'in-first__chunk_0': first,
        'on-shelf__chunk_0': first,
        'in-attic__chunk_0': collection,
      });
      const asked = metadata.federated.map(
        (one: { source_connection_id: string }) => one.source_connection_id,
      );
      assert.deepEqual(asked.toSorted(), [shelfId, atticId].toSorted());
    });

    it('[FED-03] [SRH-18] every page is a part of the whole list, for any offset and limit', async () => {
      await index(
        ...Array.from({ length: 30 }, (_, i) => page(`in-${i}`, { text: `harbour ${i}` })),
      );
      await connect();
      shelf.find = () =>
        Array.from({ length: 20 }, (_, i) => book(`live-${i}`, { text: `harbour log ${i}` }));
      for (const recency_bias of [0, 0.5]) {
        const all = await ids('harbour log', { limit: 1000, recency_bias });
        assert.equal(all.length, 50);
        assert.equal(new Set(all).size, 50);
        for (const [offset, limit] of [
          [0, 1],
          [0, 7],
          [5, 20],
          [40, 100],
        ] as const)
          assert.deepEqual(
            await ids('harbour log', { offset, limit, recency_bias }),
            all.slice(offset, offset + limit),
          );
      }
      assert.deepEqual(new Set(shelf.asked.map(({ limit }) => limit)), new Set([50]));
      assert.ok(shelf.asked.every(({ query }) => query === 'harbour log'));
    });

    it('[FED-03] [SRH-29] a filter accepts the same records whether they are live or indexed', async () => {
      const crumb = { id: 'top', name: 'Top', type: 'Folder' };
      const entities = [
        page('a', { name: 'Alpha', fields: { size: 1, tags: ['x', 'y'] }, breadcrumbs: [crumb] }),
        page('b', { fields: { size: 2 }, createdAt: new Date('2025-05-05T00:00:00Z') }),
        page('c', { fields: { owner: { name: 'me' } }, access: { viewers: null, isPublic: true } }),
        page('d', { fields: { size: null }, updatedAt: new Date('2026-06-06T12:00:00Z') }),
        page('e', { type: 'Page', access: { viewers: ['user:me@x.y'], isPublic: false } }),
      ];
      await index(...entities);
      await connect();
      shelf.find = () => entities;
      const filters = [
        { must: { key: 'name', match: { value: 'Alpha' } } },
        { must_not: { key: 'name', match: { value: 'Alpha' } } },
        { must: { key: 'metadata.size', range: { gte: 2 } } },
        { must: { key: 'metadata.tags', match: { any: ['y'] } } },
        { must: { is_null: { key: 'metadata.size' } } },
        { must: { key: 'metadata.owner.name', match: { text: 'm' } } },
        { must: { key: 'created_at', range: { lt: '2026-01-01' } } },
        { must: { key: 'updated_at', range: { gte: '2026-06-06T12:00:00Z' } } },
        { must: { key: 'breadcrumbs.name', match: { value: 'Top' } } },
        { must: { key: 'access.is_public', match: { value: true } } },
        { must: { is_null: { key: 'access.is_public' } } },
        { must: { key: 'access.is_public', match: { value: false } } },
        { must: { has_id: ['a', 'b__chunk_0'] } },
        { must: { key: 'entity_type', match: { except: ['Page'] } } },
        { must: { key: 'chunk_index', match: { value: 0 } } },
      ];
      const from = (name: string) => ({ key: 'source_name', match: { value: name } });
      for (const filter of filters) {
        const of = async (name: string) =>
          (await ids('text', { filter: { must: [filter, from(name)] }, limit: 100 })).toSorted();
        assert.deepEqual(await of('shelf'), await of('world'), JSON.stringify(filter));
      }
      const { metadata } = await search('text', { filter: filters[0] });
      assert.equal(metadata.federated[0].results, 1);
    });

    if (isLeftToSqlite(database)) return;

    it('a filter for their connection finds live results, and a filter for a job finds none', async () => {
      const id = await connect();
      shelf.find = () => [book('a')];
      const { sync_id } = await quarry.ok('GET', `/v1/source-connections/${id}`);
      const of = (key: string, value: string) =>
        ids('text', { filter: { must: { key, match: { value } } } });
      assert.deepEqual(await of('sync_id', sync_id), ['a__chunk_0']);
      assert.deepEqual(await of('sync_job_id', sync_id), []);
      assert.deepEqual(await of('source_name', 'shelf'), ['a__chunk_0']);
      assert.deepEqual(await of('source_name', 'world'), []);
    });

    it('[ENT-17] a search for a person asks no live source, and the response does not mention one', async () => {
      await index(page('a', { access: { viewers: ['user:me@x.y'], isPublic: false } }));
      await connect();
      shelf.find = () => [book('b', { access: { viewers: null, isPublic: true } })];
      const { results, metadata } = await search('text', {}, { 'x-principals': 'user:me@x.y' });
      assert.deepEqual(
        results.map((result: Result) => result.entity_id),
        ['a__chunk_0'],
      );
      assert.equal(metadata.federated, undefined);
      assert.deepEqual(shelf.asked, []);
    });

    it('a record that is both indexed and live is shown once, as the indexed result', async () => {
      const url = 'https://both.example/1';
      await index(page('mine', { url }), page('other', { url: 'https://other.example' }));
      await connect();
      await connect('attic');
      shelf.find = () => [
        book('twin', { url }),
        book('alone', { url: 'https://shelf.example/1' }),
        // Two records have the same link, and one record comes twice.
        book('beside', { url: 'https://shelf.example/1' }),
        book('alone', { text: 'text again' }),
      ];
      second.shelf.find = () => [
        book('alone', { url: 'https://attic.example' }),
        book('late', { url: 'https://shelf.example/1' }),
      ];
      const { results } = await search('text', { limit: 100 });
      assert.deepEqual(
        results
          .map((one: Result) => `${one.source_name} ${one.entity_id.split('__')[0]}`)
          .toSorted(),
        ['attic alone', 'shelf alone', 'shelf beside', 'world mine', 'world other'],
      );
    });

    it('all live sources are asked at the same time', async () => {
      await connect();
      await connect('attic');
      const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      shelf.find = async () => {
        both[0].resolve();
        await both[1].promise;
        return [book('a')];
      };
      second.shelf.find = async () => {
        both[1].resolve();
        await both[0].promise;
        return [book('b')];
      };
      assert.deepEqual((await ids('text')).toSorted(), ['a__chunk_0', 'b__chunk_0']);
    });

    it('a live source that fails is named, and only its own results are missing', async () => {
      await index(page('indexed'));
      await connect();
      await connect('attic');
      second.shelf.find = () => [book('from the attic')];
      for (const [failure, message] of [
        [new SourceError('transient', 'the shelf is closed'), 'the shelf is closed'],
        [
          new Error('password=right'),
          'it could not be asked because of an error in Quarry; see its log',
        ],
        [null, 'it could not be asked because of an error in Quarry; see its log'],
      ] as const) {
        shelf.find = () => {
          if (failure) throw failure;
          return [{ ...book('x'), name: undefined as unknown as string }];
        };
        const { results, metadata } = await search('text');
        assert.deepEqual(results.map((one: Result) => one.entity_id).toSorted(), [
          'from the attic__chunk_0',
          'indexed__chunk_0',
        ]);
        assert.deepEqual(
          metadata.federated.map((one: Record<string, unknown>) => [
            one.source_name,
            one.status,
            one.results,
            one.message,
          ]),
          [
            ['shelf', 'failed', 0, message],
            ['attic', 'answered', 1, undefined],
          ],
        );
      }
    });

    it('a live source that asks to wait is not asked again during the wait', async () => {
      await connect();
      shelf.find = () => {
        throw new SourceError('rate_limited', 'slow down', { retryAfter: 30 });
      };
      assert.equal((await search('text')).metadata.federated[0].message, 'slow down');
      const { metadata } = await search('text');
      assert.match(metadata.federated[0].message, /^it asks to wait for \d+ s$/);
      assert.equal(shelf.asked.length, 1);
    });

    it('live results are limited in number and size, and invalid ones are left out or cleaned', async () => {
      await index(page('indexed', { text: 'text of the index', url: 'https://index.example' }));
      const id = await connect();
      const bad = new Date('no date');
      shelf.find = () => [
        book('indexed', { text: 'text of an impostor', url: 'javascript:alert(1)' }),
        book('html', { text: 'text <script>alert(1)</script>', createdAt: bad, updatedAt: bad }),
        book('huge', { text: 'text '.repeat(1_000_000), name: 'n'.repeat(100_000) }),
        book('odd', { text: 'te\0xt \ud800 text', url: 'no url' }),
        book('', {}),
        book('i'.repeat(3000)),
        book('undeclared', { type: 'Weapon' }),
        book('wrong', { fields: { shelf: 'none' } }),
        ...Array.from({ length: 1000 }, (_, i) => book(`more-${i}`)),
      ];
      const { results, metadata } = await search('text', { limit: 1000 });
      const live: Result[] = results.filter((one: Result) => one.source_name === 'shelf');
      const named = (name: string) => live.find((one) => one.entity_id === `${name}__chunk_0`)!;
      assert.equal(live.length, 50 - 4);
      assert.equal(metadata.federated[0].results, 50 - 4);
      assert.ok(live.every((one) => one.metadata.source_connection_id === id));
      assert.equal(named('indexed').url, '');
      assert.equal(named('html').md_content, 'text <script>alert(1)</script>');
      assert.deepEqual(
        [named('html').metadata.created_at, named('html').metadata.updated_at],
        [null, null],
      );
      assert.ok(named('huge').md_content.length < 20_000);
      assert.equal((named('huge').metadata.name as string).length, 1000);
      assert.equal(named('odd').md_content, 'text \ufffd text');
      for (const name of ['undeclared', 'wrong']) assert.equal(named(name), undefined);
      const indexed = results.filter((one: Result) => one.source_name === 'world');
      assert.deepEqual(
        indexed.map((one: Result) => [one.md_content, one.url]),
        [['text of the index', 'https://index.example']],
      );
    });

    it('[SRH-09] a query can name a live source', async () => {
      await index(page('indexed'));
      await connect();
      shelf.find = () => [book('live')];
      const { results, metadata } = await search('text from shelf', { interpret_filters: true });
      assert.deepEqual(
        results.map((one: Result) => one.entity_id),
        ['live__chunk_0'],
      );
      assert.deepEqual(metadata.interpreted_filter, {
        must: [{ key: 'source_name', match: { value: 'shelf' } }],
      });
      assert.equal(shelf.asked[0]!.query, 'text');
    });

    it('an answer quotes live results', async () => {
      await connect();
      shelf.find = () => [book('live', { text: 'The lighthouse keeper is called Ada.' })];
      const { completion } = await search('Who is the lighthouse keeper?');
      assert.match(completion, /Ada\..*\[live__chunk_0\]/);
    });

    it('[FED-03] [AGT-09] live sources take part in an agentic search, and the response lists how each answered', async () => {
      await index(page('indexed', { text: 'the lighthouse stands on a cliff' }));
      const id = await connect();
      shelf.find = () => [book('live', { text: 'the keeper of the lighthouse is Ann' })];
      const path = `/v1/collections/${collection}/agentic-search`;
      const body = { query: 'who is the keeper of the lighthouse', mode: 'fast' };
      const { results, answer, metadata } = await quarry.ok('POST', path, body);
      assert.deepEqual(
        results.map((result: Result) => result.entity_id),
        ['live__chunk_0', 'indexed__chunk_0'],
      );
      assert.match(answer.text, /^the keeper of the lighthouse is Ann \[live__chunk_0\]/);
      const source = { source_connection_id: id, source_name: 'shelf' };
      assert.deepEqual(metadata.federated, [{ ...source, status: 'answered', results: 1 }]);

      const filter = [[{ field: 'source_name', operator: 'not_equals', value: 'shelf' }]];
      const narrow = await quarry.ok('POST', path, { ...body, filter });
      assert.doesNotMatch(JSON.stringify(narrow.results), /live__chunk_0/);
      const asked = shelf.asked.length;
      const person = await quarry.ok('POST', path, body, { 'x-principals': 'user:ann' });
      assert.doesNotMatch(JSON.stringify(person), /live__chunk_0|federated/);
      assert.equal(shelf.asked.length, asked);
      shelf.find = () => {
        throw new SourceError('transient', 'the shelf has fallen over');
      };
      const without = await quarry.ok('POST', path, body);
      assert.deepEqual(
        without.results.map((result: Result) => result.entity_id),
        ['indexed__chunk_0'],
      );
      assert.deepEqual(without.metadata.federated, [
        { ...source, status: 'failed', results: 0, message: 'the shelf has fallen over' },
      ]);
    });
  });
