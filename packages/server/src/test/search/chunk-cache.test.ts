/**
 * Tests that answers do not depend on whether a chunk comes from the cache or from the database, whatever happens
 * between two searches.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Updateable } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { type ChunkCache, createChunkCache } from '../../search/chunk-cache.ts';
import { type Random, random } from '../random/random.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';

const OPTIONS = { rerank: true, expand_query: false, generate_answer: false, limit: 30 };
const WORDS = 'heron lake winter engine motor noise report budget river stone'.split(' ');
const PEOPLE = ['user:ann', 'user:bob', 'group:team'];
const DOCS = 25;
const STEPS = 60;

const words = (chance: Random, most: number) =>
  Array.from({ length: 1 + chance.below(most) }, () => chance.pick(WORDS)).join(' ');

for (const engine of ENGINES) {
  describe(`cached chunks on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let connection: Connection;
    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      connection = await library.addConnection(collection);
    });
    after(() => library.close());

    const entity = (id: string) =>
      library.db
        .updateTable('entities')
        .where('connection_id', '=', connection.id)
        .where('entity_id', '=', id);
    /** Changes a row and tells the index, as every commit does. */
    const change = async (id: string, to: Updateable<Schema['entities']>) => {
      await entity(id).set(to).execute();
      await library.db.transaction().execute((tx) => library.index.touch(tx, collection));
    };
    const remove = async (id: string) => {
      const row = await library.db
        .selectFrom('entities')
        .select('id')
        .where('connection_id', '=', connection.id)
        .where('entity_id', '=', id)
        .executeTakeFirstOrThrow();
      await library.db.transaction().execute(async (tx) => {
        const scope = { collectionId: collection, connectionId: connection.id };
        await library.index.write(tx, scope, [row.id], []);
        await tx.deleteFrom('entities').where('id', '=', row.id).execute();
      });
    };
    const ask = (query: string, chunks: ChunkCache, principals?: readonly string[]) =>
      library.search(
        collection,
        { ...OPTIONS, query },
        { chunks, ...(principals && { principals }) },
      );

    it('[SRH-25] [ENT-15] cached chunks give the same answers as fresh ones, while texts, names, vectors and access change', async () => {
      const chance = random(7);
      const kept = createChunkCache();
      // This cache has room for a few chunks only.
      const cramped = createChunkCache(8000);
      const there = new Set<string>();
      for (let step = 0; step < STEPS; step++) {
        const written = `doc-${chance.below(DOCS)}`;
        const name = words(chance, 2);
        const access = { viewers: [chance.pick(PEOPLE)], isPublic: false };
        await library.put(collection, connection, [
          { id: written, name, text: words(chance, 40), access },
        ]);
        there.add(written);
        // Most of these records were found and kept before.
        const id = chance.pick([...there]);
        await [
          () => change(id, { viewers: JSON.stringify([chance.pick(PEOPLE)]) }),
          () => change(id, { viewers: null }),
          // No commit of the service changes a name alone, but the cached chunk must be right all
          // the same.
          () => change(id, { name: words(chance, 2) }),
          async () => {
            await remove(id);
            there.delete(id);
          },
          async () => {},
        ][chance.below(5)]!();
        if (step === STEPS / 2) await withoutVectors(library, collection);
        const query = words(chance, 4);
        const principals = chance.pick([undefined, ['user:ann'], ['user:bob', 'group:team']]);
        const fresh = await ask(query, createChunkCache(0), principals);
        assert.deepEqual(await ask(query, kept, principals), fresh);
        assert.deepEqual(await ask(query, kept, principals), fresh);
        assert.deepEqual(await ask(query, cramped, principals), fresh);
      }
    });

    it('[SRH-25] chunks that an older version has stored are ranked like new ones', async () => {
      const chance = random(8);
      const old = await library.addCollection();
      await library.put(
        old,
        await library.addConnection(old),
        Array.from({ length: DOCS }, (_, i) => ({
          id: `doc-${i}`,
          name: `${words(chance, 2)} Übersicht 日本語`,
          text: `# ${words(chance, 3)}\n\n${words(chance, 40)} camelCase`,
        })),
      );
      const queries = ['heron lake winter', 'übersicht engine noise', '日本 camel case'];
      const answers = () =>
        Promise.all(
          queries.map((query) =>
            library.search(old, { ...OPTIONS, query }, { chunks: createChunkCache(0) }),
          ),
        );
      const before = await answers();
      await library.db.updateTable('chunk_bodies').set({ terms: null }).execute();
      assert.deepEqual(await answers(), before);
      assert.equal(
        before.every(({ results }) => results.length > 1),
        true,
      );
    });

    it('[ENT-15] cached chunks do not show what the asker may no longer see, or what was replaced or deleted', async () => {
      const chunks = createChunkCache();
      const access = { viewers: ['user:ann'], isPublic: false };
      const text = 'the zeppelin lands';
      await library.put(collection, connection, [{ id: 'mine', name: 'Ship', text, access }]);
      const seen = async () => {
        const { results } = await ask('zeppelin', chunks, ['user:ann']);
        return results
          .filter((one) => one.entity_id.startsWith('mine'))
          .map((one) => one.md_content);
      };
      assert.deepEqual(await seen(), [text]);
      await change('mine', { viewers: JSON.stringify(['user:bob']) });
      assert.deepEqual(await seen(), []);
      await change('mine', { viewers: JSON.stringify(['user:ann']) });
      assert.deepEqual(await seen(), [text]);
      await library.put(collection, connection, [
        { id: 'mine', name: 'Ship', text: 'a zeppelin burns' },
      ]);
      assert.deepEqual(await seen(), ['a zeppelin burns']);
      await remove('mine');
      assert.deepEqual(await seen(), []);
    });
  });
}

describe('the digest of a cached chunk', () => {
  it('the digest follows the name and the heading, even when no commit has announced the change', async () => {
    const library = await openLibrary(ENGINES[0]!);
    const { db, organizationId } = library;
    const collectionId = await library.addCollection();
    const connection = await library.addConnection(collectionId);
    await library.put(collectionId, connection, [{ id: 'a', name: 'one', text: 'heron' }]);
    const { n } = await db.selectFrom('chunks').select('n').executeTakeFirstOrThrow();
    const cache = createChunkCache();
    const titleLength = async (version: number) => {
      const searched = { organizationId, collectionIds: [collectionId] };
      const versionOf = () => version;
      const collectionOf = () => collectionId;
      const [one] = await cache.read(db, { searched, numbers: [n], versionOf, collectionOf });
      return one?.digest.titleLength;
    };
    assert.equal(await titleLength(1), 1);
    await db.updateTable('entities').set({ name: 'lake winter engine' }).execute();
    assert.equal(await titleLength(2), 3);
    await db.updateTable('chunks').set({ heading: 'motor noise' }).execute();
    assert.equal(await titleLength(3), 5);
    await library.close();
  });
});

describe('a chunk that was deleted', () => {
  it('a deleted chunk is left out, and so is a chunk without a body', async () => {
    const library = await openLibrary(ENGINES[0]!);
    const { db, organizationId } = library;
    const collectionId = await library.addCollection();
    const docs = ['a', 'b', 'c'].map((id) => ({ id, text: 'heron' }));
    await library.put(collectionId, await library.addConnection(collectionId), docs);
    const rows = await db.selectFrom('chunks').select('n').orderBy('n').execute();
    const [a = 0, b = 0, c = 0] = rows.map(({ n }) => n);
    const cache = createChunkCache();
    const read = async (numbers: number[], version: number) => {
      const searched = { organizationId, collectionIds: [collectionId] };
      const versionOf = () => version;
      const collectionOf = () => collectionId;
      const found = await cache.read(db, { searched, numbers, versionOf, collectionOf });
      return found.map(({ head }) => head.n).toSorted((one, other) => one - other);
    };
    assert.deepEqual(await read([a, b], 1), [a, b]);
    await db.deleteFrom('chunk_bodies').where('n', '=', c).execute();
    assert.deepEqual(await read([a, c], 1), [a]);
    await db.deleteFrom('chunks').where('n', '=', b).execute();
    assert.deepEqual(await read([a, b], 2), [a]);
    // An older snapshot, which another search may still read, has its own answer.
    await db.updateTable('entities').set({ is_public: true }).execute();
    assert.equal(
      (
        await cache.read(db, {
          searched: { organizationId, collectionIds: [collectionId] },
          numbers: [a],
          versionOf: () => 1,
          collectionOf: () => collectionId,
        })
      )[0]?.head.is_public,
      true,
    );
    await library.close();
  });
});

/** Does the same as a start with another embedder, while a process still runs with the old one. */
async function withoutVectors({ db, index, embedder }: Library, collection: string) {
  await db.transaction().execute(async (tx) => {
    const rows = await tx.selectFrom('chunks').select('n').execute();
    const numbers = rows.map(({ n }) => n);
    await tx.updateTable('chunks').set({ text_hash: '' }).where('n', 'in', numbers).execute();
    await tx
      .updateTable('chunk_bodies')
      .set({ scale: 0, vector: new Uint8Array(embedder.dimensions) })
      .where('n', 'in', numbers)
      .execute();
    await index.touch(tx, collection);
  });
}
