import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Access } from '../../model/entity.ts';
import { type Connection, ENGINES, type Library, openLibrary, PLAIN } from './library.ts';

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

    it('[ENT-15] [ENT-16] [ENT-17] a person finds what names them, is public or unrestricted', async () => {
      assert.deepEqual(await seen(['user:ann']), ['ann', ...OPEN]);
      assert.deepEqual(await seen(['user:boss']), ['company', ...OPEN]);
      assert.deepEqual(await seen(['group:team', 'user:ann']), ['ann', 'company', ...OPEN, 'team']);
    });

    it('[ENT-18] groups are expanded through groups, across connections, and circles end', async () => {
      assert.deepEqual(await seen(['user:bob']), ['company', ...OPEN, 'team']);
      assert.deepEqual(await seen(['group:company']), ['company', ...OPEN, 'team']);
    });

    it('[ENT-19] a person whose groups are unknown finds nothing more', async () => {
      assert.deepEqual(await seen(['user:carl']), OPEN);
      assert.deepEqual(await seen([]), OPEN);
    });

    it('[ENT-18] memberships of a deleted connection and of other organizations do not count', async () => {
      assert.deepEqual(await seen(['user:dan']), OPEN);
      assert.deepEqual(await seen(['user:eve']), OPEN);
    });

    it('[SRH-30] access holds in every strategy, with every option, and in the answer', async () => {
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

    it('[SRH-30] access is checked again on what the index gives', async () => {
      const { index } = library;
      const careless: typeof index = {
        ...index,
        candidates: (id, query) => index.candidates(id, { ...query, principals: null }),
      };
      const options = { principals: ['user:ann'], index: careless };
      const found = await library.find(collection, 'secret plan', {}, options);
      assert.deepEqual(
        found.toSorted(),
        ['ann', ...OPEN].map((id) => `${id}__chunk_0`),
      );
    });

    it('[SRH-30] a deleted connection is left out of what the index gives', async () => {
      const dying = await library.addCollection();
      const doomed = await library.addConnection(dying);
      const kept = await library.addConnection(dying);
      await library.put(dying, doomed, [{ id: 'gone', text: 'secret plan' }]);
      await library.put(dying, kept, [{ id: 'kept', text: 'secret plan' }]);
      const { index } = library;
      const late: typeof index = {
        ...index,
        async candidates(id, query) {
          const found = await index.candidates(id, query);
          await library.db
            .updateTable('connections')
            .set({ deleted_at: 1 })
            .where('id', '=', doomed.id)
            .execute();
          return found;
        },
      };
      assert.deepEqual(await library.find(dying, 'secret plan', {}, { index: late }), [
        'kept__chunk_0',
      ]);
    });

    it('[SRH-29] a record that changes while a search runs is found as it is then', async () => {
      const busy = await library.addCollection();
      const writer = await library.addConnection(busy);
      const { index } = library;
      /** Gives an index after whose answers, so many times, a record changes. */
      const changing = (times: number): typeof index => {
        let left = times;
        return {
          ...index,
          async candidates(id, query) {
            const found = await index.candidates(id, query);
            if (left-- > 0)
              await library.put(busy, writer, [{ id: 'plan', text: `secret plan ${left}` }]);
            return found;
          },
        };
      };
      await library.put(busy, writer, [
        { id: 'plan', text: 'secret plan' },
        { id: 'still', text: 'secret plan' },
      ]);
      const words = { retrieval_strategy: 'keyword' };
      const found = await library.find(busy, 'secret plan', words, { index: changing(1) });
      assert.deepEqual(found.toSorted(), ['plan__chunk_0', 'still__chunk_0']);
      // A record that changes during every attempt is hidden, but nothing else is.
      const restless = await library.find(busy, 'secret plan', words, { index: changing(100) });
      assert.deepEqual(restless, ['still__chunk_0']);
    });

    it('[SRH-30] chunks of another collection are left out of what the index gives', async () => {
      const { index } = library;
      const elsewhere = await library.addCollection();
      await library.addConnection(elsewhere);
      const lost: typeof index = {
        ...index,
        candidates: (_id, query) =>
          index.candidates(collection, { ...query, live: [connection.id] }),
      };
      assert.equal((await library.find(collection, 'secret plan', {}, { index: lost })).length, 7);
      assert.deepEqual(await library.find(elsewhere, 'secret plan', {}, { index: lost }), []);
    });

    it('[ENT-25] a hidden record moves no score, list, explanation or answer', async () => {
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
        // The first query has a word of a visible record, the second a word of the hidden one, and the third
        // separates a word that the hidden one writes together.
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

    it('[ENT-25] [SRH-09] a restriction names only sources and types of what the asker may see', async () => {
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
