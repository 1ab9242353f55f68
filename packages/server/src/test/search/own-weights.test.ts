import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setOwnWeights } from '../../eval/store.ts';
import type { OwnWeights } from '../../model/own-weights.ts';
import { createWeightsFor } from '../../search/own-weights.ts';
import { FEATURES, RERANK } from '../../search/rank.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

const BODY = { ...PLAIN, query: 'harbour rules', rerank: true, explain: true };

for (const engine of ENGINES.filter(({ database, index }) => index === database.name)) {
  describe(`the own weights of a collection on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let other: string;
    before(async () => {
      library = await openLibrary(engine);
      [collection, other] = [await library.addCollection(), await library.addCollection()];
      for (const id of [collection, other]) {
        const connection: Connection = await library.addConnection(id);
        await library.put(id, connection, [
          { id: 'titled', name: 'Harbour rules', text: 'Boats may wait for the tide.' },
          {
            id: 'told',
            name: 'Notes',
            text: 'Here are the rules of the harbour: no harbour, no rules.',
          },
        ]);
      }
    });
    after(() => library.close());

    const place = (organizationId = library.organizationId) => ({
      organizationId,
      collectionId: collection,
    });
    const own = (changes: Partial<OwnWeights> = {}): OwnWeights => ({
      weights: { ...RERANK, title: 0, titleMeaning: 0, first: 0, run: 0, near: 0.1 },
      embedder: library.embedder.model,
      fittedAt: 1,
      queries: 40,
      gain: { mean: 0.1, low: 0.05, high: 0.15 },
      ...changes,
    });
    const store = (weights: OwnWeights | null) => setOwnWeights(library.db, place(), weights);
    const partsOf = async (id: string) => {
      const { results } = await library.search(id, BODY);
      return results.map(({ entity_id, score, explanation }) => ({
        id: entity_id,
        score,
        parts: explanation!.parts,
      }));
    };

    it('own weights order and explain the results from the next search on, until they are removed', async () => {
      const before = await partsOf(collection);
      assert.deepEqual(
        before.map(({ id }) => id),
        ['titled__chunk_0', 'told__chunk_0'],
      );
      await store(own());
      const during = await partsOf(collection);
      assert.deepEqual(
        during.map(({ id }) => id),
        ['told__chunk_0', 'titled__chunk_0'],
      );
      const { weights } = own();
      const counting = FEATURES.filter((name) => weights[name]! > 0);
      const total = counting.reduce((sum, name) => sum + weights[name]!, 0);
      for (const { score, parts } of during) {
        assert.deepEqual(
          parts.map(({ name, weight }) => [name, weight]),
          counting.map((name) => [name, weights[name]! / total]),
        );
        assert.ok(Math.abs(parts.reduce((sum, { adds }) => sum + adds, 0) - score) < 1e-12);
      }
      assert.deepEqual(await partsOf(other), before);
      await store(null);
      assert.deepEqual(await partsOf(collection), before);
    });

    it('own weights do not count without reranking', async () => {
      const plain = () => library.search(collection, { ...BODY, rerank: false });
      const before = await plain();
      await store(own());
      assert.deepEqual(await plain(), before);
      await store(null);
    });

    it('own weights belong to one organization', async () => {
      const stranger = await library.addOrganization();
      await assert.rejects(setOwnWeights(library.db, place(stranger), own()), /has been deleted/);
      await store(own());
      const weightsFor = createWeightsFor({ warn: () => assert.fail('nothing is outdated') });
      assert.equal(await weightsFor(library.db, place(stranger), RERANK), RERANK);
      assert.deepEqual(await weightsFor(library.db, place(), RERANK), own().weights);
      await store(null);
    });

    it('own weights that do not fit the reranker or the embedder are ignored with one warning', async () => {
      const { topic: _, ...fewer } = RERANK;
      for (const [changes, reason] of [
        [{ weights: fewer }, /has got topic since then/],
        [{ weights: { ...RERANK, moon: 1 } }, /does not have moon any more/],
        [{ embedder: 'another' }, /fitted with the embedder another/],
      ] as const) {
        await store(own(changes));
        const warnings: unknown[] = [];
        const weightsFor = createWeightsFor({ warn: (...line: unknown[]) => warnings.push(line) });
        for (let i = 0; i < 3; i++)
          assert.equal(await weightsFor(library.db, place(), RERANK), RERANK);
        assert.equal(warnings.length, 1);
        assert.match(JSON.stringify(warnings), reason);
        // After another fit, the same fault gets another warning.
        await store(own({ ...changes, fittedAt: 2 }));
        await weightsFor(library.db, place(), RERANK);
        assert.equal(warnings.length, 2);
      }
      await store(null);
    });
  });
}
