import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Access } from '../../model/entity.ts';
import { answering } from '../engines/asking.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

const viewers = (...names: string[]): Access => ({ viewers: names, isPublic: false });

for (const engine of ENGINES) {
  describe(`access on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let connection: Connection;

    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      connection = await library.addConnection(collection);
      const secret = (id: string, access?: Access) => ({
        id,
        name: 'Plan',
        text: `secret plan of ${id}.`,
        ...(access && { access }),
      });
      await library.put(collection, connection, [
        secret('open'),
        secret('null', { viewers: null, isPublic: false }),
        secret('public', { viewers: ['user:z'], isPublic: true }),
        secret('ann', viewers('user:ann')),
        secret('team', viewers('group:team')),
        secret('company', viewers('user:boss', 'group:company')),
        secret('nobody', viewers()),
      ]);
      const other = await library.addConnection(await library.addCollection());
      const dead = await library.addConnection(collection);
      const stranger = await library.addOrganization();
      const foreign = await library.addConnection(
        await library.addCollection(stranger),
        'push',
        stranger,
      );
      const member = (id: string, group: string, one: string) => ({
        connection_id: id,
        group_name: `group:${group}`,
        member: one,
      });
      await library.db
        .insertInto('group_members')
        .values([
          member(connection.id, 'team', 'user:bob'),
          member(other.id, 'company', 'group:team'),
          // The two groups are members of each other.
          member(connection.id, 'team', 'group:company'),
          member(dead.id, 'company', 'user:dan'),
          member(foreign.id, 'company', 'user:eve'),
        ])
        .execute();
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', dead.id)
        .execute();
    });
    after(() => library.close());

    const OPEN = ['null', 'open', 'public'];
    const seen = async (principals: readonly string[] | undefined, body: object = {}) => {
      const options = principals ? { principals } : {};
      const ids = await library.find(collection, 'secret plan', { ...body }, options);
      return ids.map((id) => id.replace('__chunk_0', '')).toSorted();
    };

    it('[ENT-20] without principals everything is found', async () => {
      const all = ['ann', 'company', 'nobody', 'null', 'open', 'public', 'team'];
      assert.deepEqual(await seen(undefined), all);
    });

    it('[ENT-15] [ENT-16] [ENT-17] a person finds records that name them, that are public, or that are unrestricted', async () => {
      assert.deepEqual(await seen(['user:ann']), ['ann', ...OPEN]);
      assert.deepEqual(await seen(['user:boss']), ['company', ...OPEN]);
      assert.deepEqual(await seen(['group:team', 'user:ann']), ['ann', 'company', ...OPEN, 'team']);
    });

    it('[ENT-18] a member of a group inside another group counts, across connections, also when groups form a circle', async () => {
      assert.deepEqual(await seen(['user:bob']), ['company', ...OPEN, 'team']);
      assert.deepEqual(await seen(['group:company']), ['company', ...OPEN, 'team']);
    });

    it('[ENT-19] a person whose groups are unknown finds only open records', async () => {
      assert.deepEqual(await seen(['user:carl']), OPEN);
      assert.deepEqual(await seen([]), OPEN);
    });

    it('[ENT-18] memberships of a deleted connection and of other organizations do not count', async () => {
      assert.deepEqual(await seen(['user:dan']), OPEN);
      assert.deepEqual(await seen(['user:eve']), OPEN);
    });

    it('[SRH-30] access rules apply in every strategy, with every option, and to the answer', async () => {
      for (const retrieval_strategy of ['hybrid', 'neural', 'keyword']) {
        const body = {
          ...PLAIN,
          retrieval_strategy,
          query: 'secret plan nobody ann',
          expand_query: true,
          interpret_filters: true,
          rerank: true,
          generate_answer: true,
          filter: { must: { has_id: ['open', 'nobody', 'ann'] } },
        };
        const answer = await library.search(collection, body, { principals: ['user:carl'] });
        assert.deepEqual(
          answer.results.map(({ entity_id }) => entity_id),
          ['open__chunk_0'],
        );
        assert.doesNotMatch(answer.completion ?? '', /nobody|ann/);
      }
    });

    it('[SRH-30] the search checks access again on the candidates of the index', async () => {
      const careless = answering(library.index, (look) => ({
        candidates: (query) => look.candidates({ ...query, principals: null }),
      }));
      const options = { principals: ['user:ann'], index: careless };
      const found = await library.find(collection, 'secret plan', {}, options);
      assert.deepEqual(
        found.toSorted(),
        ['ann', ...OPEN].map((id) => `${id}__chunk_0`),
      );
    });

    it('[SRH-30] the search drops candidates of a deleted connection', async () => {
      const dying = await library.addCollection();
      const doomed = await library.addConnection(dying);
      const kept = await library.addConnection(dying);
      await library.put(dying, doomed, [{ id: 'gone', text: 'secret plan' }]);
      await library.put(dying, kept, [{ id: 'kept', text: 'secret plan' }]);
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', doomed.id)
        .execute();
      const careless = answering(library.index, (look) => ({
        candidates: (query) => look.candidates({ ...query, live: [doomed.id, kept.id] }),
      }));
      assert.deepEqual(await library.find(dying, 'secret plan', {}, { index: careless }), [
        'kept__chunk_0',
      ]);
    });

    it('[SRH-29] a search sees the data of one moment, whatever is committed while it runs', async () => {
      const busy = await library.addCollection();
      const [writer, doomed] = [
        await library.addConnection(busy),
        await library.addConnection(busy),
      ];
      await library.put(busy, writer, [
        { id: 'plan', text: 'secret plan' },
        { id: 'still', text: 'secret plan' },
      ]);
      await library.put(busy, doomed, [{ id: 'doomed', text: 'secret plan' }]);
      let changes = 0;
      const change = async () => {
        await library.put(busy, writer, [
          { id: 'plan', text: `secret plan ${changes}` },
          { id: `new ${changes++}`, text: 'secret plan' },
        ]);
        await library.db
          .updateTable('connections')
          .set({ deleted_at: 1 })
          .where('id', '=', doomed.id)
          .execute();
      };
      const busyIndex = answering(library.index, (look) => ({
        async statistics(...asked) {
          await change();
          return look.statistics(...asked);
        },
        async candidates(query) {
          await change();
          const found = await look.candidates(query);
          await change();
          return found;
        },
      }));
      const search = async (index: typeof library.index) => {
        const { results } = await library.search(
          busy,
          { ...PLAIN, query: 'secret plan' },
          { index, principals: ['user:ann'] },
        );
        return results.map(({ entity_id, md_content }) => `${entity_id} ${md_content}`).toSorted();
      };
      assert.deepEqual(await search(busyIndex), [
        'doomed__chunk_0 secret plan',
        'plan__chunk_0 secret plan',
        'still__chunk_0 secret plan',
      ]);
      const after = await search(library.index);
      assert.deepEqual(after, [
        ...Array.from({ length: changes }, (_, i) => `new ${i}__chunk_0 secret plan`),
        `plan__chunk_0 secret plan ${changes - 1}`,
        'still__chunk_0 secret plan',
      ]);
      // A search that has begun keeps its moment, even when another search has brought the index in
      // memory further.
      let later: string[] | undefined;
      const overtaken = {
        ...library.index,
        look: ((db, id, { find, read }) =>
          library.index.look(db, id, {
            find,
            async read(found, tx) {
              await change();
              later ??= await search(library.index);
              return read(found, tx);
            },
          })) as typeof library.index.look,
      };
      assert.deepEqual(await search(overtaken), after);
      assert.equal(later?.length, after.length + 1);
    });

    it('[SRH-30] the search drops candidates of another collection', async () => {
      const elsewhere = await library.addCollection();
      await library.addConnection(elsewhere);
      // This index answers every search with candidates of the first collection.
      const lost: typeof library.index = {
        ...library.index,
        look: (db, _id, work) =>
          library.index.look(db, [collection], {
            ...work,
            find: (look, tx) =>
              work.find(
                {
                  ...look,
                  candidates: (query) => look.candidates({ ...query, live: [connection.id] }),
                },
                tx,
              ),
          }),
      };
      assert.equal((await library.find(collection, 'secret plan', {}, { index: lost })).length, 7);
      assert.deepEqual(await library.find(elsewhere, 'secret plan', {}, { index: lost }), []);
    });

    it('[ENT-25] a hidden record changes no score, list, explanation or answer', async () => {
      const mine = await library.addCollection();
      const docs = await library.addConnection(mine);
      await library.put(mine, docs, [
        { id: 'ship', text: 'The ship for Zanzibar leaves the harbour at noon.' },
        { id: 'harbour', text: 'The harbour has a light house. Ships wait there for the tide.' },
        { id: 'keeper', text: 'The keeper of the light knows every ship.' },
        { id: 'ann', text: 'Ann knows the harbour.', access: viewers('user:ann') },
      ]);
      const ask = async () => {
        const answers = [];
        // The first query has a word of a visible record, and the second has a word of the hidden
        // record. The third has two words that the hidden record writes as one.
        for (const query of ['Zanzibar ship', 'quagga of the harbour', 'light house keeper'])
          for (const retrieval_strategy of ['hybrid', 'keyword', 'neural'])
            for (const rerank of [true, false])
              answers.push(
                await library.search(
                  mine,
                  { query, retrieval_strategy, rerank, explain: true },
                  { principals: ['user:ann'] },
                ),
              );
        return answers;
      };
      const before = await ask();
      assert.ok(before.every(({ results }) => results.length > 0));
      const text = `Zanzibar has a quagga and a lighthouse. ${'The harbour sleeps. '.repeat(60)}`;
      await library.put(mine, docs, [{ id: 'secret', text, access: viewers('user:bob') }]);
      assert.deepEqual(await ask(), before);
      const [all] = await library.find(mine, 'quagga', { retrieval_strategy: 'keyword' });
      assert.equal(all, 'secret__chunk_0');
    });

    it('[ENT-25] [SRH-09] a query is interpreted only with sources and types of records that the asker may see', async () => {
      const mine = await library.addCollection();
      const [docs, vault] = [
        await library.addConnection(mine),
        await library.addConnection(mine, 'vault'),
      ];
      await library.put(mine, docs, [{ id: 'open', type: 'Note', text: 'A ledger from vault.' }]);
      const access = viewers('user:bob');
      await library.put(mine, vault, [{ id: 'bob', type: 'Ledger', text: 'Of bob.', access }]);
      const counted = { count: 1, listed: 1 };
      await library.db
        .insertInto('entity_counts')
        .values([
          { connection_id: docs.id, entity_type: 'Note', ...counted },
          { connection_id: vault.id, entity_type: 'Ledger', ...counted },
        ])
        .execute();
      const understood = async (query: string, principals?: readonly string[]) => {
        const body = { ...PLAIN, query, interpret_filters: true };
        const { metadata } = await library.search(mine, body, principals ? { principals } : {});
        return metadata.interpreted_filter ?? null;
      };
      const type = { must: [{ key: 'entity_type', match: { value: 'Ledger' } }] };
      const source = { must: [{ key: 'source_name', match: { value: 'vault' } }] };
      for (const [query, filter] of [
        ['ledger type:Ledger', type],
        ['ledger from vault', source],
      ] as const) {
        assert.deepEqual(await understood(query), filter);
        assert.deepEqual(await understood(query, ['user:bob']), filter);
        assert.equal(await understood(query, ['user:ann']), null);
      }
      assert.notEqual(await understood('ledger type:Note', ['user:ann']), null);
    });

    it('a collection of another organization finds nothing', async () => {
      const organization = await library.addOrganization();
      assert.deepEqual(await library.find(collection, 'secret plan', {}, { organization }), []);
    });
  });
}
