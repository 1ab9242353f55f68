/** Tests what the index reports when its rows were changed by hand, and how it repairs them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { indexNumber } from '../../engines/index/index-rows.ts';
import type { IndexFinding, IndexPage } from '../../engines/ports.ts';
import { termNumbers, terms } from '../../model/terms.ts';
import { must } from '../../util.ts';
import { describeIndexes, writesSlowly } from './index-kind.ts';
import { DIMENSIONS, WHOLE } from './world.ts';

/** A page of the examination has at most this many chunks. */
const PAGE = 500;
const FEW = 30;

describeIndexes('doctor', (fresh, kind) => {
  const MANY = writesSlowly(kind) ? 60 : 1200;
  const hasWordTables = /textsearch|both/.test(kind.name);
  /** The exact index holds the words of the texts, which it does not take from the numbers of terms. */
  const holdsNumbers = !hasWordTables && !kind.name.startsWith('exact');
  const holdsVectors = !/pgvector|both/.test(kind.name);
  const held = holdsNumbers || holdsVectors ? MANY + 2 : 0;

  async function filled(many = MANY) {
    const made = await fresh();
    const { database, world, collection, docs } = made;
    const texts = Array.from({ length: many }, (_, i) => `apple w${i}`);
    await world.save(docs, [
      { id: 'many', texts },
      { id: 'few', texts: ['pear', 'plum'] },
    ]);
    const number = must(await indexNumber(database.db, collection));
    const run = (statement: RawBuilder<unknown>) => statement.execute(database.db);
    return {
      ...made,
      run,
      words: sql.id(`words_${number}`),
      ranked: sql.id(`bm25_${number}`),
      vectors: sql.id(`vectors_${number}`),
      numbers: await numbersOf(),
      numbersOf,
    };

    async function numbersOf() {
      const rows = await database.db
        .selectFrom('chunks')
        .select('n')
        .where('connection_id', '=', docs.connectionId)
        .orderBy('n')
        .execute();
      return rows.map(({ n }) => n);
    }
  }
  type Filled = Awaited<ReturnType<typeof filled>>;

  async function examine({ database, index, collection }: Filled) {
    const pages: IndexPage[] = [];
    for (let after: number | null = null; ; ) {
      const page: IndexPage = await index.doctor.examine(database.db, collection, after);
      pages.push(page);
      if (page.next === null) break;
      after = page.next;
    }
    const sum = (of: (page: IndexPage) => number) => pages.reduce((all, one) => all + of(one), 0);
    return {
      pages: pages.length,
      chunks: sum(({ totals }) => totals.chunks),
      terms: sum(({ totals }) => totals.terms),
      words: sum(({ words }) => words),
      vectors: sum(({ vectors }) => vectors),
      findings: pages.flatMap(({ findings }) => findings).map(shown),
    };
  }
  async function memory({ database, index, collection }: Filled) {
    const findings: string[] = [];
    let compared = 0;
    for (let after: number | null = null; ; ) {
      const page: Awaited<ReturnType<typeof index.doctor.examineMemory>> =
        await index.doctor.examineMemory(database.db, collection, after);
      compared += page.compared;
      findings.push(...page.findings.map(shown));
      if (page.next === null) return { compared, findings };
      after = page.next;
    }
  }
  const shown = ({ kind, n }: IndexFinding) => `${kind} ${n}`;

  it('counts everything once, over several pages, and finds nothing', async () => {
    const the = await filled();
    const { pages, ...counted } = await examine(the);
    assert.ok(pages > MANY / PAGE);
    assert.deepEqual(counted, {
      chunks: MANY + 2,
      terms: 2 * MANY + 2,
      words: MANY + 2,
      vectors: MANY + 2,
      findings: [],
    });
    assert.deepEqual(await memory(the), { compared: 0, findings: [] }, 'nothing is held yet');
    await the.world.nearest(the.collection, 'apple');
    assert.deepEqual(await memory(the), { compared: held, findings: [] });
  });

  it('finds halves of chunks, and takes away those that belong to nothing', async () => {
    const the = await filled();
    const { numbers, database, index, collection, docs, world } = the;
    const [first, second, third] = [numbers[0]!, numbers[MANY / 2]!, numbers[MANY - 10]!];
    await the.run(sql`delete from chunk_bodies where n = ${first}`);
    await the.run(sql`delete from chunks where n = ${second}`);
    await the.run(sql`update chunks set entity = 'nobody' where n = ${third}`);
    const orphanedWords = hasWordTables ? [`words_without_chunk ${second}`] : [];
    const { findings } = await examine(the);
    assert.deepEqual(
      findings.toSorted(),
      [
        `chunk_without_body ${first}`,
        `body_without_chunk ${second}`,
        `chunk_without_entity ${third}`,
        ...orphanedWords,
      ].toSorted(),
    );
    await database.db
      .transaction()
      .execute((tx) => index.doctor.discard(tx, collection, [second, third]));
    assert.deepEqual((await examine(the)).findings, [`chunk_without_body ${first}`]);
    await world.save(docs, [{ id: 'many', texts: ['apple'] }]);
    assert.deepEqual((await examine(the)).findings, []);
    assert.deepEqual(await world.words(collection, 'apple'), ['many__chunk_0']);
  });

  it('finds vectors of another length, scale or direction', async () => {
    const the = await filled();
    const [a, b, c] = the.numbers;
    await the.run(sql`update chunk_bodies set vector = ${new Uint8Array(3)} where n = ${a}`);
    await the.run(sql`update chunk_bodies set scale = scale * 2 where n = ${b}`);
    await the.run(sql`update chunk_bodies set scale = 0 where n = ${c}`);
    assert.deepEqual((await examine(the)).findings, [
      `wrong_vector ${a}`,
      `wrong_vector ${b}`,
      `wrong_vector ${c}`,
    ]);
  });

  it('corrects its totals by what they are wrong by', async () => {
    const the = await filled();
    const { database, index, collection } = the;
    await the.run(sql`
      update indexes set chunks = chunks + 5, terms = terms - 7 where collection_id = ${collection}`);
    await database.db
      .transaction()
      .execute((tx) => index.doctor.correct(tx, collection, { chunks: -5, terms: 7 }));
    assert.deepEqual((await examine(the)).findings, []);
    const { chunks, averageLength } = await the.world.ask.statistics(collection, [], WHOLE);
    assert.deepEqual([chunks, averageLength], [MANY + 2, (2 * MANY + 2) / (MANY + 2)]);
  });

  it('finds what is in memory only, in the file only, or differs, and forgets it', async () => {
    if (held === 0) return;
    const the = await filled();
    const { numbers, world, index, collection } = the;
    await world.nearest(collection, 'apple');
    const [turned, reworded, gone, other] = [3, 4, MANY / 2 + 10, MANY + 1].map((i) => numbers[i]!);
    const { rows } = await sql<{ vector: Uint8Array }>`
      select vector from chunk_bodies where n = ${turned}`.execute(the.database.db);
    const vector = Uint8Array.from(must(rows[0]).vector);
    vector[5]! ^= 1;
    await the.run(sql`update chunk_bodies set vector = ${vector} where n = ${turned}`);
    await the.run(sql`
      update chunk_bodies set terms = ${packed('apple pie')} where n = ${reworded}`);
    await the.run(sql`delete from chunk_bodies where n = ${gone}`);
    await the.run(sql`update chunks set connection_id = 'another' where n = ${other}`);
    assert.deepEqual((await memory(the)).findings.toSorted(), [
      ...(holdsVectors ? [`wrong_memory ${turned}`] : []),
      ...(holdsNumbers ? [`wrong_memory ${reworded}`] : []),
      `wrong_memory ${gone}`,
      `wrong_memory ${other}`,
    ]);
    await index.doctor.forget(world.db, collection);
    assert.deepEqual(await memory(the), { compared: 0, findings: [] });
    await world.nearest(collection, 'apple');
    assert.deepEqual(await memory(the), { compared: MANY + 1, findings: [] });
  });

  it('finds chunks of entities of another collection, and leaves those entities alone', async () => {
    const the = await filled(FEW);
    const { world, collection, database, index } = the;
    const elsewhere = await world.collection();
    const others = await world.connection(elsewhere);
    await world.save(others, [{ id: 'other', texts: ['fig', 'date'] }]);
    const n = the.numbers[31]!;
    const entity = world.rowId(others, 'other');
    await the.run(sql`
      update chunks set entity = ${entity}, connection_id = ${others.connectionId} where n = ${n}`);
    assert.deepEqual((await examine(the)).findings, [`chunk_without_entity ${n}`]);
    await database.db.transaction().execute((tx) => index.doctor.discard(tx, collection, [n]));
    assert.deepEqual((await examine(the)).findings, []);
    assert.deepEqual((await examine({ ...the, collection: elsewhere })).findings, []);
    assert.deepEqual(await world.words(elsewhere, 'fig'), ['other__chunk_0']);
  });

  if (hasWordTables)
    it('finds words beyond the numbers of the collection, and takes no chunk of another for theirs', async () => {
      const the = await filled(FEW);
      const { world, collection, database, index } = the;
      const elsewhere = await world.collection();
      const others = await world.connection(elsewhere);
      await world.save(others, [{ id: 'other', texts: ['fig'] }]);
      const next = must(await indexNumber(database.db, elsewhere)) * 2 ** 32;
      const strays = [-7, next, ...Array.from({ length: 600 }, (_, i) => 2 ** 50 + i)];
      for (const n of strays)
        await the.run(sql`insert into ${the.words} (n, words) values (${n}, 'pear')`);
      const { findings } = await examine(the);
      assert.deepEqual(
        findings,
        strays.map((n) => `words_without_chunk ${n}`),
      );
      await database.db.transaction().execute((tx) => index.doctor.discard(tx, collection, strays));
      assert.deepEqual((await examine(the)).findings, []);
      assert.deepEqual(await world.words(collection, 'pear'), ['few__chunk_0']);
      assert.deepEqual((await examine({ ...the, collection: elsewhere })).findings, []);
      assert.deepEqual(await world.words(elsewhere, 'fig'), ['other__chunk_0']);
    });

  it('takes a text without words, and words that come up often, for no fault', async () => {
    const the = await filled(FEW);
    const often = [31, 32, 33, 200].map((times) => 'kiwi '.repeat(times));
    await the.world.save(the.docs, [{ id: 'odd', texts: ['…', ...often, 'fig '.repeat(17)] }]);
    assert.deepEqual((await examine(the)).findings, []);
  });

  if (hasWordTables)
    it('finds chunks that a table of the form lacks, and words of another length', async () => {
      const the = await filled(FEW);
      await the.world.save(the.docs, [
        { id: 'odd', texts: ['kiwi '.repeat(31), 'kiwi '.repeat(50)] },
      ]);
      const numbers = await the.numbersOf();
      const [missing, longer, none, shorter, capped] = [10, 20, 21, 32, 33].map((i) => numbers[i]!);
      await the.run(sql`delete from ${the.words} where n = ${missing}`);
      await the.run(sql`update ${the.words} set words = '''a'' ''b'' ''b/0''' where n = ${longer}`);
      await the.run(sql`update ${the.words} set words = '' where n = ${none}`);
      // The fault shows only in the bits of the word's frequency.
      await the.run(sql`
        update ${the.words} set words = ts_delete(words, 'kiwi/4') where n in (${shorter}, ${capped})`);
      assert.deepEqual((await examine(the)).findings, [
        `wrong_words ${longer}`,
        `wrong_words ${none}`,
        `wrong_words ${shorter}`,
        `wrong_words ${capped}`,
        `chunk_without_words ${missing}`,
      ]);
      await the.world.save(the.docs, [
        { id: 'many', texts: ['apple'] },
        { id: 'odd', texts: ['kiwi'] },
      ]);
      assert.deepEqual((await examine(the)).findings, []);
    });

  if (hasWordTables)
    it('finds what is wrong with the words of pg_textsearch', async () => {
      const the = await filled(FEW);
      const [missing, longer, none] = [10, 20, 21].map((i) => the.numbers[i]!);
      await the.run(sql`delete from ${the.ranked} where n = ${missing}`);
      await the.run(sql`update ${the.ranked} set words = 'a b c' where n = ${longer}`);
      await the.run(sql`update ${the.ranked} set words = '' where n = ${none}`);
      await the.run(sql`insert into ${the.ranked} (n, words) values (7, 'a')`);
      assert.deepEqual((await examine(the)).findings.toSorted(), [
        `chunk_without_words ${missing}`,
        'words_without_chunk 7',
        `wrong_words ${longer}`,
        `wrong_words ${none}`,
      ]);
    });

  if (!holdsVectors)
    it('finds what is wrong with the vectors of pgvector', async () => {
      const the = await filled(FEW);
      await the.world.save(the.docs, [{ id: 'odd', texts: ['…'] }]);
      const [missing, scaled, turned] = [10, 20, 21].map((i) => the.numbers[i]!);
      const bare = (await the.numbersOf()).at(-1)!;
      const { vectors } = the;
      await the.run(sql`delete from ${vectors} where n = ${missing}`);
      await the.run(sql`update ${vectors} set scale = scale * 2 where n = ${scaled}`);
      const ones = JSON.stringify(Array.from({ length: DIMENSIONS }, () => 1));
      await the.run(sql`
        update ${vectors} set direction = ${ones}::halfvec where n = ${turned}`);
      await the.run(sql`
        insert into ${vectors} select ${bare}, direction, scale from ${vectors} where n = ${scaled}`);
      await the.run(sql`
        insert into ${vectors} select 7, direction, scale from ${vectors} where n = ${scaled}`);
      assert.deepEqual((await examine(the)).findings, [
        'body_without_chunk 7',
        `wrong_vector ${missing}`,
        `wrong_vector ${scaled}`,
        `wrong_vector ${turned}`,
        `wrong_vector ${bare}`,
      ]);
    });

  it('finds chunks without numbers of terms, and those that have too many, too few or a part of one', async () => {
    const the = await filled();
    await the.world.nearest(the.collection, 'apple');
    const [missing, more, none, cut] = [10, 20, 30, 40].map((i) => the.numbers[i]!);
    const set = (terms: Uint8Array | null, n?: number) =>
      the.run(sql`update chunk_bodies set terms = ${terms} where n = ${n}`);
    await set(null, missing);
    await set(packed('apple pie w20'), more);
    await set(new Uint8Array(), none);
    await set(new Uint8Array(7), cut);
    assert.deepEqual((await examine(the)).findings, [
      `chunk_without_words ${missing}`,
      `wrong_words ${more}`,
      `wrong_words ${none}`,
      `wrong_words ${cut}`,
    ]);
    const differing = [missing, more, none, cut].map((n) => `wrong_memory ${n}`);
    assert.deepEqual((await memory(the)).findings, holdsNumbers ? differing : []);
    await the.world.save(the.docs, [{ id: 'many', texts: ['apple'] }]);
    assert.deepEqual((await examine(the)).findings, []);
    assert.deepEqual((await memory(the)).findings, []);
  });
});

const packed = (text: string) => new Uint8Array(termNumbers(terms(text)).buffer);
