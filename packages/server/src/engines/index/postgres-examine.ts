/**
 * The tables of a form against the chunks: each has one row a chunk, that of pgvector one for each that
 * has a direction. See postgres-forms.ts.
 */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import type { IndexFault, IndexFinding } from '../ports.ts';
import { EXAMINED } from './examine.ts';
import type { Forms } from './postgres-forms.ts';

export interface FormRows {
  readonly missing: IndexFault;
  readonly orphan: IndexFault;
  /** Whether chunks without a direction are in it. */
  readonly holdsUndirected: boolean;
  readonly rows: readonly { readonly n: number }[];
}

const OF_WORDS = {
  missing: 'chunk_without_words',
  orphan: 'words_without_chunk',
  holdsUndirected: true,
} as const;
const OF_VECTORS = {
  missing: 'wrong_vector',
  orphan: 'body_without_chunk',
  holdsUndirected: false,
} as const;

/** The first rows of each table after a number; those of the words come first. */
export async function formRows(
  db: Db,
  index: number,
  forms: Forms,
  after: number,
): Promise<FormRows[]> {
  const tables = [
    { name: `words_${index}`, ...OF_WORDS },
    ...(forms.words === 'bm25' ? [{ name: `bm25_${index}`, ...OF_WORDS }] : []),
    ...(forms.vectors === 'hnsw' ? [{ name: `vectors_${index}`, ...OF_VECTORS }] : []),
  ];
  const read: FormRows[] = [];
  for (const { name, ...kinds } of tables) {
    const { rows } = await sql<{ n: number }>`
      select n from ${sql.id(name)}
      where n > ${after} order by n limit ${sql.lit(EXAMINED)}`.execute(db);
    read.push({ ...kinds, rows });
  }
  return read;
}

export function* formFindings(
  chunks: readonly { readonly n: number; readonly entity: string }[],
  { missing, orphan, holdsUndirected, rows }: FormRows,
  undirected: ReadonlySet<number>,
): Generator<IndexFinding> {
  const known = new Map(chunks.map(({ n, entity }) => [n, entity]));
  for (const { n } of rows) if (!known.delete(n)) yield { kind: orphan, n, entity: null };
  for (const [n, entity] of known)
    if (holdsUndirected || !undirected.has(n)) yield { kind: missing, n, entity };
}
