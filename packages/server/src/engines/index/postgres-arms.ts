/** Answers the two arms of a search on PostgreSQL, in the form that a collection has (postgres-forms.ts). */
import type { Tx } from '../../db/schema.ts';
import type { IndexQuery } from '../ports.ts';
import { passing, type SlotTest, type Weights } from './masks.ts';
import { rankedByWords } from './postgres-bm25.ts';
import type { Forms } from './postgres-forms.ts';
import { COMPARED, nearestAmong, nearestByHnsw } from './postgres-hnsw.ts';
import { countChunks, readChunks, readPostings } from './postgres-words.ts';
import { type IndexRow, nearest, type Resident } from './residents.ts';
import { bestByWords, matching, placed } from './word-scores.ts';

/** The snapshot of a transaction has this state of a collection. */
export interface IndexSnapshot {
  readonly tx: Tx;
  readonly row: IndexRow & Forms;
  readonly resident: Resident;
}

/**
 * Terms that more than half of all chunks have say next to nothing (`inverseFrequency`), and their lists are the
 * longest: they are not read when the other terms have found this many chunks.
 */
const ENOUGH = 2000;
/** Returns how many of the chunks that count have each of the (distinct) terms. */
export async function frequenciesOf(
  view: IndexSnapshot,
  terms: readonly string[],
  { frequencies, counts }: Weights,
): Promise<Map<string, number>> {
  const { tx, resident } = view;
  const unknown = terms.filter((term) => !frequencies.has(term));
  const found = await counted(unknown);
  const all = new Map(
    terms.map((term) => [term, frequencies.get(term) ?? found[unknown.indexOf(term)] ?? 0]),
  );
  for (const [term, chunks] of all) frequencies.set(term, chunks);
  return all;

  async function counted(some: readonly string[]): Promise<number[]> {
    if (some.length === 0) return [];
    if (!counts) return countChunks(tx, resident.index, some);
    const lists = await readChunks(tx, resident.index, some);
    return lists.map((chunks) => placed(resident, { chunks, bits: [] }, counts).slots.length);
  }
}

export async function byVector(
  { tx, row, resident }: IndexSnapshot,
  vector: Float32Array,
  { depth, principals }: Pick<IndexQuery, 'depth' | 'principals'>,
  pass: SlotTest | undefined,
): Promise<number[]> {
  if (row.vectors === 'scan') return nearest(resident, vector, depth, pass);
  const allowed = pass && passing(resident, pass);
  // The chunks that the graph finds among a part depend on all chunks, also on those that the asker may not see.
  return principals !== null && allowed && allowed.length <= COMPARED
    ? nearestAmong(tx, row.number, vector, depth, allowed)
    : nearestByHnsw(tx, row.number, vector, depth, allowed);
}

export async function byWords(
  view: IndexSnapshot,
  terms: readonly string[],
  depth: number,
  pass: SlotTest | undefined,
  weights: Weights,
): Promise<number[]> {
  const { tx, row, resident } = view;
  // pg_textsearch counts all chunks for every asker, so its order would depend on chunks that the asker may not
  // see.
  return row.words === 'gin' || weights.counts
    ? byLists(view, terms, depth, pass, weights)
    : rankedByWords(tx, row.number, terms, depth, pass && passing(resident, pass));
}

async function byLists(
  view: IndexSnapshot,
  terms: readonly string[],
  depth: number,
  pass: SlotTest | undefined,
  weights: Weights,
): Promise<number[]> {
  const { tx, resident } = view;
  const { totals, counts } = weights;
  const frequencies = await frequenciesOf(view, terms, weights);
  const known = terms.filter((term) => frequencies.get(term)! > 0);
  const isCommon = (term: string) => frequencies.get(term)! * 2 > totals.chunks;
  const read = async (some: readonly string[]) => {
    const postings = await readPostings(tx, resident.index, some);
    return [...postings].map(([term, lists]) => [term, placed(resident, lists, counts)] as const);
  };
  const lists = new Map(await read(known.filter((term) => !isCommon(term))));
  if (matching(resident, [...lists.values()], pass) < ENOUGH)
    for (const [term, list] of await read(known.filter(isCommon))) lists.set(term, list);
  const inOrder = known.flatMap((term) => lists.get(term) ?? []);
  return bestByWords(resident, totals, inOrder, depth, pass);
}
