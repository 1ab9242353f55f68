import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type ChunkCache, createChunkCache } from '../../search/chunk-cache.ts';
import { answering } from '../engines/asking.ts';
import { type Connection, type Doc, ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

const STRATEGIES = ['hybrid', 'neural', 'keyword'] as const;
const WORDS = 'river stone bridge market garden winter signal copper window letter'.split(' ');

/** All 520 texts share a word, and every fourth has the same text as the one before it. */
const docs: Doc[] = Array.from({ length: 520 }, (_, i) => {
  const seed = i % 4 === 3 ? i - 1 : i;
  const picked = Array.from(
    { length: 3 + (seed % 7) },
    (_, k) => WORDS[(seed * 7 + k * k * 3) % WORDS.length],
  );
  return {
    id: `doc-${(i * 37) % 520}`,
    name: 'Note',
    text: `harbour ${picked.join(' ')}.`,
    ...(i % 5 > 0 && { updatedAt: new Date(Date.UTC(2020, 0, 1 + (i % 90))).toISOString() }),
  };
});

/** The scores of each engine are kept in order to compare them. */
const scores = new Map<string, [string, number][]>();

for (const engine of ENGINES) {
  describe(`ranking on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let connection: Connection;

    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      connection = await library.addConnection(collection);
      await library.put(collection, connection, docs);
    });
    after(() => library.close());

    const query = 'harbour bridge over the winter river';
    const rank = async (body: object) => {
      const answer = await library.search(collection, { ...PLAIN, query, ...body });
      return answer.results.map(({ entity_id, score }): [string, number] => [entity_id, score]);
    };

    it('[SRH-19] results beyond the first band are found, each once', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        const found = await rank({ retrieval_strategy });
        assert.equal(found.length, 520, retrieval_strategy);
        assert.equal(new Set(found.map(([id]) => id)).size, 520);
      }
    });

    it('[SRH-18] every page is a part of one list', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        const options = { retrieval_strategy, rerank: true, recency_bias: 0.2 };
        const all = await rank(options);
        await fc.assert(
          fc.asyncProperty(fc.nat(530), fc.integer({ min: 1, max: 530 }), async (offset, limit) => {
            const page = await rank({ ...options, offset, limit });
            assert.deepEqual(page, all.slice(offset, offset + limit));
          }),
          {
            numRuns: 8,
            examples: [
              [199, 2],
              [0, 200],
              [400, 120],
              [520, 1],
            ],
          },
        );
      }
    });

    it('[SRH-23] [SRH-26] scores lie in [0, 1] and never rise, and results with equal scores are ordered by id', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        for (const options of [{}, { rerank: true }, { recency_bias: 0.5 }]) {
          const found = await rank({ retrieval_strategy, ...options });
          let ties = 0;
          found.forEach(([id, score], i) => {
            assert.ok(score >= 0 && score <= 1);
            const [before, better] = found[i - 1] ?? ['', 2];
            assert.ok(score <= better);
            if (score !== better) return;
            ties++;
            assert.ok(Buffer.compare(Buffer.from(before), Buffer.from(id)) < 0);
          });
          assert.ok(ties > 10);
        }
      }
    });

    it('[SRH-20] reranking changes the order of the first band only', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        const plain = (await rank({ retrieval_strategy })).map(([id]) => id);
        const reranked = (await rank({ retrieval_strategy, rerank: true })).map(([id]) => id);
        // The first band of one arm has 200 results, and that of two arms at most 400. The order of the rest
        // stays.
        const size = retrieval_strategy === 'hybrid' ? 400 : 200;
        assert.deepEqual(reranked.slice(size), plain.slice(size), retrieval_strategy);
        assert.deepEqual(reranked.slice(0, size).toSorted(), plain.slice(0, size).toSorted());
        assert.notDeepEqual(reranked, plain);
      }
    });

    it('[SRH-27] a threshold does not change the order, in any band', async () => {
      const all = await rank({});
      for (const at of [10, 450]) {
        const score_threshold = all[at]?.[1] ?? 0;
        const kept = all.filter(([, score]) => score >= score_threshold);
        assert.deepEqual(await rank({ score_threshold }), kept);
        assert.deepEqual(
          await rank({ score_threshold, offset: at, limit: 3 }),
          kept.slice(at, at + 3),
        );
      }
    });

    it('[SRH-28] a recency bias of 1 orders by date alone, also beyond the first band', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        const options = { ...PLAIN, query, retrieval_strategy, recency_bias: 1, limit: 1000 };
        const found = await library.search(collection, options);
        const dates = found.results.map(({ metadata }) => metadata.updated_at ?? '');
        assert.equal(dates.length, 520);
        assert.deepEqual(dates, dates.toSorted().reverse());
        assert.equal(found.results[0]?.score, 1);
        assert.equal(found.results.at(-1)?.score, 0);
      }
    });

    it('[SRH-28] with a recency bias, a newer result can pass results of better bands', async () => {
      const options = { retrieval_strategy: 'keyword' };
      const plain = (await rank(options)).map(([id]) => id);
      const biased = (await rank({ ...options, recency_bias: 0.9 })).map(([id]) => id);
      assert.ok(biased.slice(0, 100).some((id) => plain.indexOf(id) >= 400));
    });

    it('[SRH-29] records that are added during a search displace no result', async () => {
      const stand = (from: number, count: number, text: string) =>
        Array.from({ length: count }, (_, i) => ({ id: `stand-${from + i}`, text }));
      const before = stand(0, 200, 'harbour');
      const meanwhile = stand(200, 250, 'harbour bridge');
      for (const retrieval_strategy of STRATEGIES) {
        const full = await library.addCollection();
        const growing = await library.addConnection(full);
        await library.put(full, growing, before);
        const index = answering(library.index, (look) => ({
          async candidates(asked) {
            await library.put(full, growing, meanwhile);
            return look.candidates(asked);
          },
        }));
        const found = await library.find(full, query, { retrieval_strategy }, { index });
        const ids = (list: readonly Doc[]) => list.map(({ id }) => `${id}__chunk_0`).toSorted();
        assert.deepEqual(found.toSorted(), ids(before), retrieval_strategy);
        const after = await library.find(full, query, { retrieval_strategy });
        assert.deepEqual(after.toSorted(), ids([...before, ...meanwhile]), retrieval_strategy);
      }
    });

    it('a search whose caller has gone ends before it reads the next band', async () => {
      const reason = new Error('gone');
      const controller = new AbortController();
      let reads = 0;
      const usual = createChunkCache();
      const chunks: ChunkCache = {
        read(...asked) {
          reads++;
          controller.abort(reason);
          return usual.read(...asked);
        },
      };
      const search = library.search(
        collection,
        { ...PLAIN, query, offset: 500, retrieval_strategy: 'keyword' },
        { signal: controller.signal, chunks },
      );
      await assert.rejects(search, (error) => error === reason);
      assert.equal(reads, 1);
    });

    it('[SRH-25] the scores are the same on every engine', async () => {
      const options = [{}, { rerank: true }, { retrieval_strategy: 'keyword', recency_bias: 0.3 }];
      const found: [string, number][] = [];
      for (const option of options) found.push(...(await rank({ ...option, limit: 1000 })));
      scores.set(engine.name, found);
      const [first] = scores.values();
      assert.deepEqual(found, first);
    });

    it('[SRH-21] deleted or replaced chunks take no place among the candidates', async () => {
      const crowded = await library.addCollection();
      const [gone, live] = [
        await library.addConnection(crowded),
        await library.addConnection(crowded),
      ];
      // 300 better chunks belong to a deleted connection, and 60 better ones are replaced by worse ones.
      const better = (prefix: string, count: number): Doc[] =>
        Array.from({ length: count }, (_, i) => ({ id: `${prefix}${i}`, text: query }));
      await library.put(crowded, gone, better('gone', 300));
      await library.put(crowded, live, better('old', 60));
      await library.put(
        crowded,
        live,
        better('old', 60).map((doc) => ({ ...doc, text: 'paper tulips' })),
      );
      await library.put(
        crowded,
        live,
        Array.from({ length: 210 }, (_, i) => ({ id: `new${i}`, text: `${query} and so on ${i}` })),
      );
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', gone.id)
        .execute();
      for (const retrieval_strategy of STRATEGIES) {
        const found = await library.find(crowded, query, { retrieval_strategy, limit: 200 });
        assert.equal(found.length, 200);
        assert.ok(found.every((id) => id.startsWith('new')));
      }
    });
  });
}
