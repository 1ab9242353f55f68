import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SearchBody } from '../../search/schema.ts';
import { ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

for (const engine of ENGINES.filter(({ database, index }) => index === database.name)) {
  describe(`explanations of results on ${engine.name}`, () => {
    let library: Library;
    let collection: string;

    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      const connection = await library.addConnection(collection);
      await library.put(
        collection,
        connection,
        Array.from({ length: 40 }, (_, i) => ({
          id: `note-${i}`,
          name: i % 3 === 0 ? 'Harbour rules' : 'Notes',
          text: `${i % 2 === 0 ? 'The harbour closes' : 'Boats leave'} at ${i} ${'and so on '.repeat(i)}`,
          ...(i % 4 > 0 && { updatedAt: `2024-01-${10 + (i % 20)}T00:00:00.000Z` }),
          access: [
            { viewers: null, isPublic: false },
            { viewers: ['user:zoe'], isPublic: true },
            { viewers: ['user:ann'], isPublic: false },
            { viewers: ['group:crew'], isPublic: false },
          ][i % 4]!,
        })),
      );
      await library.db
        .insertInto('group_members')
        .values({
          connection_id: connection.id,
          list: 0,
          group_name: 'group:crew',
          member: 'user:ann',
        })
        .execute();
    });
    after(() => library.close());

    const search = (body: Partial<SearchBody>, principals?: string[]) =>
      library.search(
        collection,
        { ...PLAIN, query: 'when does the harbour close', explain: true, ...body },
        principals ? { principals } : {},
      );

    for (const retrieval_strategy of ['hybrid', 'neural', 'keyword'] as const)
      for (const rerank of [true, false])
        for (const recency_bias of [0, 0.3, 1])
          it(`the parts of an explanation add up to the score: ${retrieval_strategy}, rerank ${rerank}, recency ${recency_bias}`, async () => {
            const body = { retrieval_strategy, rerank, recency_bias };
            const { results } = await search(body);
            assert.ok(results.length > 10);
            for (const { score, explanation } of results) {
              const sum = explanation!.parts.reduce((total, { adds }) => total + adds, 0);
              assert.ok(Math.abs(sum - score) < 1e-12, `${sum} instead of ${score}`);
              for (const { name, value, weight, adds } of explanation!.parts) {
                assert.ok(Math.abs(value * weight - adds) < 1e-12, name);
                if (name !== 'place') assert.ok(value >= 0 && value <= 1, name);
              }
              const hasRecency = explanation!.parts.some(({ name }) => name === 'recency');
              assert.equal(hasRecency, recency_bias > 0);
            }
            const plain = await search({ ...body, explain: false });
            assert.deepEqual(
              plain.results,
              results.map(({ explanation: _, ...result }) => result),
            );
          });

    it('an explanation has the rank and the score of the result in each arm', async () => {
      const { results } = await search({ rerank: false });
      for (const arm of ['words', 'meaning'] as const) {
        const found = results
          .map(({ explanation }) => explanation!.arms.find((one) => one.arm === arm)!)
          .filter(({ rank }) => rank !== null)
          .toSorted((a, b) => a.rank! - b.rank!);
        assert.deepEqual(
          found.map(({ rank }) => rank),
          found.map((_, i) => i + 1),
        );
        for (let i = 1; i < found.length; i++)
          assert.ok(found[i - 1]!.score! >= found[i]!.score! - 0.01, `${arm} at ${i}`);
      }
      const byMeaningAlone = results.find(({ md_content }) => md_content.startsWith('Boats'));
      const [words, meaning] = byMeaningAlone!.explanation!.arms;
      assert.deepEqual([words!.rank === null, meaning!.rank === null], [false, false]);
      const { results: neural } = await search({ retrieval_strategy: 'neural', rerank: false });
      assert.deepEqual(
        neural[0]!.explanation!.arms.map(({ arm, rank }) => [arm, rank]),
        [['meaning', 1]],
      );
    });

    it('[ENT-18] an explanation names the reason why the asker may see the result', async () => {
      const { results } = await search({}, ['user:ann']);
      const reasons = new Map(
        results.map(({ entity_id, explanation }) => [
          Number(/\d+/.exec(entity_id)![0]) % 4,
          explanation!.access,
        ]),
      );
      assert.deepEqual(Object.fromEntries(reasons), {
        0: { reason: 'unrestricted', principal: null },
        1: { reason: 'public', principal: null },
        2: { reason: 'viewer', principal: 'user:ann' },
        3: { reason: 'group', principal: 'group:crew' },
      });
      const all = await search({});
      for (const { explanation } of all.results)
        assert.deepEqual(explanation!.access, { reason: 'organization', principal: null });
    });
  });
}
