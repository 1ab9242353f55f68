/**
 * Looks for rows of the search index that cannot be while every write is one transaction: what a
 * damaged disk, a hand in the database or a mistake of ours has left behind.
 */
import type { Db } from '../../db/schema.ts';
import type { Vector } from '../../model/vector.ts';
import type { IndexFinding, IndexPage } from '../ports.ts';
import { toVector } from './rows.ts';

/** Rows a statement. */
export const EXAMINED = 500;
/** A unit vector is of this length after it was rounded to int8. */
const ROUNDING = 0.1;

interface ChunkRow {
  readonly n: number;
  readonly entity: string;
  readonly length: number;
  readonly connection_id: string;
  /** Connection of the entity; null when there is no such entity. */
  readonly owner: string | null;
}

export const NO_PAGE: IndexPage = {
  totals: { chunks: 0, terms: 0 },
  words: 0,
  vectors: 0,
  findings: [],
  next: null,
};

export interface RowsPage extends Pick<IndexPage, 'totals' | 'vectors' | 'findings'> {
  readonly chunks: readonly ChunkRow[];
  /** Number up to which, and with which, this page says everything. */
  readonly upTo: number;
  /** Chunks whose vector has no direction: no index of neighbours holds them. */
  readonly undirected: ReadonlySet<number>;
}

/** The rows after `start`, up to and with `last` at most. */
export async function examineRows(
  db: Db,
  dimensions: number,
  { start, last }: { readonly start: number; readonly last: number },
): Promise<RowsPage> {
  const read = { chunks: await chunksOf(db, start, last), bodies: await bodiesOf(db, start, last) };
  const upTo = Math.min(endOf(read.chunks, last), endOf(read.bodies, last));
  const chunks = read.chunks.filter(({ n }) => n <= upTo);
  const bodies = read.bodies.filter(({ n }) => n <= upTo);
  return {
    chunks,
    upTo,
    totals: {
      chunks: chunks.length,
      terms: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    },
    vectors: bodies.length,
    undirected: new Set(bodies.filter(({ scale }) => scale === 0).map(({ n }) => n)),
    findings: [...findings(chunks, bodies, dimensions)],
  };
}

/** A full list ends where its last row stands. */
export const endOf = (rows: readonly { n: number }[], last: number): number =>
  rows.length < EXAMINED ? last : (rows.at(-1)?.n ?? last);

const chunksOf = (db: Db, after: number, last: number): Promise<ChunkRow[]> =>
  db
    .selectFrom('chunks as c')
    .leftJoin('entities as e', 'e.id', 'c.entity')
    .select(['c.n', 'c.entity', 'c.length', 'c.connection_id', 'e.connection_id as owner'])
    .where('c.n', '>', after)
    .where('c.n', '<=', last)
    .orderBy('c.n')
    .limit(EXAMINED)
    .execute();

const bodiesOf = (db: Db, after: number, last: number) =>
  db
    .selectFrom('chunk_bodies')
    .select(['n', 'scale', 'vector'])
    .where('n', '>', after)
    .where('n', '<=', last)
    .orderBy('n')
    .limit(EXAMINED)
    .execute();

function* findings(
  chunks: readonly ChunkRow[],
  bodies: readonly { n: number; scale: number; vector: Uint8Array }[],
  dimensions: number,
): Generator<IndexFinding> {
  const entities = new Map(chunks.map(({ n, entity }) => [n, entity]));
  for (const { n, entity, connection_id, owner } of chunks)
    if (owner !== connection_id) yield { kind: 'chunk_without_entity', n, entity };
  for (const body of bodies) {
    const { n } = body;
    const entity = entities.get(n);
    if (entity === undefined) yield { kind: 'body_without_chunk', n, entity: null };
    else if (!isWhole(toVector(body), dimensions)) yield { kind: 'wrong_vector', n, entity };
    entities.delete(n);
  }
  for (const [n, entity] of entities) yield { kind: 'chunk_without_body', n, entity };
}

/** A unit vector of these dimensions, or the zeros of a text without words. */
function isWhole({ scale, values }: Vector, dimensions: number): boolean {
  if (values.length !== dimensions) return false;
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.abs(Math.sqrt(squares) * scale - 1) < ROUNDING || (squares === 0 && scale === 0);
}
