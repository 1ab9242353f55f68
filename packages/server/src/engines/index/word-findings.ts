/** Compares the words of a collection with its chunks. */
import type { IndexFinding } from '../ports.ts';

export interface WordsRow {
  readonly n: number;
  /** The index has this many terms of the chunk. */
  readonly terms: number;
  /** The chunk may have more terms, because the index does not count further. */
  readonly orMore?: boolean;
}

export function* wordFindings(
  chunks: readonly { readonly n: number; readonly entity: string; readonly length: number }[],
  words: readonly WordsRow[],
): Generator<IndexFinding> {
  const known = new Map(chunks.map((chunk) => [chunk.n, chunk]));
  for (const row of words) {
    const { n } = row;
    const chunk = known.get(n);
    if (!chunk) yield { kind: 'words_without_chunk', n, entity: null };
    else if (!agree(chunk.length, row)) yield { kind: 'wrong_words', n, entity: chunk.entity };
    known.delete(n);
  }
  for (const { n, entity } of known.values()) yield { kind: 'chunk_without_words', n, entity };
}

const agree = (length: number, { terms, orMore }: WordsRow): boolean =>
  terms === length || (orMore === true && terms < length);
