/**
 * The pool holds the best passages so far: every passage that a tool has returned, with its best score. Order and
 * ties are those of the standard search, so the first passages never depend on how many are asked for.
 */

import { keyOf } from '../access.ts';
import type { Passage } from '../passage.ts';
import { compareBytes } from '../rank.ts';

export interface Pool {
  add(passages: readonly Passage[]): void;
  /** Halves the scores of `shown` passages that are not `relevant`, until a later verdict calls them relevant. */
  judge(verdict: {
    readonly shown: readonly Passage[];
    readonly relevant: readonly Passage[];
  }): void;
  best(count: number): Passage[];
}

const IRRELEVANT = 0.5;

export function createPool(): Pool {
  const held = new Map<string, Passage>();
  const irrelevant = new Set<string>();
  const judged = (passage: Passage): Passage =>
    irrelevant.has(keyOf(passage.row))
      ? { ...passage, score: passage.score * IRRELEVANT }
      : passage;
  return {
    add(passages) {
      for (const passage of passages) {
        const key = keyOf(passage.row);
        const known = held.get(key);
        if (!known || known.score < passage.score) held.set(key, passage);
      }
    },
    judge({ shown, relevant }) {
      for (const { row } of shown) irrelevant.add(keyOf(row));
      for (const { row } of relevant) irrelevant.delete(keyOf(row));
    },
    best: (count) => inOrder([...held.values()].map(judged)).slice(0, count),
  };
}

const inOrder = (passages: readonly Passage[]): Passage[] =>
  [...passages].sort((a, b) => b.score - a.score || compareBytes(a.id, b.id));
