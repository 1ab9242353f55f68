import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Atoms, RepeatedHeader } from './atoms.ts';
import { pack } from './pack.ts';

interface Atom {
  words: number;
  characters?: number;
  cut?: number;
  keep?: number;
  header?: RepeatedHeader;
}

/** Returns the running totals: 0, and the sum after each number. */
function sums(numbers: readonly number[]): number[] {
  const all = [0];
  for (const n of numbers) all.push(all.at(-1)! + n);
  return all;
}

function packed(...list: Atom[]): number[] {
  const atoms: Atoms = {
    count: list.length,
    offsets: sums(list.map(({ characters = 0 }) => characters)),
    words: sums(list.map(({ words }) => words)),
    cuts: list.map(({ cut = 0 }) => cut),
    keeps: list.map(({ keep = 0 }) => keep),
    headers: list.map(({ header = null }) => header),
  };
  return pack(atoms);
}
const dear = 1_000;

describe('pack', () => {
  it('makes no piece of no atom, and one piece of one atom', () => {
    assert.deepEqual(packed(), []);
    assert.deepEqual(packed({ words: 1 }), [0]);
  });

  it('finds the best sizes', () => {
    const ten = Array.from({ length: 32 }, () => ({ words: 10 }));
    assert.deepEqual(packed(...ten), [0, 16]); // The pieces have 160 and 160 words.
    const fiftyFive = Array.from({ length: 8 }, () => ({ words: 55 }));
    assert.deepEqual(packed(...fiftyFive), [0, 3, 6]); // The pieces have 165, 165 and 110 words, not 220 and 220.
  });

  it('puts at most 300 words into a piece', () => {
    assert.deepEqual(packed({ words: 150, cut: dear }, { words: 150 }), [0]);
    assert.deepEqual(packed({ words: 150, cut: dear }, { words: 151 }), [0, 1]);
  });

  it('puts at most 2,000 characters into a piece', () => {
    const piece = (characters: number) =>
      packed({ words: 1, characters: 1_000, cut: dear }, { words: 1, characters });
    assert.deepEqual(piece(1_000), [0]);
    assert.deepEqual(piece(1_001), [0, 1]);
  });

  it('counts at least one word for every eight characters', () => {
    // 1,280 characters are 160 words, however few words there are.
    const long = Array.from({ length: 32 }, () => ({ words: 1, characters: 80 }));
    assert.deepEqual(packed(...long), [0, 16]);
  });

  it('counts the header at the beginning of a piece', () => {
    const header = { text: 'h'.repeat(100), words: 30 };
    const rows = (repeated: RepeatedHeader[]) =>
      packed(
        { words: 200, cut: dear },
        ...[0, 1].map(() => ({
          words: 140,
          cut: dear,
          ...(repeated[0] && { header: repeated[0] }),
        })),
      );
    assert.deepEqual(rows([]), [0, 1]);
    assert.deepEqual(rows([header]), [0, 1, 2]);
    const wide = { text: 'h'.repeat(100), words: 0 };
    const characters = (headers: { header?: RepeatedHeader }) =>
      packed(
        { words: 1, characters: 1_950, cut: dear },
        { words: 1, characters: 975, cut: dear, ...headers },
        { words: 1, characters: 975 },
      );
    assert.deepEqual(characters({}), [0, 1]);
    assert.deepEqual(characters({ header: wide }), [0, 1, 2]);
  });

  it('compares the price of a cut with the price of the size', () => {
    const two = (cut: number) => packed({ words: 120, cut }, { words: 120 });
    // Together they have 240 words and cost (80 / 40)² = 4. Apart they have 120 words each, and
    // cost 2 plus the cut.
    assert.deepEqual(two(1.9), [0, 1]);
    assert.deepEqual(two(2.1), [0]);
  });

  it('compares the price of a boundary within a piece with the price of the size', () => {
    const two = (keep: number) => packed({ words: 100, keep }, { words: 100 });
    // Together they have 200 words and cost 1 plus the boundary. Apart they have 100 words each,
    // and cost 4.5.
    assert.deepEqual(two(3.4), [0]);
    assert.deepEqual(two(3.6), [0, 1]);
  });

  it('adds up the boundaries within a piece', () => {
    const three = (keep: number) =>
      packed({ words: 60, keep }, { words: 60, keep, cut: dear }, { words: 60 });
    // All atoms together have 180 words and cost 0.25 plus both boundaries. With the first atom
    // apart the price is 6.25 + 1 plus one boundary.
    assert.deepEqual(three(6.9), [0]);
    assert.deepEqual(three(7.1), [0, 1]);
  });

  it('adds the price of a boundary only when it is within a piece', () => {
    const three = packed(
      { words: 160, keep: dear },
      { words: 80, keep: 0 },
      { words: 80, keep: dear },
    );
    assert.deepEqual(three, [0, 1]);
  });

  it('makes a piece of an atom that is larger than the limit', () => {
    assert.deepEqual(packed({ words: 250 }, { words: 250 }), [0, 1]);
  });
});
