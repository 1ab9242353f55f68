/** Most of these tests break an invariant by hand: the doctor names the problem, and finds nothing after a repair. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { MaintenanceProblem, Report } from '../../doctor/schema.ts';
import { SourceError } from '../../errors.ts';
import { termNumbers } from '../../model/terms.ts';
import type { Source } from '../../sources/define.ts';
import { lost, skip, stub, upsert } from '../../sources/items.ts';
import { storedFields } from '../../syncs/pipeline/field-store.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

const LONG = Array.from({ length: 40 }, (_, i) => `# Part ${i}\n\n${`word${i} `.repeat(120)}`);

for (const database of DATABASES) {
  describe(`doctor on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    let world: World;
    let collection: string;
    let collectionId: string;
    let connection: string;

    before(async () => {
      test = await database.open();
      const { source, world: made } = testWorld();
      world = made;
      const pushed: Source = { ...source, shortName: 'pushed' };
      delete (pushed as { pull?: unknown }).pull;
      quarry = await openTestQuarry(test, {
        sources: new Map([
          ['world', source],
          ['pushed', pushed],
        ]),
      });
      collection = 'examined';
      ({ id: collectionId } = await quarry.ok('POST', '/v1/collections', {
        name: 'Examined',
        readable_id: collection,
      }));
      connection = await connect('world');
      world.items = whole(
        page('a'),
        page('long', { text: LONG.join('\n\n'), fields: { size: 1 } }),
        page('z', { type: 'Post', fields: { size: 2 } }),
      );
      await quarry.sync(connection);
    });
    after(() => quarry.close());

    const connect = async (short_name: string): Promise<string> =>
      (
        await quarry.ok('POST', '/v1/source-connections', {
          name: 'The world',
          short_name,
          readable_collection_id: collection,
          authentication: { credentials: { password: 'right' } },
          sync_immediately: false,
          ...(short_name === 'world' && { schedule: { cron: null } }),
        })
      ).id;
    const doctor = (body = {}): Promise<Report> =>
      quarry.ok('POST', `/v1/collections/${collection}/doctor`, body);
    const ended = (id: string) =>
      until(async () => {
        const run = await quarry.ok('GET', `/v1/collections/${collection}/maintenance/${id}`);
        return ['COMPLETED', 'FAILED'].includes(run.status) ? run : undefined;
      });
    const kinds = ({ problems }: Pick<Report, 'problems'>) =>
      problems.map(({ kind, count }: MaintenanceProblem) => [kind, count]).toSorted();
    const entity = async (id: string): Promise<string> =>
      (
        await test.db
          .selectFrom('entities')
          .select('id')
          .where('entity_id', '=', id)
          .where('connection_id', '=', connection)
          .executeTakeFirstOrThrow()
      ).id;
    const chunksOf = async (id: string) =>
      test.db
        .selectFrom('chunks')
        .selectAll()
        .where('entity', '=', await entity(id))
        .orderBy('position')
        .execute();

    /** Checks that the doctor names the expected problems, that a repair succeeds, and that nothing is found afterwards. */
    async function heals(expected: [string, number][]) {
      const sick = await doctor();
      // A search may have read the rows before they were changed by hand, so its memory differs from the file.
      const ofMemory = expected.some(([kind]) => kind === 'wrong_memory');
      const named = kinds(sick).filter(([kind]) => ofMemory || kind !== 'wrong_memory');
      assert.deepEqual(named, expected);
      assert.equal(sick.run, null);
      const { run } = await doctor({ repair: true });
      const done = await ended(must(run).id);
      assert.deepEqual([done.status, done.errors, done.entities_failed], ['COMPLETED', [], 0]);
      assert.deepEqual(kinds(await doctor()), []);
      return { sick, done };
    }

    it('finds no problem after a sync', async () => {
      const chunks = (await chunksOf('long')).length + 2;
      assert.ok(chunks > 10);
      await quarry.find(collection, 'text');
      const { checked, problems, pending, run } = await doctor();
      assert.deepEqual(
        [checked, problems, pending, run],
        [
          { entities: 3, chunks, words: chunks, vectors: chunks, in_memory: chunks },
          [],
          { source_connections: 0, entities: 0 },
          null,
        ],
      );
      assert.equal((await doctor({ repair: true })).run, null, 'nothing to repair');
    });

    if (isSmokeEnough(database)) return;

    it('repairs a chunk without text and vector', async () => {
      const [chunk] = await chunksOf('a');
      await test.db.deleteFrom('chunk_bodies').where('n', '=', must(chunk).n).execute();
      const { sick, done } = await heals([['chunk_without_body', 1]]);
      assert.deepEqual(sick.problems[0]?.examples, [await entity('a')]);
      assert.equal(done.entities_rewritten, 1);
      assert.deepEqual(await quarry.find(collection, 'text of a', KEYWORD), [
        'a__chunk_0',
        'z__chunk_0',
      ]);
    });

    it('repairs a missing last chunk whose text, vector and terms are still stored', async () => {
      const chunk = must((await chunksOf('long')).at(-1));
      await test.db.deleteFrom('chunks').where('n', '=', chunk.n).execute();
      await heals([
        ['body_without_chunk', 1],
        ['wrong_chunks', 1],
        ['wrong_totals', 1],
      ]);
      assert.equal((await chunksOf('long')).at(-1)?.position, chunk.position);
    });

    it('repairs a missing chunk in the middle, chunks without an entity, and an entity without chunks', async () => {
      const long = await chunksOf('long');
      const missing = [must(long[1]).n, ...(await chunksOf('z')).map(({ n }) => n)];
      await test.db.deleteFrom('chunk_bodies').where('n', 'in', missing).execute();
      await test.db.deleteFrom('chunks').where('n', 'in', missing).execute();
      const [a] = await chunksOf('a');
      await test.db
        .updateTable('chunks')
        .set({ entity: 'nobody' })
        .where('n', '=', must(a).n)
        .execute();
      await heals([
        ['chunk_without_entity', 1],
        ['entity_without_chunks', 2],
        ['missing_chunk', 1],
        ['wrong_totals', 1],
      ]);
      assert.deepEqual((await quarry.find(collection, 'text', KEYWORD)).toSorted(), [
        'a__chunk_0',
        'z__chunk_0',
      ]);
    });

    it('repairs wrong counters of entities and wrong totals of the index', async () => {
      await test.db
        .updateTable('entity_counts')
        .set({ count: 7, listed: 0 })
        .where('connection_id', '=', connection)
        .where('entity_type', '=', 'Page')
        .execute();
      await test.db
        .insertInto('entity_counts')
        .values({ connection_id: connection, entity_type: 'Nothing', count: 2, listed: 2 })
        .execute();
      await test.db
        .updateTable('indexes')
        .set({ chunks: sql`chunks - 1`, terms: sql`terms + 100` })
        .where('collection_id', '=', collectionId)
        .execute();
      const { sick } = await heals([
        ['wrong_count', 2],
        ['wrong_totals', 1],
      ]);
      assert.deepEqual(
        sick.problems.find(({ kind }) => kind === 'wrong_count')?.examples.toSorted(),
        [`${connection} Nothing`, `${connection} Page`],
      );
      const shown = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.equal(shown.entities.total_entities, 3);

      for (const is_listed of [false, true]) {
        await test.db
          .updateTable('entities')
          .set({ is_listed })
          .where('id', '=', await entity('z'))
          .execute();
        await heals([['wrong_count', 1]]);
        const posts = await test.db
          .selectFrom('entity_counts')
          .select(['count', 'listed'])
          .where('connection_id', '=', connection)
          .where('entity_type', '=', 'Post')
          .executeTakeFirstOrThrow();
        assert.deepEqual({ ...posts }, { count: 1, listed: Number(is_listed) });
      }
    });

    it('repairs wrong counters of fields', async () => {
      const of = { connection_id: connection, entity_type: 'Page' };
      const stored = () => storedFields(test.db, connection);
      const right = await stored();
      assert.ok(right.some(({ type }) => type === 'Page'));
      await test.db
        .insertInto('entity_fields')
        .values({ ...of, field: 'no', count: 2, open: 0 })
        .execute();
      await heals([['wrong_count', 1]]);
      assert.deepEqual(await stored(), right);
      await test.db.updateTable('entity_fields').set({ open: 7 }).execute();
      await heals([['wrong_count', 2]]);
      assert.deepEqual(await stored(), right);
      await test.db.deleteFrom('entity_fields').execute();
      await heals([['wrong_count', 2]]);
      assert.deepEqual(await stored(), right);
    });

    it('repairs a counter or a total in which only one number is wrong', async () => {
      for (const change of [{ count: 9 }, { listed: 9 }]) {
        await test.db
          .updateTable('entity_counts')
          .set(change)
          .where('connection_id', '=', connection)
          .where('entity_type', '=', 'Post')
          .execute();
        await heals([['wrong_count', 1]]);
      }
      for (const total of ['chunks', 'terms'] as const) {
        await test.db
          .updateTable('indexes')
          .set({ [total]: sql`${sql.ref(total)} + 1` })
          .where('collection_id', '=', collectionId)
          .execute();
        await heals([['wrong_totals', 1]]);
      }
    });

    it('repairs a chunk with a text that the record does not have', async () => {
      const [chunk] = await chunksOf('a');
      await test.db
        .updateTable('chunk_bodies')
        .set({ text: 'forged' })
        .where('n', '=', must(chunk).n)
        .execute();
      await heals([['wrong_chunks', 1]]);
      assert.deepEqual(await quarry.find(collection, 'forged', KEYWORD), []);
    });

    it('repairs stored terms that differ from the terms of the text', async () => {
      const [chunk] = await chunksOf('a');
      await test.db
        .updateTable('chunk_bodies')
        .set({ terms: new Uint8Array(4) })
        .where('n', '=', must(chunk).n)
        .execute();
      await heals([['wrong_chunks', 1]]);
    });

    it('repairs chunks that differ from those that the record would get now', async () => {
      const bare = async (id: string) => (await chunksOf(id)).map(({ n: _, ...chunk }) => chunk);
      const forge = async (id: string, at: number, change: object) => {
        const { n } = must((await chunksOf(id)).at(at));
        await test.db.updateTable('chunks').set(change).where('n', '=', n).execute();
      };
      const right = { a: await bare('a'), long: await bare('long'), z: await bare('z') };
      const healsAll = async (...expected: [string, number][]) => {
        await heals(expected);
        assert.deepEqual(
          { a: await bare('a'), long: await bare('long'), z: await bare('z') },
          right,
        );
      };

      await forge('long', 2, { text_hash: 'forged' });
      await healsAll(['wrong_chunks', 1]);
      await forge('long', 4, { heading: 'forged' });
      await healsAll(['wrong_chunks', 1]);
      await forge('long', -1, { position: right.long.length });
      await healsAll(['missing_chunk', 1]);
      await forge('z', 0, { entity: await entity('a'), position: 1 });
      await healsAll(['entity_without_chunks', 1], ['wrong_chunks', 1]);
      await forge('long', 6, { page: 7 });
      await forge('a', 0, { text_hash: 'forged' });
      await healsAll(['wrong_chunks', 2]);
    });

    it('removes a surplus chunk that is stored in all tables', async () => {
      const last = must((await chunksOf('long')).at(-1));
      const { n, position, length } = last;
      const { number, next_chunk } = await test.db
        .updateTable('indexes')
        .set({
          next_chunk: sql`next_chunk + 1`,
          chunks: sql`chunks + 1`,
          terms: sql`terms + ${length}`,
        })
        .where('collection_id', '=', collectionId)
        .returning(['number', 'next_chunk'])
        .executeTakeFirstOrThrow();
      const surplus = number * 2 ** 32 + next_chunk - 1;
      await test.db
        .insertInto('chunks')
        .values({ ...last, n: surplus, position: position + 1 })
        .execute();
      await sql`
        insert into chunk_bodies (n, collection_id, text, scale, vector, terms)
        select ${surplus}, collection_id, text, scale, vector, terms from chunk_bodies where n = ${n}`.execute(
        test.db,
      );
      const { sick } = await heals([['wrong_chunks', 1]]);
      assert.deepEqual(sick.problems[0]?.examples, [await entity('long')]);
      assert.equal((await chunksOf('long')).at(-1)?.position, position);
    });

    const setTerms = (n: number, terms: Uint8Array | null) =>
      test.db.updateTable('chunk_bodies').set({ terms }).where('n', '=', n).execute();
    const termsOf = async (id: string) => {
      const { terms } = await test.db
        .selectFrom('chunk_bodies')
        .select('terms')
        .where('n', '=', must((await chunksOf(id))[0]).n)
        .executeTakeFirstOrThrow();
      return Uint8Array.from(must(terms));
    };

    it('repairs a chunk without numbers of terms', async () => {
      const right = await termsOf('z');
      await setTerms(must((await chunksOf('z'))[0]).n, null);
      const { sick } = await heals([['chunk_without_words', 1]]);
      const missing = sick.problems.find(({ kind }) => kind === 'chunk_without_words');
      assert.deepEqual(missing?.examples, [await entity('z')]);
      assert.deepEqual(await termsOf('z'), right);
    });

    for (const agreeing of [false, true])
      it(`repairs a chunk with wrong terms, whose length ${agreeing ? 'is that' : 'is not that'} of these terms`, async () => {
        const right = await termsOf('z');
        const { n, length } = must((await chunksOf('z'))[0]);
        await setTerms(n, new Uint8Array(termNumbers(['ibex']).buffer));
        if (agreeing) {
          await test.db.updateTable('chunks').set({ length: 1 }).where('n', '=', n).execute();
          await test.db
            .updateTable('indexes')
            .set({ terms: sql`terms - ${length - 1}` })
            .where('collection_id', '=', collectionId)
            .execute();
        }
        await heals([[agreeing ? 'wrong_chunks' : 'wrong_words', 1]]);
        assert.deepEqual(await termsOf('z'), right);
        const found = await quarry.find(collection, 'text of z', KEYWORD);
        assert.equal(found[0], 'z__chunk_0');
      });

    it('removes chunks of an entity that must have none, and accepts chunks of an older recipe', async () => {
      const OLDER = { chunk_version: 'split-0 terms-1 quarry-static-256-v1' };
      const remember = async (
        id: string,
        recipe: { is_searchable: boolean } | { chunk_version: string },
      ) => {
        const entities = test.db.updateTable('entities').set(recipe);
        await entities.where('id', '=', await entity(id)).execute();
      };
      await remember('z', { is_searchable: false });
      await remember('long', OLDER);
      const long = await chunksOf('long');
      // An older version made another text of the record.
      await test.db
        .updateTable('chunks')
        .set({ text_hash: 'older' })
        .where('n', '=', must(long[1]).n)
        .execute();
      const { done } = await heals([['unwanted_chunks', 1]]);
      assert.equal(done.entities_rewritten, 1);
      assert.deepEqual(await chunksOf('z'), []);
      assert.deepEqual(
        (await chunksOf('long')).map(({ n }) => n),
        long.map(({ n }) => n),
        'a repair is not a reindex',
      );

      for (const [position, kind] of [
        [long.length, 'missing_chunk'],
        [0, 'wrong_chunks'],
      ] as const) {
        const { n } = must((await chunksOf('long'))[1]);
        await test.db.updateTable('chunks').set({ position }).where('n', '=', n).execute();
        await heals([[kind, 1]]);
        assert.deepEqual(
          (await chunksOf('long')).map(({ position }) => position),
          long.map(({ position }) => position),
        );
        await remember('long', OLDER);
      }

      await remember('a', OLDER);
      const [a] = await chunksOf('a');
      await test.db.deleteFrom('chunk_bodies').where('n', '=', must(a).n).execute();
      await test.db.deleteFrom('chunks').where('n', '=', must(a).n).execute();
      await heals([
        ['entity_without_chunks', 1],
        ['wrong_totals', 1],
      ]);
      await quarry.sync(connection);
      assert.equal((await chunksOf('z')).length, 1);
    });

    it('repairs a vector whose scale or length is wrong', async () => {
      // A search holds the vectors in memory, where a vector of another length has no place.
      await quarry.find(collection, 'text');
      const [[a], [z]] = [await chunksOf('a'), await chunksOf('z')];
      await test.db
        .updateTable('chunk_bodies')
        .set({ scale: 3 })
        .where('n', '=', must(a).n)
        .execute();
      await test.db
        .updateTable('chunk_bodies')
        .set({ vector: new Uint8Array(3) })
        .where('n', '=', must(z).n)
        .execute();
      await heals([['wrong_vector', 2]]);
    });

    it('repairs words in memory that differ from the stored terms', async () => {
      await quarry.find(collection, 'text');
      const { n } = must((await chunksOf('z'))[0]);
      const terms = await termsOf('z');
      terms[2]! ^= 8;
      await setTerms(n, terms);
      const { sick } = await heals([
        ['wrong_chunks', 1],
        ['wrong_memory', 1],
      ]);
      const inMemory = sick.problems.find(({ kind }) => kind === 'wrong_memory');
      assert.deepEqual(inMemory?.examples, [await entity('z')]);
    });

    it('repairs a vector in memory that differs from the stored one', async () => {
      await quarry.find(collection, 'text');
      const chunk = must((await chunksOf('long'))[3]);
      const body = await test.db
        .selectFrom('chunk_bodies')
        .select('vector')
        .where('n', '=', chunk.n)
        .executeTakeFirstOrThrow();
      const vector = Uint8Array.from(body.vector);
      vector[0]! ^= 1;
      await test.db.updateTable('chunk_bodies').set({ vector }).where('n', '=', chunk.n).execute();
      const { sick } = await heals([['wrong_memory', 1]]);
      assert.deepEqual(sick.problems[0]?.examples, [await entity('long')]);
      const healed = await test.db
        .selectFrom('chunk_bodies')
        .select('vector')
        .where('n', '=', must((await chunksOf('long'))[3]).n)
        .executeTakeFirstOrThrow();
      assert.deepEqual(Uint8Array.from(healed.vector), Uint8Array.from(body.vector));
    });

    it('repairs a chunk of which only the text and the vector are stored', async () => {
      const { n } = must((await chunksOf('z'))[0]);
      await test.db.deleteFrom('chunks').where('n', '=', n).execute();
      await heals([
        ['body_without_chunk', 1],
        ['entity_without_chunks', 1],
        ['wrong_totals', 1],
      ]);
    });

    it('repairs a chunk of which only the vector in memory is left', async () => {
      await quarry.find(collection, 'text');
      const { n } = must((await chunksOf('z'))[0]);
      await test.db.deleteFrom('chunks').where('n', '=', n).execute();
      await test.db.deleteFrom('chunk_bodies').where('n', '=', n).execute();
      const { sick } = await heals([
        ['entity_without_chunks', 1],
        ['wrong_memory', 1],
        ['wrong_totals', 1],
      ]);
      const inMemory = sick.problems.find(({ kind }) => kind === 'wrong_memory');
      assert.deepEqual(inMemory?.examples, [`chunk ${n}`]);
    });

    it('asks for a full sync when a stored record cannot be read, and the sync restores it', async () => {
      const id = await entity('z');
      await test.db
        .updateTable('entities')
        .set({ raw: new Uint8Array([1, 2, 3]) })
        .where('id', '=', id)
        .execute();
      const sick = await doctor({ repair: true });
      assert.deepEqual(kinds(sick), [['broken_record', 1]]);
      const { run } = sick;
      const done = await ended(must(run).id);
      assert.deepEqual([done.status, done.entities_failed], ['COMPLETED', 1]);
      const { problems } = await doctor();
      assert.deepEqual(
        problems.map(({ kind, examples, repairable, hint }) => [kind, examples, repairable, hint]),
        [['unreadable_record', [id], false, 'run a full sync of the connection']],
      );
      const job = await quarry.sync(connection);
      assert.deepEqual([job.status, job.entities_kept], ['completed', 3]);
      assert.deepEqual(kinds(await doctor()), []);
    });

    it('reports entities that wait for the cleanup as pending, and not as a problem', async () => {
      await test.db
        .updateTable('connections')
        .set({ deleted_at: Date.now() })
        .where('id', '=', connection)
        .execute();
      const { pending, problems, checked } = await doctor();
      assert.deepEqual(
        [pending, problems, checked.entities],
        [{ source_connections: 1, entities: 3 }, [], 0],
      );
      await test.db
        .updateTable('connections')
        .set({ deleted_at: null })
        .where('id', '=', connection)
        .execute();
    });

    it('compares a connection with what its source lists, and deletes nothing', async () => {
      const before = world.pulls.length;
      await test.db
        .updateTable('connections')
        .set({ cursor: JSON.stringify(5) })
        .where('id', '=', connection)
        .execute();
      world.items = [
        page('a'),
        upsert({ id: 'long', type: 'Page', name: 'long', text: 'x', fields: {} }, { version: '2' }),
        stub('new', 'Page', { version: '1', partition: 'part' }),
        lost('other', new SourceError('transient', 'away')),
      ];
      const { run, problems } = await doctor({ source_connection_id: connection });
      assert.deepEqual(problems, []);
      assert.equal(must(run).entities_total, 3, 'progress counts towards what is stored');
      const done = await ended(must(run).id);
      assert.deepEqual(
        done.problems.map(({ kind, examples }: MaintenanceProblem) => [kind, examples]).toSorted(),
        [
          ['missing_here', ['new']],
          ['not_listed', ['other: away']],
          ['outdated', ['long']],
        ],
      );
      assert.deepEqual([done.entities_done, done.entities_total], [3, 3]);
      for (const [items, expected] of [
        [[page('a')], ['gone_at_source', ['long', 'z']]],
        // A record that the source shows and we leave out is not gone, nor is one that could not be listed.
        [
          [page('a'), skip('z', 'Post', { reason: 'too large' })],
          ['gone_at_source', ['long']],
        ],
        [
          [page('a'), lost('', new SourceError('transient', 'away'))],
          ['not_listed', ['(all): away']],
        ],
      ] as const) {
        world.items = whole(...items);
        const again = must((await doctor({ source_connection_id: connection })).run);
        assert.deepEqual(
          (await ended(again.id)).problems.map(({ kind, examples }: MaintenanceProblem) => [
            kind,
            examples,
          ]),
          [expected],
        );
      }
      assert.deepEqual(
        world.pulls.slice(before).map(({ cursor }) => cursor),
        [null, null, null, null],
      );
      assert.equal((await doctor()).checked.entities, 3);
    });

    it('ends a comparison with the error of the source when the source refuses the credentials', async () => {
      world.password = 'another';
      const { run } = await doctor({ source_connection_id: connection });
      const done = await ended(must(run).id);
      assert.deepEqual(
        [done.status, done.errors],
        ['FAILED', ['the world answered: wrong password']],
      );
      world.password = 'right';
    });

    it('ends a comparison at once when the source limits the requests', async () => {
      const { items } = world;
      world.items = [
        () => {
          throw new SourceError('rate_limited', 'come back tomorrow', { retryAfter: 60 });
        },
      ];
      const { run } = await doctor({ source_connection_id: connection });
      const done = await ended(must(run).id);
      assert.deepEqual([done.status, done.errors], ['FAILED', ['come back tomorrow']]);
      world.items = items;
    });

    it('[CON-25] ends a comparison whose connection is deleted, so that the cleanup can run', async () => {
      const doomed = await connect('world');
      const lane = () =>
        test.db.selectFrom('jobs').select('name').where('lane', '=', doomed).execute();
      const end = Promise.withResolvers<void>();
      world.items = Array.from(
        { length: 1000 },
        () => () => Promise.race([sleep(20), end.promise]),
      );
      const before = world.pulls.length;
      const { run } = await doctor({ source_connection_id: doomed });
      await until(async () => (world.pulls.length > before ? true : undefined));
      await quarry.ok('DELETE', `/v1/source-connections/${doomed}`);
      try {
        await until(async () => ((await lane()).length === 0 ? true : undefined));
      } finally {
        end.resolve();
      }
      const { status, errors } = await ended(must(run).id);
      assert.deepEqual([status, errors], ['COMPLETED', []]);
    });

    it('refuses to compare a connection that cannot be pulled, and a connection that does not exist', async () => {
      const url = `/v1/collections/${collection}/doctor`;
      const pushed = await connect('pushed');
      const refused = await quarry.call('POST', url, { source_connection_id: pushed });
      assert.deepEqual([refused.status, refused.body.code], [422, 'not_pullable']);
      const strange = await quarry.call('POST', url, { source_connection_id: collectionId });
      assert.deepEqual([strange.status, strange.body.code], [404, 'not_found']);
    });
  });
}

const KEYWORD = { retrieval_strategy: 'keyword' };
