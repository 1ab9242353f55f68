/**
 * Looks for rows of the search index that contradict each other. Since every write is one transaction, such rows come
 * only from a damaged disk, a change by hand in the database, or a bug.
 */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import type { Vector } from '../../model/vector.ts';
import type { IndexFinding, IndexPage } from '../ports.ts';
import { indexNumber } from './index-rows.ts';
import { endNumber, firstNumber } from './numbers.ts';
import { toVector } from './rows.ts';

/** A statement reads this many rows. */
export const EXAMINED = 500;
/** After its rounding to int8, the length of a unit vector differs from 1 by less than this. */
const ROUNDING = 0.1;
/**
 * A table that belongs to one collection is read beyond the numbers of this collection, too, where it must be
 * empty.
 */
const FROM = Number.MIN_SAFE_INTEGER;
const TO = Number.MAX_SAFE_INTEGER;

export interface ExaminedChunk {
  readonly n: number;
  readonly entity: string;
  /** The length is in terms. */
  readonly length: number;
  readonly connection_id: string;
  /** This is the connection of the entity; null means that the collection has no such entity. */
  readonly owner: string | null;
}

interface BodyRow {
  readonly n: number;
  readonly scale: number;
  readonly vector: Uint8Array;
  /** The numbers of the terms take this many bytes; null means that they are missing. */
  readonly termBytes: number | null;
}

export const NO_PAGE: IndexPage = {
  totals: { chunks: 0, terms: 0 },
  words: 0,
  vectors: 0,
  findings: [],
  next: null,
};

export interface RowsPage extends Pick<IndexPage, 'totals' | 'words' | 'vectors' | 'findings'> {
  readonly chunks: readonly ExaminedChunk[];
  readonly bodies: readonly BodyRow[];
  /** The page is complete up to this number, which is included. */
  readonly upTo: number;
}

/** Returns the number after which a page begins. */
export const startOf = (after: number | null): number => after ?? FROM;

/** Returns the number to ask for next, or null when this page is the last one. */
export const nextOf = ({ upTo }: RowsPage): number | null => (upTo === TO ? null : upTo);

/** Examines one page of an index that has no tables of its own beside the rows. */
export async function examinePage(
  db: Db,
  { collectionId, dimensions }: { readonly collectionId: string; readonly dimensions: number },
  after: number | null,
): Promise<IndexPage> {
  const index = await indexNumber(db, collectionId);
  if (index === undefined) return NO_PAGE;
  const of = { collectionId, index, dimensions };
  const page = await examineRows(db, of, { start: startOf(after), last: TO });
  const { totals, words, vectors, findings } = page;
  return { totals, words, vectors, findings, next: nextOf(page) };
}

/** Returns the rows of an index after `start`, up to and including `last` at most. */
export async function examineRows(
  db: Db,
  of: { readonly collectionId: string; readonly index: number; readonly dimensions: number },
  { start, last }: { readonly start: number; readonly last: number },
): Promise<RowsPage> {
  const after = Math.max(start, firstNumber(of.index) - 1);
  const end = Math.min(last + 1, endNumber(of.index));
  const read = {
    chunks: await chunksOf(db, of.collectionId, { after, end }),
    bodies: await bodiesOf(db, of.collectionId, { after, end }),
  };
  const upTo = Math.min(last, endOf(read.chunks), endOf(read.bodies));
  const chunks = read.chunks.filter(({ n }) => n <= upTo);
  const bodies = read.bodies.filter(({ n }) => n <= upTo);
  return {
    chunks,
    bodies,
    upTo,
    totals: {
      chunks: chunks.length,
      terms: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    },
    words: bodies.length,
    vectors: bodies.length,
    findings: [...findings(chunks, bodies, of.dimensions)],
  };
}

/**
 * Returns the number up to which a list is complete. More rows may exist after a list of EXAMINED rows, but not after a
 * shorter one.
 */
export const endOf = (rows: readonly { n: number }[]): number =>
  rows.length < EXAMINED ? TO : (rows.at(-1)?.n ?? TO);

/** Both numbers are excluded. */
interface Between {
  readonly after: number;
  readonly end: number;
}

const chunksOf = (
  db: Db,
  collectionId: string,
  { after, end }: Between,
): Promise<ExaminedChunk[]> =>
  db
    .selectFrom('chunks as c')
    .leftJoin('entities as e', (join) =>
      join.onRef('e.id', '=', 'c.entity').on('e.collection_id', '=', collectionId),
    )
    .select(['c.n', 'c.entity', 'c.length', 'c.connection_id', 'e.connection_id as owner'])
    .where('c.collection_id', '=', collectionId)
    .where('c.n', '>', after)
    .where('c.n', '<', end)
    .orderBy('c.n')
    .limit(EXAMINED)
    .execute();

const bodiesOf = (db: Db, collectionId: string, { after, end }: Between): Promise<BodyRow[]> =>
  db
    .selectFrom('chunk_bodies')
    .select(['n', 'scale', 'vector', sql<number | null>`length(terms)`.as('termBytes')])
    .where('collection_id', '=', collectionId)
    .where('n', '>', after)
    .where('n', '<', end)
    .orderBy('n')
    .limit(EXAMINED)
    .execute();

function* findings(
  chunks: readonly ExaminedChunk[],
  bodies: readonly BodyRow[],
  dimensions: number,
): Generator<IndexFinding> {
  const unmatched = new Map(chunks.map((chunk) => [chunk.n, chunk]));
  for (const { n, entity, connection_id, owner } of chunks)
    if (owner !== connection_id) yield { kind: 'chunk_without_entity', n, entity };
  for (const body of bodies) {
    const { n, termBytes } = body;
    const chunk = unmatched.get(n);
    if (!chunk) {
      yield { kind: 'body_without_chunk', n, entity: null };
      continue;
    }
    unmatched.delete(n);
    const { entity } = chunk;
    if (!isWhole(toVector(body), dimensions)) yield { kind: 'wrong_vector', n, entity };
    if (termBytes === null) yield { kind: 'chunk_without_words', n, entity };
    else if (termBytes !== chunk.length * Uint32Array.BYTES_PER_ELEMENT)
      yield { kind: 'wrong_words', n, entity };
  }
  for (const { n, entity } of unmatched.values()) yield { kind: 'chunk_without_body', n, entity };
}

/** Tells whether this is a unit vector of these dimensions, or the zeros of a text without words. */
function isWhole({ scale, values }: Vector, dimensions: number): boolean {
  if (values.length !== dimensions) return false;
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.abs(Math.sqrt(squares) * scale - 1) < ROUNDING || (squares === 0 && scale === 0);
}
