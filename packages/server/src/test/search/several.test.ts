/**
 * Tests a search over several collections. Its oracle is a search over one collection that has all of their records: both
 * must return the same results with the same scores.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import { AppError } from '../../errors.ts';
import { setOwnWeights } from '../../eval/store.ts';
import { FEATURES, RERANK, STRATEGIES } from '../../search/rank.ts';
import { type Random, random } from '../random/random.ts';
import { type Doc, ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

/** The first collections are small, and the last one has more records than a band has candidates. */
const SIZES = [0, 1, 12, 40, 260];
const WORDS = 'heron lake winter engine motor noise report budget river stone'.split(' ');
/** Each collection writes often about a word of its own, so that its own frequencies would mislead. */
const OWN = ['heron', 'lake', 'winter', 'engine', 'motor'];
const VIEWERS = [['user:ann'], ['user:bob', 'group:crew'], null];
const QUERIES = ['heron lake', 'which engine makes noise in winter', 'budget', 'web hook', 'zebra'];

for (const engine of ENGINES) {
  describe(`a search over several collections on ${engine.name}`, () => {
    let library: Library;
    let parts: readonly string[];
    let whole: string;

    before(async () => {
      library = await openLibrary(engine);
      const chance = random(11);
      const shelves = SIZES.map((size, i) =>
        Array.from({ length: size }, (_, k) => doc(chance, `${i}-${k}`, OWN[i]!)),
      );
      const filled = async (docs: readonly Doc[]) => {
        const collection = await library.addCollection();
        const connection = await library.addConnection(collection);
        await library.put(collection, connection, docs);
        return collection;
      };
      const made: string[] = [];
      for (const docs of shelves) made.push(await filled(docs));
      parts = made;
      whole = await filled(shelves.flat());
    });
    after(() => library.close());

    const scored = async (
      collections: string | readonly string[],
      body: object,
      options: Parameters<Library['search']>[2] = {},
    ) => {
      const { results } = await library.search(collections, { ...PLAIN, ...body }, options);
      return results.map(({ entity_id, score, explanation }) => ({
        entity_id,
        score,
        ...(explanation && { explanation }),
      }));
    };

    for (const retrieval_strategy of STRATEGIES)
      for (const rerank of [true, false])
        it(`ranks like a search over one collection with all records: ${retrieval_strategy}, rerank ${rerank}`, async () => {
          for (const query of QUERIES)
            for (const options of [{}, { recency_bias: 0.4 }, { expand_query: true }]) {
              const body = { query, retrieval_strategy, rerank, explain: true, ...options };
              const expected = await scored(whole, body);
              assert.deepEqual(await scored(parts, body), expected, query);
              if (query === 'heron lake') assert.ok(expected.length > 200);
            }
        });

    it('ranks by what the asker may see, like a search over one collection', async () => {
      for (const principals of [['user:ann'], ['group:crew'], ['user:nobody'], []])
        for (const query of QUERIES) {
          const expected = await scored(whole, { query, rerank: true }, { principals });
          assert.deepEqual(await scored(parts, { query, rerank: true }, { principals }), expected);
        }
    });

    it('[SRH-18] has pages that are parts of the whole list', async () => {
      const body = { query: 'heron lake', rerank: true };
      const all = await scored(parts, body);
      for (const [offset, limit] of [
        [0, 7],
        [7, 30],
        [190, 40],
        [all.length - 3, 10],
        [all.length, 10],
      ] as const)
        assert.deepEqual(
          await scored(parts, { ...body, offset, limit }),
          all.slice(offset, offset + limit),
        );
    });

    it('has a filter on a field that only some collections have', async () => {
      const only = await library.addCollection();
      const connection = await library.addConnection(only);
      await library.put(only, connection, [
        { id: 'red', text: 'heron', fields: { colour: 'red' } },
      ]);
      const both = [...parts, only];
      const is = { key: 'metadata.colour', match: { value: 'red' } };
      const found = (filter: object) => library.find(both, 'heron', { filter });
      assert.deepEqual(await found({ must: [is] }), ['red__chunk_0']);
      const others = await found({ must_not: [is] });
      assert.deepEqual(others.toSorted(), (await library.find(parts, 'heron')).toSorted());
    });

    it('reads restrictions from a query by the names of all collections', async () => {
      const [first, second] = [await library.addCollection(), await library.addCollection()];
      const [git, mail] = [
        await library.addConnection(first, 'git'),
        await library.addConnection(second, 'imap'),
      ];
      await library.put(first, git, [{ id: 'in-git', text: 'the heron' }]);
      await library.put(second, mail, [{ id: 'in-mail', text: 'the heron' }]);
      for (const connection of [git, mail]) await library.countTypes(connection);
      const body = { interpret_filters: true };
      for (const [source, id] of [
        ['git', 'in-git'],
        ['imap', 'in-mail'],
      ] as const)
        assert.deepEqual(await library.find([first, second], `heron from ${source}`, body), [
          `${id}__chunk_0`,
        ]);
    });

    it('finds a change of any of the collections from its commit on, also when it has cached their records', async () => {
      const [first, second] = [await library.addCollection(), await library.addCollection()];
      const [one, other] = [
        await library.addConnection(first),
        await library.addConnection(second),
      ];
      const texts = async () =>
        (await library.search([first, second], { ...PLAIN, query: 'heron' })).results.map(
          ({ md_content }) => md_content,
        );
      await library.put(first, one, [{ id: 'a', text: 'heron first' }]);
      await library.put(second, other, [{ id: 'a', text: 'heron second' }]);
      assert.deepEqual((await texts()).toSorted(), ['heron first', 'heron second']);
      // Both collections now have the same version, but not the same changes.
      await library.put(second, other, [{ id: 'a', text: 'heron later' }]);
      assert.deepEqual((await texts()).toSorted(), ['heron first', 'heron later']);
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', other.id)
        .execute();
      assert.deepEqual(await texts(), ['heron first']);
    });

    it('[ENT-15] finds a record for somebody who may see it since a change, also when it was cached before', async () => {
      const [first, second] = [await library.addCollection(), await library.addCollection()];
      const [one, other] = [
        await library.addConnection(first),
        await library.addConnection(second),
      ];
      const access = { viewers: ['user:ann'], isPublic: false };
      await library.put(first, one, [{ id: 'open', text: 'heron' }]);
      await library.put(second, other, [{ id: 'closed', text: 'heron', access }]);
      const found = (who: string) =>
        library.find([first, second], 'heron', {}, { principals: [`user:${who}`] });
      assert.equal((await found('ann')).length, 2);
      await library.db
        .updateTable('entities')
        .set({ viewers: JSON.stringify(['user:bob']) })
        .where('connection_id', '=', other.id)
        .execute();
      await library.db.transaction().execute((tx) => library.index.touch(tx, second));
      assert.deepEqual((await found('bob')).toSorted(), ['closed__chunk_0', 'open__chunk_0']);
      assert.deepEqual(await found('ann'), ['open__chunk_0']);
    });

    it('has the default weights, whatever weights one of the collections has of its own', async () => {
      const weighed = parts[3]!;
      const place = { organizationId: library.organizationId, collectionId: weighed };
      const body = { query: 'heron lake', rerank: true };
      // The order of the collections must not matter, so the weighed one is the first.
      const all = [weighed, ...parts.filter((id) => id !== weighed)];
      const [alone, together] = [await scored([weighed], body), await scored(all, body)];
      const weights = Object.fromEntries(FEATURES.map((name) => [name, name === 'title' ? 9 : 1]));
      await setOwnWeights(library.db, place, {
        weights: { ...RERANK, ...weights },
        embedder: library.embedder.model,
        fittedAt: 1,
        queries: 40,
        gain: { mean: 0.1, low: 0.05, high: 0.15 },
      });
      assert.notDeepEqual(await scored([weighed], body), alone);
      assert.deepEqual(await scored(all, body), together);
      await setOwnWeights(library.db, place, null);
    });

    it('answers at the same time as searches over some of its collections, in any order', async () => {
      const body = { query: 'heron lake', limit: 5 };
      const kinds = [parts, parts.toReversed(), parts[4]!];
      const [all, , alone] = await Promise.all(kinds.map((of) => scored(of, body)));
      assert.notDeepEqual(all, alone);
      const asked = Array.from({ length: 12 }, (_, i) => scored(kinds[i % 3]!, body));
      for (const [i, answer] of (await Promise.all(asked)).entries())
        assert.deepEqual(answer, i % 3 === 2 ? alone : all);
    });

    it('finds nothing without collections, and ignores those that do not exist', async () => {
      assert.deepEqual(await library.find([], 'heron'), []);
      const expected = await library.find(parts, 'heron');
      assert.deepEqual(await library.find([...parts, 'nowhere'], 'heron'), expected);
    });
  });
}

describe('the memory of a search over several collections', () => {
  it('is refused when all together do not fit, although each of them does', async () => {
    const library = await openLibrary(ENGINES.find(({ index }) => index === 'sqlite')!);
    const collections = [await library.addCollection(), await library.addCollection()];
    for (const collection of collections) {
      const connection = await library.addConnection(collection);
      const docs = Array.from({ length: 100 }, (_, i) => ({ id: `${i}`, text: `heron ${i}` }));
      await library.put(collection, connection, docs);
    }
    const { dimensions } = library.embedder;
    const index = createSqliteIndex({ dimensions, budget: 150_000 });
    for (const one of collections)
      assert.equal((await library.find(one, 'heron', { limit: 3 }, { index })).length, 3);
    await assert.rejects(library.find(collections, 'heron', {}, { index }), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.status, error.code], [503, 'index_too_large']);
      assert.match(error.message, /these 2 collections together .* name fewer of them/);
      return true;
    });
    await library.close();
  });
});

function doc(chance: Random, id: string, own: string): Doc {
  const word = () => (chance.below(3) === 0 ? own : chance.pick(WORDS));
  const viewers = chance.pick(VIEWERS);
  return {
    id,
    name: `${word()} ${id}`,
    text: Array.from({ length: 3 + chance.below(30) }, word).join(' '),
    updatedAt: new Date(Date.UTC(2024, 0, 1 + chance.below(300))).toISOString(),
    ...(viewers && { access: { viewers, isPublic: chance.below(5) === 0 } }),
  };
}
