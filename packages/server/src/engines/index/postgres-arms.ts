/**
 * Finds the candidates of both arms of a search on PostgreSQL, in the tables that the collection has
 * (postgres-forms.ts).
 */
import { sql } from 'kysely';
import { ofEach } from '../../db/each-collection.ts';
import type { Db, Tx } from '../../db/schema.ts';
import { RANGE_COLUMNS } from './cosines.ts';
import { frequenciesOf, passing, type Weights } from './masks.ts';
import { frequenciesInMemory, vectorsInMemory, wordsInMemory } from './memory-arms.ts';
import { rankedByWords } from './postgres-bm25.ts';
import type { Forms } from './postgres-forms.ts';
import { COMPARED, nearestAmong, nearestByHnsw } from './postgres-hnsw.ts';
import { countChunks, readChunks, readPostings } from './postgres-words.ts';
import type { IndexStorage, ReadRow, VectorQuestion, WordsQuestion } from './reader.ts';
import type { IndexSnapshot } from './residents.ts';
import type { ScoredNumber } from './union.ts';
import { bestByWords, matching, placed } from './word-scores.ts';

type Snapshot = IndexSnapshot<ReadRow & Forms>;

/**
 * Terms that more than half of all chunks have hardly change the order (`inverseFrequency`), and their lists are the
 * longest. These lists are not read when the other terms have found this many chunks.
 */
const ENOUGH = 2000;
export const postgresStorage = (dimensions: number): IndexStorage<ReadRow & Forms> => ({
  kind: 'postgres',
  readRows,
  parts: ({ words, vectors }) => ({
    dimensions: vectors === 'scan' ? dimensions : 0,
    holdsWords: words === 'memory',
  }),
  byWords,
  byVector,
  frequencies,
});

async function readRows(
  tx: Tx,
  collectionIds: readonly string[],
): Promise<readonly (ReadRow & Forms)[]> {
  // For such short queries, compiling the plan or scanning a whole table costs more time than it saves.
  await sql`select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`.execute(
    tx,
  );
  const rows = await ofEach(tx, collectionIds, rowOf);
  return rows
    .toSorted((a, b) => a.number - b.number)
    .map(({ words, vectors, ...row }) => {
      if (words === null || vectors === null)
        throw new Error(`index ${row.number} has no form: it must be prepared first`);
      return { ...row, words, vectors };
    });
}

const rowOf = (db: Db, collectionId: string) =>
  db
    .selectFrom('indexes as i')
    .leftJoin('index_forms as f', (join) => join.on('f.collection_id', '=', collectionId))
    .select([
      'i.collection_id',
      'i.number',
      'i.version',
      'i.chunks',
      'i.terms',
      'i.segment',
      ...RANGE_COLUMNS,
      'f.words',
      'f.vectors',
    ])
    .where('i.collection_id', '=', collectionId)
    .execute();

const frequencies = (
  snapshot: Snapshot,
  terms: readonly string[],
  weights: Weights,
): Promise<Map<string, number>> =>
  snapshot.row.words === 'memory'
    ? frequenciesInMemory(snapshot.resident, terms, weights)
    : frequenciesInLists(snapshot, terms, weights);

const frequenciesInLists = (
  { tx, resident }: Snapshot,
  terms: readonly string[],
  weights: Weights,
): Promise<Map<string, number>> =>
  frequenciesOf(terms, weights, async (unknown) => {
    const { counts } = weights;
    if (!counts) return countChunks(tx, resident.index, unknown);
    const lists = await readChunks(tx, resident.index, unknown);
    return lists.map((chunks) => placed(resident, { chunks, bits: [] }, counts).slots.length);
  });

async function byVector(
  { tx, row, resident }: Snapshot,
  question: VectorQuestion,
): Promise<readonly ScoredNumber[]> {
  if (row.vectors === 'scan') return vectorsInMemory(resident, question);
  const { vector, query, pass } = question;
  const { depth, principals } = query;
  const allowed = pass && passing(resident, pass);
  // The HNSW graph contains all chunks. So its answer may depend on chunks that the asker may not see.
  return principals !== null && allowed && allowed.length <= COMPARED
    ? nearestAmong(tx, row.number, vector, depth, allowed)
    : nearestByHnsw(tx, row.number, vector, depth, allowed);
}

async function byWords(
  snapshot: Snapshot,
  question: WordsQuestion,
): Promise<readonly ScoredNumber[]> {
  const { tx, row, resident } = snapshot;
  if (row.words === 'memory') return wordsInMemory(resident, question);
  const { terms, depth, pass, weights, common } = question;
  // pg_textsearch counts all chunks of the collection for every asker, so its order would depend on chunks that the
  // asker may not see, and its scores could not be compared with those of other collections.
  return weights.counts || common
    ? byLists(snapshot, question)
    : rankedByWords(tx, row.number, terms, depth, pass && passing(resident, pass));
}

async function byLists(
  snapshot: Snapshot,
  { terms, depth, pass, weights, common }: WordsQuestion,
): Promise<readonly ScoredNumber[]> {
  const { tx, resident } = snapshot;
  const { counts } = weights;
  const having = await frequenciesInLists(snapshot, terms, weights);
  const known = terms.filter((term) => having.get(term)! > 0);
  const { totals } = common ?? weights;
  const chunksWith = (term: string) => (common?.frequencies ?? having).get(term)!;
  const isCommon = (term: string) => chunksWith(term) * 2 > totals.chunks;
  const read = async (some: readonly string[]) => {
    const postings = await readPostings(tx, resident.index, some);
    return [...postings].map(([term, lists]) => [term, placed(resident, lists, counts)] as const);
  };
  const lists = new Map(await read(known.filter((term) => !isCommon(term))));
  if (matching(resident, [...lists.values()], pass) < ENOUGH)
    for (const [term, list] of await read(known.filter(isCommon))) lists.set(term, list);
  const inOrder = known.flatMap((term) => {
    const list = lists.get(term);
    return list ? [{ ...list, chunks: chunksWith(term) }] : [];
  });
  return bestByWords(resident, totals, inOrder, depth, pass);
}
