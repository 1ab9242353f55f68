/** Compares the copy of a collection in memory with the rows from which it was read. */
import type { Db } from '../../db/schema.ts';
import type { Vector } from '../../model/vector.ts';
import type { IndexFinding, MemoryPage } from '../ports.ts';
import { EXAMINED } from './examine.ts';
import { numbersIn, toVector } from './rows.ts';
import { wordsMark } from './words-mark.ts';

/** The comparison needs only this method of a copy in memory. */
export interface MemoryCopy {
  /** Yields the chunks between two numbers (both excluded), in order. */
  between(after: number, end: number): Iterable<CopiedChunk>;
}

interface CopiedChunk {
  readonly n: number;
  readonly connection: string;
  /** The vector is missing where the copy holds none. */
  readonly vector?: Vector;
  /** This is the `wordsMark` of the chunk's terms. It is missing where the copy holds no numbers of terms. */
  readonly wordsMark?: number;
}

export interface StoredChunk {
  readonly n: number;
  readonly entity: string;
  readonly connection_id: string;
  readonly scale: number;
  readonly vector: Uint8Array;
  /** These are the bytes of `termNumbers`. */
  readonly terms: Uint8Array | null;
}

export const NOT_HELD: MemoryPage = { compared: 0, findings: [], next: null };

/** Reads the first EXAMINED rows between two numbers (both excluded), for `compareMemory`. */
export const storedChunks = (
  db: Db,
  collectionId: string,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<StoredChunk[]> =>
  db
    .selectFrom('chunks as c')
    .innerJoin('chunk_bodies as b', 'b.n', 'c.n')
    .select(['c.n', 'c.entity', 'c.connection_id', 'b.scale', 'b.vector', 'b.terms'])
    .where('c.collection_id', '=', collectionId)
    .where('b.collection_id', '=', collectionId)
    .where('c.n', '>', start)
    .where('c.n', '<', end)
    .orderBy('c.n')
    .limit(EXAMINED)
    .execute();

/** `rows` are the first EXAMINED rows between `start` and `end`. */
export function compareMemory(
  copy: MemoryCopy,
  rows: readonly StoredChunk[],
  { start, end }: { readonly start: number; readonly end: number },
): MemoryPage {
  const next = rows.length < EXAMINED ? null : (rows.at(-1)?.n ?? null);
  const stored = new Map(rows.map((row) => [row.n, row]));
  const findings: IndexFinding[] = [];
  const wrong = (n: number, entity: string | null) =>
    findings.push({ kind: 'wrong_memory', n, entity });
  for (const chunk of copy.between(start, next === null ? end : next + 1)) {
    const { n } = chunk;
    const row = stored.get(n);
    stored.delete(n);
    if (!row) wrong(n, null);
    else if (!isCopyOf(chunk, row)) wrong(n, row.entity);
  }
  for (const { n, entity } of stored.values()) wrong(n, entity);
  return { compared: rows.length, findings, next };
}

const isCopyOf = ({ connection, vector, wordsMark: mark }: CopiedChunk, row: StoredChunk) =>
  connection === row.connection_id &&
  (vector === undefined || same(vector, toVector(row))) &&
  (mark === undefined || mark === markOf(row.terms));

/** No copy has the mark of a part of a number, because such terms cannot be read. */
function markOf(terms: Uint8Array | null): number | undefined {
  if (terms === null) return wordsMark(new Uint32Array());
  return terms.length % Uint32Array.BYTES_PER_ELEMENT === 0
    ? wordsMark(numbersIn(terms))
    : undefined;
}

const same = (a: Vector, b: Vector): boolean =>
  a.scale === b.scale && a.values.every((value, i) => value === b.values[i]);
