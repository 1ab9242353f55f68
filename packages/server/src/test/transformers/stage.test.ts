import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { checkpoint, listed, remove } from '../../sources/items.ts';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { counts, openShop, PAGE, POST, PUSHED, type Shop } from './shop.ts';

for (const database of DATABASES) {
  describe(`transformers of a connection on ${database.name}`, () => {
    let shop: Shop;
    let collection: string;
    before(async () => {
      shop = await openShop(await database.open());
    });
    after(() => shop.close());
    beforeEach(async () => {
      collection = await shop.collection();
      shop.world.items = whole(page('a'), page('b'));
    });
    const suffix = async (word: string) => ({
      transformer_id: await shop.transformer('suffix'),
      config: { word },
    });

    it('[TRF-10] [TRF-13] run in their order, each on the output of the previous one', async () => {
      const connection = await shop.connect(collection, [await suffix('one'), await suffix('two')]);
      const job = await shop.sync(connection);
      assert.deepEqual([job.status, counts(job)], ['completed', [2, 0, 0, 0, 0, 0]]);
      assert.deepEqual(await shop.texts(collection), {
        a: 'text of a one two',
        b: 'text of b one two',
      });
      assert.deepEqual((await shop.find(collection, 'two')).toSorted(), [
        'a__chunk_0',
        'b__chunk_0',
      ]);
      const again = await shop.sync(connection);
      assert.deepEqual(counts(again), [0, 0, 0, 2, 0, 0]);
    });

    it('[TRF-15] [JOB-49] may drop entities, which count as skipped, and which return without a request to the source', async () => {
      shop.world.items = whole(page('a'), page('b', { text: 'not this' }));
      const dropping = {
        transformer_id: await shop.transformer('dropped'),
        config: { word: 'not' },
      };
      const connection = await shop.connect(collection, [dropping]);
      const first = await shop.sync(connection);
      assert.deepEqual(counts(first), [1, 0, 0, 0, 1, 0]);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a' });
      const second = await shop.sync(connection);
      assert.deepEqual(counts(second), [0, 0, 0, 1, 1, 0]);
      for (const job of [first, second]) {
        assert.deepEqual(job.skipped_by_reason, { 'dropped by a transformer': 1 });
        const skipped = await shop.ok(
          'GET',
          `/v1/source-connections/${connection}/jobs/${job.id}/skipped`,
        );
        assert.deepEqual(
          skipped.map((one: Record<string, string>) => [one.entity_id, one.reason]),
          [['b', 'dropped by a transformer']],
        );
      }
      const records = await shop.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      assert.deepEqual(
        records.map((one: { entity_id: string }) => one.entity_id),
        ['a'],
      );
      const shown = await shop.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual(shown.entities, { total_entities: 1, by_type: { Page: { count: 1 } } });

      await shop.use(connection, []);
      shop.world.pulls = [];
      const job = await shop.reprocess(connection);
      assert.deepEqual([counts(job), shop.world.pulls], [[1, 0, 0, 1, 0, 0], []]);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a', b: 'not this' });
    });

    if (isLeftToSqlite(database)) return;

    it('[TRF-14] leave entities of other definitions unchanged', async () => {
      shop.world.items = whole(page('a'), page('p', { type: 'Post' }));
      const connection = await shop.connect(collection, [await suffix('changed')]);
      await shop.sync(connection);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a changed', p: 'text of p' });
    });

    it('leave text that was converted as Markdown, whatever the name of the record is', async () => {
      shop.world.items = whole(
        page('a', { name: 'main.py', text: '', html: '<h1>Weirs</h1><p>The weir is open.' }),
      );
      const connection = await shop.connect(collection, [await suffix('changed')]);
      await shop.sync(connection);
      const { results } = await shop.ok('POST', `/v1/collections/${collection}/search`, {
        query: 'weir open changed',
      });
      assert.equal(results[0].metadata.heading, 'Weirs');
    });

    it('[TRF-14] [ENT-14] transform pushed entities of every type, because all of them have one definition', async () => {
      const { id } = await shop.ok('POST', '/v1/source-connections', {
        name: 'Pushed here',
        short_name: 'push',
        readable_collection_id: collection,
        transformers: [await suffix('changed')],
      });
      await shop.ok('POST', `/v1/source-connections/${id}/entities`, {
        entities: ['Ticket', 'constructor'].map((entity_type) => ({
          entity_id: entity_type,
          entity_type,
          name: entity_type,
          text: 'said',
        })),
      });
      const job = await shop.settled(id);
      assert.deepEqual(job.entities_encountered, { Ticket: 1, constructor: 1 });
      assert.deepEqual(await shop.texts(collection), {
        Ticket: 'said changed',
        constructor: 'said changed',
      });
      const rows = await shop.ok('GET', `/v1/entities?source_connection_id=${id}`);
      for (const { entity_definition_id } of rows) assert.equal(entity_definition_id, PUSHED);
    });

    it('[TRF-15] may add entities, which are changed and deleted together with the record they were made of', async () => {
      shop.world.items = whole(page('a', { text: 'one\ntwo' }), page('b', { text: 'three' }));
      const lines = { transformer_id: await shop.transformer('lines'), config: {} };
      const connection = await shop.connect(collection, [lines]);
      assert.deepEqual(counts(await shop.sync(connection)), [5, 0, 0, 0, 0, 0]);
      assert.deepEqual(await shop.texts(collection), {
        a: 'one\ntwo',
        'a#0': 'one',
        'a#1': 'two',
        b: 'three',
        'b#0': 'three',
      });
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 5, 0, 0]);
      shop.world.items = whole(page('a', { text: 'one' }), page('b', { text: 'three' }));
      assert.deepEqual(counts(await shop.sync(connection)), [0, 1, 1, 3, 0, 0]);
      shop.world.items = whole(page('b', { text: 'three' }));
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 2, 2, 0, 0]);
      assert.deepEqual(Object.keys(await shop.texts(collection)), ['b', 'b#0']);
      // The source cannot remove an entity that a transformer has made.
      shop.world.items = [page('b', { text: 'three' }), checkpoint(1), remove('b#0'), listed('')];
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 2, 0, 0]);
      assert.deepEqual(Object.keys(await shop.texts(collection)), ['b', 'b#0']);
    });

    it('[TRF-15] [TRF-17] lose the entities that they added when they are removed from the connection', async () => {
      shop.world.items = whole(page('a', { text: 'one\ntwo' }));
      const lines = { transformer_id: await shop.transformer('lines') };
      const connection = await shop.connect(collection, [lines]);
      await shop.sync(connection);
      await shop.use(connection, []);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 2, 1, 0, 0]);
      assert.deepEqual(await shop.texts(collection), { a: 'one\ntwo' });
    });

    it('[TRF-16] [TRF-17] lose the entities that they added when other transformers replace them and fail the record', async () => {
      shop.world.items = whole(page('a', { text: 'this will\nfail' }));
      const lines = { transformer_id: await shop.transformer('lines') };
      const connection = await shop.connect(collection, [lines]);
      await shop.sync(connection);
      const failing = {
        transformer_id: await shop.transformer('model', { module_name: 'model.js' }),
        config: { word: 'so', fails: true },
      };
      await shop.use(connection, [failing]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 3, 0, 0, 1]);
      assert.deepEqual(await shop.texts(collection), {});
    });

    it('[TRF-17] transform the stored records at the next sync after a change of their configuration', async () => {
      const first = await suffix('before');
      const connection = await shop.connect(collection, [first]);
      await shop.sync(connection);
      await shop.use(connection, [{ ...first, config: { word: 'after' } }]);
      const job = await shop.sync(connection);
      assert.deepEqual(counts(job), [0, 2, 0, 0, 0, 0]);
      assert.deepEqual(job.entities_encountered, { Page: 2 });
      assert.deepEqual(Object.values(await shop.texts(collection)), [
        'text of a after',
        'text of b after',
      ]);
      assert.deepEqual(
        await shop.find(collection, 'before', { retrieval_strategy: 'keyword' }),
        [],
      );
    });

    it('[TRF-17] reprocess the stored records without a request to the source', async () => {
      const first = await suffix('before');
      const connection = await shop.connect(collection, [first]);
      await shop.sync(connection);
      await shop.use(connection, [{ ...first, config: { word: 'after' } }]);
      shop.world.pulls = [];
      const job = await shop.reprocess(connection);
      assert.deepEqual(counts(job), [0, 2, 0, 0, 0, 0]);
      assert.deepEqual([job.sync_metadata.requests, job.sync_metadata.trigger], [0, 'reprocess']);
      assert.deepEqual(shop.world.pulls, []);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 0, 0, 0, 0]);
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 2, 0, 0]);
    });

    it('[TRF-17] reprocess the records after a change of their order, module or version', async () => {
      const [one, two] = [await suffix('one'), await suffix('two')];
      const connection = await shop.connect(collection, [one, two]);
      await shop.sync(connection);
      await shop.use(connection, [two, one]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 2, 0, 0, 0, 0]);
      await shop.ok('PUT', `/v1/transformers/${two.transformer_id}`, { method_name: 'copy' });
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 2, 0, 0, 0, 0]);
      assert.equal((await shop.texts(collection)).a, 'text of a one');
      await shop.ok('PUT', `/v1/transformers/${two.transformer_id}`, { description: 'copies' });
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 0, 0, 0, 0]);
    });

    it('[TRF-17] reprocess only entities of their input definitions', async () => {
      shop.world.items = whole(page('a'), page('p', { type: 'Post' }));
      const connection = await shop.connect(collection);
      await shop.sync(connection);
      await shop.use(connection, [await suffix('changed')]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 1, 0, 0, 0, 0]);
    });

    it('[TRF-17] reprocess entities by their type in the source and after earlier transformers, not by their stored type', async () => {
      const retyped = { transformer_id: await shop.transformer('retyped') };
      const connection = await shop.connect(collection, [retyped]);
      await shop.sync(connection);
      const ofPosts = {
        transformer_id: await shop.transformer('suffix', { input_entity_definition_ids: [POST] }),
        config: { word: 'changed' },
      };
      await shop.use(connection, [ofPosts, retyped]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 0, 0, 0, 0]);
      await shop.use(connection, [retyped, ofPosts]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 2, 0, 0, 0, 0]);
    });

    it('[TRF-13] [TRF-17] transform and reprocess the entities that an earlier transformer added', async () => {
      shop.world.items = whole(page('a', { text: 'one' }));
      const lines = { transformer_id: await shop.transformer('lines'), config: {} };
      const posts = {
        transformer_id: await shop.transformer('suffix', { input_entity_definition_ids: [POST] }),
        config: { word: 'before' },
      };
      const connection = await shop.connect(collection, [lines, posts]);
      await shop.sync(connection);
      assert.deepEqual(await shop.texts(collection), { a: 'one', 'a#0': 'one before' });
      await shop.use(connection, [lines, { ...posts, config: { word: 'after' } }]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 1, 0, 1, 0, 0]);
      assert.deepEqual(await shop.texts(collection), { a: 'one', 'a#0': 'one after' });
    });

    it('[TRF-15] may not give an entity the id of another record', async () => {
      shop.world.items = whole(page('a'), page('ab'), page('b'));
      const thief = {
        transformer_id: await shop.transformer('withId'),
        config: { ids: { a: 'ab', b: 'b2' } },
      };
      const connection = await shop.connect(collection, [thief]);
      const job = await shop.sync(connection);
      assert.deepEqual(counts(job), [3, 0, 0, 0, 0, 1]);
      const [failure] = await shop.failures(connection, job.id);
      assert.equal(failure.entity_id, 'a');
      assert.match(failure.message, /the id 'ab', which belongs to another entity/);
      assert.deepEqual(Object.keys(await shop.texts(collection)), ['ab', 'b', 'b2']);
      // The transformer had used this free id. A new record of the source with the id takes it
      // over.
      shop.world.items = whole(page('ab'), page('b'), page('b2', { text: 'of its own' }));
      await shop.sync(connection);
      assert.equal((await shop.texts(collection)).b2, 'of its own');
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 3, 0, 0]);
    });

    it('[TRF-15] give up the id of an added entity when the source has a new record with this id', async () => {
      shop.world.items = whole(page('a', { text: 'one\ntwo' }));
      const lines = { transformer_id: await shop.transformer('lines') };
      const connection = await shop.connect(collection, [lines]);
      await shop.sync(connection);
      shop.world.items = whole(page('a', { text: 'one' }), page('a#1', { text: 'its own' }));
      assert.deepEqual(counts(await shop.sync(connection)), [1, 2, 0, 1, 0, 0]);
      const texts = { a: 'one', 'a#0': 'one', 'a#1': 'its own', 'a#1#0': 'its own' };
      assert.deepEqual(await shop.texts(collection), texts);
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 4, 0, 0]);
    });

    it('[TRF-16] may return characters that no database stores, which are removed or replaced', async () => {
      shop.world.items = whole(page('a'));
      const unclean = { transformer_id: await shop.transformer('unclean') };
      const connection = await shop.connect(collection, [unclean]);
      const job = await shop.sync(connection);
      assert.deepEqual([job.status, counts(job)], ['completed', [1, 0, 0, 0, 0, 0]]);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a \ufffd.' });
      const { name, metadata } = await shop.db
        .selectFrom('entities')
        .select(['name', 'metadata'])
        .where('connection_id', '=', connection)
        .executeTakeFirstOrThrow();
      assert.deepEqual([name, metadata], ['a', { said: 'nothing' }]);
    });

    it('[TRF-16] keep the entities that replaced a record when the changed record fails', async () => {
      const model = {
        transformer_id: await shop.transformer('model', { module_name: 'model.js' }),
        config: { word: 'so', splits: true, fails: true },
      };
      shop.world.items = whole(page('a', { text: 'split2 only' }));
      const connection = await shop.connect(collection, [model]);
      assert.deepEqual(counts(await shop.sync(connection)), [2, 0, 0, 0, 1, 0]);
      const texts = { 'a/0': 'part 0 of split2 only', 'a/1': 'part 1 of split2 only' };
      shop.world.items = whole(page('a', { text: 'split1 only fail' }));
      for (let i = 0; i < 2; i++) {
        assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 0, 0, 1], `${i}`);
        assert.deepEqual(await shop.texts(collection), texts);
      }
      await shop.use(connection, [{ ...model, config: { ...model.config, fails: false } }]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 1, 1, 0, 1, 0]);
      assert.deepEqual(await shop.texts(collection), { 'a/0': 'part 0 of split1 only fail' });
    });

    it('[TRF-16] lose an added entity when the source has a record with its id that fails', async () => {
      const model = {
        transformer_id: await shop.transformer('model', { module_name: 'model.js' }),
        config: { word: 'so', splits: true, fails: true },
      };
      shop.world.items = whole(page('a', { text: 'split1' }));
      const connection = await shop.connect(collection, [model]);
      await shop.sync(connection);
      shop.world.items = whole(page('a', { text: 'plain' }), page('a/0', { text: 'fail' }));
      assert.deepEqual(counts(await shop.sync(connection)), [0, 1, 1, 0, 0, 1]);
      assert.deepEqual(await shop.texts(collection), { a: 'plain so' });
    });

    it('[TRF-15] may not give out an id that an earlier call has given out', async () => {
      const between = Array.from({ length: 150 }, (_, i) => page(`p${i}`));
      shop.world.items = whole(page('a'), ...between, page('ab'));
      const twins = {
        transformer_id: await shop.transformer('withId'),
        config: { ids: { a: 'abc', ab: 'abc' } },
      };
      const connection = await shop.connect(collection, [twins]);
      const job = await shop.sync(connection);
      assert.deepEqual([job.status, counts(job)], ['completed', [152, 0, 0, 0, 0, 1]]);
      const [failure] = await shop.failures(connection, job.id);
      assert.equal(failure.entity_id, 'ab');
    });

    it('[TRF-15] may not give out the id of a record that they do not transform', async () => {
      shop.world.items = whole(page('a'), page('ab', { type: 'Post' }));
      const thief = {
        transformer_id: await shop.transformer('withId'),
        config: { ids: { a: 'ab' } },
      };
      const connection = await shop.connect(collection, [thief]);
      assert.deepEqual(counts(await shop.sync(connection)), [1, 0, 0, 0, 0, 1]);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 0, 0, 0, 0, 1]);
      assert.deepEqual(await shop.texts(collection), { ab: 'text of ab' });
    });

    it('[TRF-15] may change the type of entities, until they are removed from the connection', async () => {
      const retyped = {
        transformer_id: await shop.transformer('retyped', {
          input_entity_definition_ids: [PAGE],
          output_entity_definition_ids: [POST],
        }),
      };
      const connection = await shop.connect(collection, [retyped]);
      const job = await shop.sync(connection);
      assert.deepEqual([counts(job), job.entities_encountered], [[2, 0, 0, 0, 0, 0], { Post: 2 }]);
      assert.deepEqual(counts(await shop.sync(connection)), [0, 0, 0, 2, 0, 0]);
      await shop.use(connection, []);
      assert.deepEqual(counts(await shop.reprocess(connection)), [0, 2, 0, 0, 0, 0]);
      const shown = await shop.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual(shown.entities.by_type, { Page: { count: 2 } });
    });
  });
}
