/** Tests what an agentic search finds, what it answers and when it stops, without a language model. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import type { Embedder, Reranker, SearchIndex } from '../../engines/ports.ts';
import { unavailable } from '../../errors.ts';
import { LIMITS } from '../../search/agent/limits.ts';
import type { Federated } from '../../search/federated/ask.ts';
import { answering } from '../engines/asking.ts';
import { ask, toolsOf } from './agentic-library.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';

/** The text is long enough for a chunk of its own. */
const padding = (about: string) => `It is about ${about}. `.repeat(60);

type Change = (library: Library, collection: string, goes: Connection) => Promise<unknown>;

const touched =
  (row: object): Change =>
  (library, collection, goes) =>
    library.db.transaction().execute(async (tx) => {
      await tx.updateTable('entities').set(row).where('connection_id', '=', goes.id).execute();
      await library.index.touch(tx, collection);
    });

/** Each change may happen to a record in one commit. */
const CHANGES: Readonly<Record<string, Change>> = {
  'hidden from the caller': touched({ viewers: '["user:zoe"]' }),
  'changed so that the filter leaves it out': touched({ metadata: '{"kind": "y"}' }),
  'taken away with its connection': (library, _collection, goes) =>
    library.db
      .updateTable('connections')
      .set({ deleted_at: 1 })
      .where('id', '=', goes.id)
      .execute(),
  'given another text': (library, collection, goes) =>
    library
      .put(collection, goes, [{ id: 'goes', text: 'Nothing of the sort.' }])
      .then(() => touched({ metadata: '{}' })(library, collection, goes)),
  deleted: (library, collection, goes) =>
    library.db.transaction().execute(async (tx) => {
      const scope = { collectionId: collection, connectionId: goes.id };
      const rows = await tx
        .selectFrom('entities')
        .select('id')
        .where('connection_id', '=', goes.id)
        .execute();
      await library.index.write(
        tx,
        scope,
        rows.map(({ id }) => id),
        [],
      );
      await tx.deleteFrom('entities').where('connection_id', '=', goes.id).execute();
    }),
};

for (const engine of ENGINES) {
  describe(`an agentic search on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let connection: Connection;

    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      connection = await library.addConnection(collection);
      await library.put(collection, connection, [
        {
          id: 'keeper',
          text: 'The keeper of the lighthouse at Kap Arkona paints it every spring.',
        },
        { id: 'ferry', text: 'The ferry to Hiddensee leaves at noon. Dogs travel for free.' },
        {
          id: 'manual',
          name: 'Radio manual',
          text: [
            `# Calling\n\nThe radio of the harbour master is always on. ${padding('calling')}`,
            `# Channels\n\nHe listens on frequency 156.8 at night. ${padding('channels')}`,
            `# Care\n\nWipe it with a dry cloth. ${padding('care')}`,
          ].join('\n\n'),
        },
        ...Array.from({ length: 40 }, (_, i) => ({
          id: `log-${String(i).padStart(2, '0')}`,
          text: `Log of the ferry, day ${i}: wind, waves and passengers.`,
        })),
      ]);
    });
    after(() => library.close());

    const types = (steps: readonly { type: string }[]) => steps.map(({ type }) => type);
    const conditions = (field: string, ...value: string[]) => [
      { conditions: [{ field, operator: 'in', value }] },
    ];

    it('[AGT-13] the fast mode makes a single pass, even when something is missing', async () => {
      const query = 'Which frequency does the harbour master use for zebras?';
      const { steps, metadata } = await ask(library, collection, { query, mode: 'fast' });
      assert.deepEqual(types(steps), ['planning', 'search', 'evaluation']);
      assert.ok(steps[2]?.type === 'evaluation' && steps[2].needs_refinement);
      assert.equal(metadata.stopped_by, 'single_pass');
    });

    it('[AGT-13] the thinking mode searches on for what is missing, and reads around what it has found', async () => {
      const query = 'Which frequency does the radio of the harbour master use for zebras?';
      const { steps, metadata, ids } = await ask(library, collection, { query });
      const queries = steps.flatMap((step) => (step.type === 'search' ? step.query : []));
      assert.deepEqual(queries.slice(0, 2), [query, 'use zebras']);
      assert.ok(types(steps).filter((type) => type === 'evaluation').length > 1);
      assert.ok(metadata.usage.reads > 0);
      assert.equal(metadata.usage.searches, queries.length);
      assert.ok(['nothing_new', 'searches'].includes(metadata.stopped_by));
      assert.ok(ids.includes('manual__chunk_0') && ids.includes('manual__chunk_1'));
    });

    it('[AGT-13] the thinking mode stops as soon as the question is answered', async () => {
      const query = 'when does the ferry to Hiddensee leave';
      const { steps, metadata, answer } = await ask(library, collection, { query });
      assert.equal(metadata.stopped_by, 'answered');
      assert.equal(types(steps).filter((type) => type === 'evaluation').length, 1);
      assert.ok(metadata.quality_score > 0.8 && metadata.quality_score <= 1);
      assert.match(answer.text, /^The ferry to Hiddensee leaves at noon\. \[ferry__chunk_0\]/);
    });

    it('[AGT-12] [AGT-18] the answer covers every part of a question, and cites only results', async () => {
      const query = 'Who paints the lighthouse in spring, and do dogs travel for free?';
      const { answer, ids } = await ask(library, collection, { query });
      assert.match(answer.text, /The keeper of the lighthouse .* \[keeper__chunk_0\]/);
      assert.match(answer.text, /Dogs travel for free\. \[ferry__chunk_0\]/);
      assert.deepEqual(new Set(ids.slice(0, 2)), new Set(['keeper__chunk_0', 'ferry__chunk_0']));
      const one = await ask(library, collection, { query, limit: 1 });
      assert.deepEqual(
        one.answer.citations.map(({ entity_id }) => entity_id),
        one.ids,
      );
    });

    it('[AGT-06] [AGT-11] the results for a limit are the first of those for a higher limit, and relevance never rises', async () => {
      for (const mode of ['fast', 'thinking']) {
        const query = 'ferry passengers and waves, day 7';
        const all = await ask(library, collection, { query, mode, limit: 1000 });
        assert.ok(all.ids.length >= 41);
        const scores = all.results.map(({ relevance_score }) => relevance_score);
        assert.deepEqual(
          scores,
          scores.toSorted((a, b) => b - a),
        );
        assert.ok(scores.every((score) => score > 0 && score <= 1));
        for (const limit of [1, 5, 20, 33])
          assert.deepEqual(
            (await ask(library, collection, { query, mode, limit })).ids,
            all.ids.slice(0, limit),
          );
        assert.equal((await ask(library, collection, { query, mode })).ids.length, 20);
      }
    });

    it('a search uses no more than its mode allows', async () => {
      const query =
        '"Kap Arkona" keeper paint, Radio Manual frequency channel; Hiddensee ferry noon and zebra crossing stripes, Log-07 or 156.8';
      for (const mode of ['fast', 'thinking'] as const) {
        const { metadata } = await ask(library, collection, { query, mode });
        const { searches, reads } = metadata.usage;
        assert.ok(searches + reads <= LIMITS[mode].uses, JSON.stringify(metadata));
      }
    });

    it('[AGT-05] the filter and the access rules of the caller apply to every tool', async () => {
      const mine = await library.addCollection();
      const [open, closed] = [await library.addConnection(mine), await library.addConnection(mine)];
      const text = `# One\n\nsecret plan ${padding('one')}\n\n# Two\n\nsecret plan ${padding('two')}`;
      await library.put(mine, open, [
        { id: 'ann', text, access: { viewers: ['user:ann'], isPublic: false } },
        { id: 'all', text, fields: { kind: 'x' } },
      ]);
      await library.put(mine, closed, [{ id: 'gone', text }]);
      const whole = toolsOf(library, mine);
      const seen = await whole.search('secret plan', 'hybrid', 100);
      const each = seen.length / 3;
      assert.ok(each >= 2);
      assert.equal(await whole.count(), 3 * each);
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', closed.id)
        .execute();
      for (const [filter, principals, expected, chunks] of [
        [[], undefined, ['all', 'ann'], 2 * each],
        [[], ['user:ann'], ['all', 'ann'], 2 * each],
        [[], ['user:bob'], ['all'], each],
        [conditions('metadata.kind', 'x'), undefined, ['all'], each],
        [conditions('name', 'ann'), ['user:bob'], [], 0],
        [conditions('entity_id', 'ann__chunk_1'), undefined, ['ann'], 1],
      ] as const) {
        const tools = toolsOf(library, mine, filter, principals && { principals });
        const records = (rows: readonly { entity_id: string }[]) =>
          [...new Set(rows.map((row) => row.entity_id))].toSorted();
        const found = await tools.search('secret plan', 'hybrid', 100);
        assert.deepEqual(records(found.map(({ row }) => row)), expected);
        assert.equal(await tools.count(), chunks);
        assert.deepEqual(
          records((await tools.confirm(seen)).items.map(({ row }) => row)),
          expected,
        );
        for (const tool of ['read', 'neighbours'] as const) {
          const rows = (await Promise.all(seen.map((passage) => tools[tool](passage)))).flat();
          assert.deepEqual(records(rows), expected, tool);
          if (chunks === 1) assert.ok(rows.every(({ position }) => position === 1));
        }
      }
    });

    it('`read` gives the chunks of a record in order, and `neighbours` those beside a chunk', async () => {
      const tools = toolsOf(library, collection);
      const found = await tools.search('frequency 156.8 at night', 'keyword', 1);
      const [middle] = found;
      assert.ok(middle);
      const around = middle.row.position;
      const positions = (rows: readonly { position: number }[]) =>
        rows.map(({ position }) => position);
      assert.deepEqual(
        positions(await tools.neighbours(middle)),
        [around - 1, around, around + 1].filter((position) => position >= 0),
      );
      const all = positions(await tools.read(middle));
      assert.ok(all.length >= 3);
      assert.deepEqual(all, [...all.keys()]);
    });

    it('[AGT-05] each call of a tool checks again what the caller may see', async () => {
      const mine = await library.addCollection();
      const goes = await library.addConnection(mine);
      await library.put(mine, goes, [{ id: 'goes', text: 'The safe opens with 4711.' }]);
      const tools = toolsOf(library, mine);
      const [passage] = await tools.search('safe', 'hybrid', 1);
      assert.ok(passage);
      assert.deepEqual([(await tools.read(passage)).length, await tools.count()], [1, 1]);
      await CHANGES['taken away with its connection']!(library, mine, goes);
      assert.deepEqual(await tools.read(passage), []);
      assert.deepEqual(await tools.neighbours(passage), []);
      assert.deepEqual(await tools.search('safe', 'hybrid', 1), []);
      assert.deepEqual(await tools.confirm([passage]), { items: [], isWhole: false });
      assert.equal(await tools.count(), 0);
    });

    it('no tool reads anything once the caller has gone', async () => {
      const [passage] = await toolsOf(library, collection).search('ferry', 'keyword', 1);
      assert.ok(passage);
      const reason = new Error('gone');
      const tools = toolsOf(library, collection, [], { signal: AbortSignal.abort(reason) });
      await assert.rejects(tools.search('ferry', 'keyword', 1), reason);
      await assert.rejects(tools.read(passage), reason);
      await assert.rejects(tools.neighbours(passage), reason);
    });

    it('[AGT-14] the response names `embedding` as degraded when even one of its searches had no vector', async () => {
      let failures = 0;
      const usual = createBuiltinEmbedder();
      const embedder: Embedder = {
        ...usual,
        embed: async (...asked) => {
          if (failures++ === 0) throw unavailable('the embedder is away', 1);
          return usual.embed(...asked);
        },
      };
      const query = 'Who paints the lighthouse in spring, and do dogs travel for free?';
      const { metadata } = await ask(library, collection, { query }, { embedder });
      assert.ok(metadata.usage.searches > 1);
      assert.ok(metadata.degraded.includes('embedding'));
    });

    it('sources that are searched live are asked only once, even when the index is read twice', async () => {
      let looks = 0;
      let asked = 0;
      const index = answering(library.index, () => {
        looks++;
        return {};
      });
      const federated: Federated = {
        ask: async () => {
          asked++;
          return { rows: [], sources: [] };
        },
      };
      // The first look at the index finds the candidates that the model orders. The second look
      // reads the page.
      const reranker: Reranker = { model: 'm', rerank: async (_, texts) => texts.map(() => 1) };
      const tools = toolsOf(library, collection, [], { index, federated, reranker });
      assert.equal((await tools.search('ferry', 'keyword', 5)).length, 5);
      assert.deepEqual([looks, asked], [2, 1]);
    });

    for (const [what, change] of Object.entries(CHANGES))
      it(`[AGT-05] a record that is ${what} while the agent works is in neither results nor answer`, async () => {
        const mine = await library.addCollection();
        const [stays, goes] = [
          await library.addConnection(mine),
          await library.addConnection(mine),
        ];
        const fields = { kind: 'x' };
        await library.put(mine, stays, [{ id: 'stays', text: 'Dogs travel for free.', fields }]);
        await library.put(mine, goes, [{ id: 'goes', text: 'The safe opens with 4711.', fields }]);
        let asked = 0;
        const index: SearchIndex = {
          ...library.index,
          async look(...look) {
            // The change comes before the second search, when the first has already shown the record.
            if (++asked === 3) await change(library, mine, goes);
            return library.index.look(...look);
          },
        };
        const found: number[] = [];
        const { answer, ids } = await ask(
          library,
          mine,
          {
            query: 'How does the safe open, and how do dogs travel?',
            filter: conditions('metadata.kind', 'x'),
          },
          {
            index,
            principals: ['user:ann'],
            onStep: (step) => {
              if (step.type === 'search') found.push(step.results_found);
            },
          },
        );
        assert.deepEqual(found.slice(0, 3), [2, 0, 1]);
        assert.deepEqual(ids, ['stays__chunk_0']);
        assert.equal(answer.text, 'Dogs travel for free. [stays__chunk_0]');
      });

    it('records of two connections may have the same id', async () => {
      const mine = await library.addCollection();
      for (const text of ['zebra one', 'zebra two'])
        await library.put(mine, await library.addConnection(mine), [{ id: 'same', text }]);
      const { results } = await ask(library, mine, { query: 'zebra' });
      assert.deepEqual(
        results.map(({ textual_representation }) => textual_representation).toSorted(),
        ['zebra one', 'zebra two'],
      );
    });

    it('[AGT-05] nothing of another organization is found', async () => {
      const organization = await library.addOrganization();
      const { ids } = await ask(library, collection, { query: 'ferry' }, { organization });
      assert.deepEqual(ids, []);
      const tools = toolsOf(library, collection, [], { organization });
      assert.equal(await tools.count(), 0);
    });

    it('when no search ends in time, the caller gets a 503 that says when to try again', async () => {
      const embedder = {
        ...createBuiltinEmbedder(),
        embed: async (_texts: unknown, _as: unknown, signal: AbortSignal) => {
          if (!signal.aborted) await once(signal, 'abort');
          throw signal.reason;
        },
      };
      const asked = ask(library, collection, { query: 'x' }, { embedder, limits: { timeMs: 50 } });
      await assert.rejects(asked, { status: 503, code: 'unavailable', retryAfter: 1 });
    });

    it('an abort stops the agent at once, before it looks at the data again', async () => {
      const controller = new AbortController();
      const reason = new Error('gone');
      let looks = 0;
      const index = answering(library.index, () => {
        looks++;
        return {};
      });
      let atAbort = 0;
      const asked = ask(
        library,
        collection,
        { query: 'the lighthouse in spring; dogs on the ferry; zebras' },
        {
          index,
          signal: controller.signal,
          onStep: (step) => {
            if (step.type !== 'search') return;
            atAbort = looks;
            controller.abort(reason);
          },
        },
      );
      await assert.rejects(asked, reason);
      assert.ok(atAbort > 0);
      assert.equal(looks, atAbort);
    });
  });
}
