/** A passage is a chunk that was found, as what reads and answers takes it. */
import { idOf } from './read.ts';
import type { ChunkRow } from './store.ts';

export interface Passage {
  /** It is the chunk's id, as the outside sees it. */
  readonly id: string;
  /** It lies from 0 to 1. */
  readonly score: number;
  readonly row: ChunkRow;
}

export const toPassage = (row: ChunkRow, score: number): Passage => ({ id: idOf(row), score, row });

/** A draft is an answer, each of its sentences followed by the ids of chunks in brackets. */
export interface Draft {
  readonly text: string;
  /** These are the ids of the chunks that it rests on, in the order in which they first come. */
  readonly citations: readonly string[];
}
