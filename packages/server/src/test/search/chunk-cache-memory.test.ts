/** Kept chunks take no more memory than they may. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { createChunkCache } from '../../search/chunk-cache.ts';
import { ENGINES, type Library, openLibrary } from './library.ts';

describe('the memory of kept chunks', () => {
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
    return { place: { organizationId, collectionId }, numbers: rows.map(({ n }) => n) };
  }

  /** Returns a cache that counts the chunks which it reads. */
  function counted(place: { organizationId: string; collectionId: string }, budget: number) {
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
      read: (n: number) => cache.read(db, { searched: place, numbers: [n], version: 1 }),
    };
  }

  /** Counts the chunks that a second look reads again. */
  async function readAgain({ place, numbers }: Awaited<ReturnType<typeof filled>>, budget: number) {
    const { count, read } = counted(place, budget);
    for (const n of numbers) await read(n);
    assert.equal(count.read, CHUNKS);
    for (const n of numbers.toReversed()) await read(n);
    return count.read - CHUNKS;
  }

  for (const [what, enlarge] of Object.entries(large))
    it(`counts the ${what}: of large ones only some are kept`, async () => {
      const chunks = await filled(what);
      assert.equal(await readAgain(chunks, BUDGET), 0);
      await enlarge(library.db).execute();
      const least = CHUNKS - Math.floor(BUDGET / LARGE);
      const again = await readAgain(chunks, BUDGET);
      assert.ok(again >= least && again < CHUNKS, `${again} are read again`);
    });

  it('counts what a chunk takes beside all that: of small ones only some are kept', async () => {
    const chunks = await filled('small');
    // The numbers, vectors and texts of all of them fit in twice.
    assert.ok((await readAgain(chunks, CHUNKS * 800)) > 0);
    assert.equal(await readAgain(chunks, CHUNKS * 1600), 0);
  });

  it('a chunk that stays does not keep the memory of those that have gone', async () => {
    const { place, numbers } = await filled('stays');
    await large.vector(library.db).execute();
    const { count, read } = counted(place, BUDGET);
    const [stays = 0, ...others] = numbers;
    /** Returns the memory in which its vector lies, beside those of others. */
    const memory = async () => (await read(stays))[0]?.digest.vector.values.buffer;
    const before = await memory();
    for (const n of others) {
      await read(n);
      await memory();
    }
    assert.notEqual(await memory(), before);
    assert.equal(count.read, CHUNKS, 'it has gone itself');
  });
});
