import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { indexNumber } from '../../engines/index/index-rows.ts';
import { createPostgresIndex } from '../../engines/index/postgres.ts';
import { preparePostgresIndex } from '../../engines/index/postgres-prepare.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { indexTerms } from '../../model/title.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { chunksOf, createWorld, DIMENSIONS } from '../../test/engines/world.ts';
import { openBefore, withCollectionIds } from '../../test/older-database.ts';
import { must } from '../../util.ts';
import { migrate } from '../migrate.ts';
import type { Schema } from '../schema.ts';

const DOCS = [
  { id: 'titled', name: 'Travel Policy', texts: ['The hotel is booked early.', 'Kiwi kiwi'] },
  { id: 'untitled', name: 'The heron waits', texts: ['The heron waits at the weir.', '…'] },
  { id: 'many', texts: Array.from({ length: 1100 }, (_, i) => `apple w${i}`) },
];

/** Adds the table in which an earlier version stored the words of a collection. */
async function addWords({ db, kind }: TestDatabase, number: number): Promise<void> {
  if (kind === 'sqlite') {
    const table = sql.id(`fts_${number}`);
    await sql`create virtual table ${table} using fts5(
      text, content='', contentless_delete=1, tokenize='ascii')`.execute(db);
    await sql`insert into ${table} (rowid, text) select n, 'apple' from chunks`.execute(db);
    return;
  }
  const table = sql.id(`words_${number}`);
  await sql`create table ${table} (n bigint primary key, words tsvector not null)`.execute(db);
  await sql`insert into ${table} (n, words) select n, 'apple' from chunks`.execute(db);
  await sql`update index_forms set words = 'gin'`.execute(db);
}

const tablesOfWords = async ({ db, kind }: TestDatabase): Promise<number> => {
  const { rows } = await (kind === 'sqlite'
    ? sql`select name from sqlite_schema where name like 'fts%'`
    : sql`select relname from pg_class where relkind = 'r' and relname like 'words%'`
  ).execute(db);
  return rows.length;
};

const termsOf = async (db: Kysely<Schema>): Promise<Map<number, string>> => {
  const rows = await db.selectFrom('chunk_bodies').select(['n', 'terms']).execute();
  return new Map(rows.map(({ n, terms }) => [n, Buffer.from(must(terms)).toString('hex')]));
};

for (const database of DATABASES)
  describe(`words of an earlier version on ${database.name}`, () => {
    it('are found by the numbers of their terms, which chunks without numbers get', async (t) => {
      const test = await openBefore(database, '0054');
      t.after(() => test.close());
      const options = { dimensions: DIMENSIONS };
      const open = (): SearchIndex =>
        test.kind === 'sqlite' ? createSqliteIndex(options) : createPostgresIndex(options);
      const index = open();
      const world = await createWorld(test, index);
      let collection = '';
      await withCollectionIds(test, async () => {
        collection = await world.collection();
        const docs = await world.connection(collection);
        await world.save(docs, DOCS);
        await world.save(docs, [{ id: 'headed', name: 'Guide', texts: [] }]);
        const row = world.rowId(docs, 'headed');
        const piece = { name: 'Guide', heading: 'Ovens', text: 'They are hot.' };
        const headed = chunksOf(row, { id: 'headed', name: 'Guide', texts: [piece.text] }).map(
          (chunk) => ({ ...chunk, heading: piece.heading, terms: indexTerms(piece) }),
        );
        await test.db.transaction().execute((tx) => index.write(tx, docs, [row], headed));
      });
      const before = await termsOf(test.db);
      assert.equal(before.size, 1105);
      const [numbered] = before.keys();
      // These numbers show that chunks which have numbers keep them.
      const kept = new Uint8Array(4).fill(7);
      await test.db.updateTable('chunk_bodies').set({ terms: null }).execute();
      await test.db
        .updateTable('chunk_bodies')
        .set({ terms: kept })
        .where('n', '=', must(numbered))
        .execute();
      await addWords(test, must(await indexNumber(test.db, collection)));
      assert.ok((await tablesOfWords(test)) > 0);

      await migrate(test.db, test.kind);
      if (test.kind === 'postgres') await preparePostgresIndex(test.db, DIMENSIONS, () => {});

      assert.equal(await tablesOfWords(test), 0);
      const expected = new Map(before).set(must(numbered), Buffer.from(kept).toString('hex'));
      assert.deepEqual(await termsOf(test.db), expected);
      const found = (text: string) => world.words(collection, text, {}, open());
      assert.deepEqual(await found('w1099'), ['many__chunk_1099']);
      assert.deepEqual(await found('ovens guide'), ['headed__chunk_0']);
      assert.deepEqual(await found('travel policy'), ['titled__chunk_1']);
      assert.deepEqual(await found('weir'), ['untitled__chunk_0']);
    });
  });
