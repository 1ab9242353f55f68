import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { insertEntity } from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { openBefore } from '../../test/older-database.ts';
import { newId } from '../../util.ts';
import { migrate } from '../migrate.ts';

const PER_COLLECTION = 2 ** 32;

/** Returns the number of the index of a collection, as the version before has it. */
async function addIndex({ db, kind }: TestDatabase, collection: string): Promise<number> {
  const row = { collection_id: collection, version: 0, next_chunk: 0, chunks: 0, terms: 0 };
  const { number } = await db
    .insertInto('indexes')
    .values(row)
    .returning('number')
    .executeTakeFirstOrThrow();
  if (kind === 'postgres')
    await sql`insert into index_forms (number, words, vectors) values (${number}, 'memory', 'scan')`.execute(
      db,
    );
  return number;
}

async function addChunk({ db }: TestDatabase, n: number): Promise<void> {
  await sql`insert into chunks (n, connection_id, entity, position, heading, line, text_hash, length)
    values (${n}, 'connection', ${`entity ${n}`}, 3, 'Ovens', 7, 'hash', 2)`.execute(db);
  await sql`insert into chunk_bodies (n, text, scale, vector, terms, is_titled)
    values (${n}, ${`text ${n}`}, 0.5, ${new Uint8Array([1, 2])}, ${new Uint8Array([3])}, ${true})`.execute(
    db,
  );
}

for (const database of DATABASES)
  describe(`chunks of an earlier version on ${database.name}`, () => {
    it('get the ids of their collections and keep all else, and those without a collection go', async (t) => {
      const test = await openBefore(database, '0064');
      t.after(() => test.close());
      const collections = [newId(), newId()];
      const numbers: number[] = [];
      for (const collection of collections) {
        const first = (await addIndex(test, collection)) * PER_COLLECTION;
        for (const n of [first, first + 1, first + PER_COLLECTION - 1]) {
          await addChunk(test, n);
          numbers.push(n);
        }
      }
      await addChunk(test, 9 * PER_COLLECTION);
      const owner = {
        organization_id: newId(),
        collection_id: collections[0] ?? '',
        connection_id: newId(),
      };
      await insertEntity(test.db, owner, { generation: 1, entity_id: 'a' });

      await migrate(test.db, test.kind);

      const chunks = await test.db.selectFrom('chunks').selectAll().orderBy('n').execute();
      assert.deepEqual(
        chunks.map(({ n, collection_id }) => [n, collection_id]),
        numbers.map((n, i) => [n, collections[Math.floor(i / 3)]]),
      );
      const [chunk] = chunks;
      assert.deepEqual(
        { ...chunk },
        {
          ...{ n: numbers[0], collection_id: collections[0], connection_id: 'connection' },
          ...{ entity: `entity ${numbers[0]}`, position: 3, heading: 'Ovens', page: null },
          ...{ place: null, line: 7, text_hash: 'hash', length: 2 },
        },
      );
      const bodies = await test.db.selectFrom('chunk_bodies').selectAll().orderBy('n').execute();
      assert.deepEqual(
        bodies.map(({ n, collection_id, text, terms }) => [
          n,
          collection_id,
          text,
          [...(terms ?? [])],
        ]),
        chunks.map(({ n, collection_id }) => [n, collection_id, `text ${n}`, [3]]),
      );
      if (test.kind === 'postgres') {
        const forms = await test.db
          .selectFrom('index_forms')
          .select('collection_id')
          .orderBy('number')
          .execute();
        assert.deepEqual(
          forms.map(({ collection_id }) => collection_id),
          collections,
        );
      }
      if (test.kind === 'postgres') {
        const { rows } = await sql<{ name: string }>`
          select indexname as name from pg_indexes where tablename in ('chunks', 'chunk_bodies')
          order by indexname`.execute(test.db);
        assert.deepEqual(
          rows.map(({ name }) => name),
          ['chunk_bodies_pkey', 'chunks_entity', 'chunks_pkey', 'chunks_reuse'],
        );
      }
      const twice = { ...owner, connection_id: 'c' };
      await insertEntity(test.db, twice, { generation: 1, entity_id: 'b' });
      await assert.rejects(insertEntity(test.db, twice, { generation: 1, entity_id: 'b' }));
    });
  });
