/** Tests that the cache of chunks takes no more memory than its budget. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { createChunkCache } from '../../search/chunk-cache.ts';
import type { SearchedCollections } from '../../search/store.ts';
import { ENGINES, type Library, openLibrary } from './library.ts';

describe('the memory of the cache of chunks', () => {
  const CHUNKS = 20;
  const LARGE = 100_000;
  const BUDGET = 1_000_000;
  let library: Library;
  before(async () => {
    library = await openLibrary(ENGINES[0]!);
  });
  after(() => library.close());

  const large = {
    vector: (db: Kysely<Schema>) =>
      db.updateTable('chunk_bodies').set({ vector: new Uint8Array(LARGE) }),
    terms: (db: Kysely<Schema>) =>
      db.updateTable('chunk_bodies').set({ terms: new Uint8Array(LARGE) }),
    heading: (db: Kysely<Schema>) => db.updateTable('chunks').set({ heading: 'x'.repeat(LARGE) }),
    name: (db: Kysely<Schema>) => db.updateTable('entities').set({ name: 'x'.repeat(LARGE) }),
    url: (db: Kysely<Schema>) => db.updateTable('entities').set({ url: 'x'.repeat(LARGE) }),
    'entity id': (db: Kysely<Schema>) =>
      db
        .updateTable('entities')
        .set((eb) => ({ entity_id: sql`${eb.ref('id')} || ${'x'.repeat(LARGE)}` })),
  } as const;
  /** Makes a collection of small chunks. */
  async function filled(name: string) {
    const { db, organizationId } = library;
    const collectionId = await library.addCollection();
    const docs = Array.from({ length: CHUNKS }, (_, i) => ({ id: `${name} ${i}`, text: 'heron' }));
    await library.put(collectionId, await library.addConnection(collectionId), docs);
    const rows = await db
      .selectFrom('chunks')
      .innerJoin('entities', 'entities.id', 'chunks.entity')
      .where('entities.collection_id', '=', collectionId)
      .select('chunks.n')
      .execute();
    return {
      place: { organizationId, collectionIds: [collectionId] },
      numbers: rows.map(({ n }) => n),
    };
  }

  /** Returns a cache, and a count of the chunks that it reads from the database. */
  function counted(place: SearchedCollections, budget: number) {
    const cache = createChunkCache(budget);
    const count = { read: 0 };
    const db = library.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        count.read += result.rows.filter((row) => 'text_hash' in row).length;
        return result;
      },
    });
    return {
      count,
      read: (n: number) =>
        cache.read(db, {
          ...{ searched: place, numbers: [n] },
          ...{ versionOf: () => 1, collectionOf: () => place.collectionIds[0] },
        }),
    };
  }

  /** Reads all chunks twice. Returns how many of them the second pass reads from the database again. */
  async function readAgain({ place, numbers }: Awaited<ReturnType<typeof filled>>, budget: number) {
    const { count, read } = counted(place, budget);
    for (const n of numbers) await read(n);
    assert.equal(count.read, CHUNKS);
    for (const n of numbers.toReversed()) await read(n);
    return count.read - CHUNKS;
  }

  for (const [what, enlarge] of Object.entries(large))
    it(`the cache counts the ${what} of each chunk, so it keeps only some chunks when these are large`, async () => {
      const chunks = await filled(what);
      assert.equal(await readAgain(chunks, BUDGET), 0);
      await enlarge(library.db).execute();
      const least = CHUNKS - Math.floor(BUDGET / LARGE);
      const again = await readAgain(chunks, BUDGET);
      assert.ok(again >= least && again < CHUNKS, `${again} are read again`);
    });

  it('the cache also counts what a chunk takes besides its data, so it keeps only some of many small chunks', async () => {
    const chunks = await filled('small');
    // The numbers, vectors and texts of all chunks need less than half of this budget.
    assert.ok((await readAgain(chunks, CHUNKS * 800)) > 0);
    assert.equal(await readAgain(chunks, CHUNKS * 1600), 0);
  });

  it('a chunk that stays in the cache does not hold the memory of chunks that have left it', async () => {
    const { place, numbers } = await filled('stays');
    await large.vector(library.db).execute();
    const { count, read } = counted(place, BUDGET);
    const [stays = 0, ...others] = numbers;
    /** Returns the buffer in which the vector of the first chunk lies, possibly beside vectors of others. */
    const memory = async () => (await read(stays))[0]?.digest.vector.values.buffer;
    const before = await memory();
    for (const n of others) {
      await read(n);
      await memory();
    }
    assert.notEqual(await memory(), before);
    assert.equal(count.read, CHUNKS, 'the chunk itself has left the cache');
  });
});
