/** A passage is a chunk that a search found, with its score. Answers are made from passages. */
import { idOf } from './read.ts';
import type { ChunkRow } from './store.ts';

export interface Passage {
  /** This is the id of the chunk that callers see. */
  readonly id: string;
  /** The score is a number from 0 to 1. */
  readonly score: number;
  readonly row: ChunkRow;
}

export const toPassage = (row: ChunkRow, score: number): Passage => ({ id: idOf(row), score, row });

/** A draft is an answer, each of its sentences followed by the ids of chunks in brackets. */
export interface Draft {
  readonly text: string;
  /** The answer rests on these chunks; their ids are in the order of their first mention. */
  readonly citations: readonly string[];
}
