/**
 * Compares the number of terms that the index has of each chunk with the length of the chunk. Reports each chunk with a
 * difference, each chunk without words, and words whose chunk does not exist.
 */
import type { IndexFinding } from '../ports.ts';
import type { ExaminedChunk } from './examine.ts';

export interface WordsRow {
  /** This is the number of the chunk. */
  readonly n: number;
  /** The index has this many terms of the chunk. */
  readonly terms: number;
  /** If true, the chunk may have more than `terms`, because the index counts each term only up to a limit. */
  readonly isLowerBound?: boolean;
}

export function* wordFindings(
  chunks: readonly Pick<ExaminedChunk, 'n' | 'entity' | 'length'>[],
  words: readonly WordsRow[],
): Generator<IndexFinding> {
  const unmatched = new Map(chunks.map((chunk) => [chunk.n, chunk]));
  for (const row of words) {
    const { n } = row;
    const chunk = unmatched.get(n);
    if (!chunk) yield { kind: 'words_without_chunk', n, entity: null };
    else if (!agree(chunk.length, row)) yield { kind: 'wrong_words', n, entity: chunk.entity };
    unmatched.delete(n);
  }
  for (const { n, entity } of unmatched.values()) yield { kind: 'chunk_without_words', n, entity };
}

const agree = (length: number, { terms, isLowerBound }: WordsRow): boolean =>
  terms === length || (isLowerBound === true && terms < length);
