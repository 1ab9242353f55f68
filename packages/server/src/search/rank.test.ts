import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  BAND,
  bands,
  bandsPerWindow,
  type Ceiling,
  type Columns,
  defaultWeights,
  depthFor,
  endOf,
  type Features,
  noCeiling,
  type PlacedItem,
  place,
  RERANK,
  type Scored,
  type Strategy,
  weightedMeans,
  withRecency,
} from './rank.ts';

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const scored = (id: string, score: number, updatedAt: number | null = null): Scored => ({
  n: 1,
  id,
  score,
  updatedAt,
});
const shown = (items: readonly PlacedItem<Scored>[]) => items.map(({ id, score }) => [id, score]);
const ids = (items: readonly Scored[]) => items.map(({ id }) => id);
/** Ranks a window that has one band. */
const ranked = (band: readonly Scored[], ceiling: Ceiling, bias: number) =>
  withRecency(place(band, ceiling), ceiling, bias);
const all = (value: number) =>
  Object.fromEntries(Object.keys(RERANK).map((name) => [name, value])) as unknown as Features;
/** Returns the weighted mean of one row. */
function mean<Name extends string>(values: Record<Name, number>, weights: Record<Name, number>) {
  const rows = Object.entries<number>(values).map(([name, value]) => [
    name,
    Float64Array.of(value),
  ]);
  return weightedMeans(Object.fromEntries(rows) as Columns<Name>, weights)[0]!;
}
const nothing = all(0);
const everything = all(1);

describe('bands', () => {
  it('[SRH-19] a band has the next 200 candidates of every arm, without those of earlier bands', () => {
    const words = range(0, 450);
    const meanings = range(100, 350);
    const [first, second, third, ...more] = bands([words, meanings]);
    assert.deepEqual(first, range(0, 300));
    assert.deepEqual(second, range(300, 400));
    assert.deepEqual(third, range(400, 450));
    assert.deepEqual(more, []);
  });

  it('[SRH-19] continues with the other arms when one arm ends, and a band may be empty', () => {
    assert.deepEqual(bands([range(0, 10), range(0, 201)]), [range(0, 200), [200]]);
    assert.deepEqual(bands([range(0, 400), range(200, 400)]), [range(0, 400), []]);
    assert.deepEqual(bands([[], []]), []);
    assert.deepEqual(bands([]), []);
  });

  it('[SRH-18] a longer candidate list begins with the same bands', () => {
    const words = range(0, 600);
    const meanings = range(300, 900);
    const shallow = bands([words.slice(0, BAND), meanings.slice(0, BAND)]);
    assert.deepEqual(bands([words, meanings]).slice(0, 1), shallow);
  });

  it('[SRH-18] the depth is the smallest number of whole windows that covers the page', () => {
    assert.deepEqual(
      [0, 1, 200, 201, 1000, 5000].map((results) => depthFor(results, 1)),
      [200, 200, 200, 400, 1000, 5000],
    );
    assert.deepEqual(
      [1, 1000, 1001].map((results) => depthFor(results, 5)),
      [1000, 1000, 2000],
    );
    assert.deepEqual([0, 0.001, 1].map(bandsPerWindow), [1, 5, 5]);
  });
});

describe('place', () => {
  it('[SRH-26] sorts by score, then by the bytes of the id', () => {
    const items = [scored('b', 0.5), scored('a', 0.5), scored('z', 0.9), scored('B', 0.5)];
    assert.deepEqual(ids(place(items, noCeiling)), ['z', 'B', 'a', 'b']);
    // In UTF-16, the emoji would come first.
    const wide = [scored('\u{1f600}', 0.5), scored('\uffee', 0.5)];
    assert.deepEqual(ids(place(wide, noCeiling)), ['\uffee', '\u{1f600}']);
  });

  it('puts the chunk that was written first before another chunk with the same id', () => {
    const items = [
      { ...scored('a', 0.5), n: 2 },
      { ...scored('a', 0.5), n: 1 },
    ];
    assert.deepEqual(
      place(items, noCeiling).map(({ n }) => n),
      [1, 2],
    );
  });

  it('[SRH-23] scores a later band below the end of the previous band, in its own order', () => {
    const first = place([scored('a', 0.8), scored('b', 0.4)], noCeiling);
    const ceiling = endOf(first, noCeiling);
    assert.deepEqual(ceiling, { beforeRecency: 0.4, score: 0.4 });
    const items = [scored('c', 0.9), scored('d', 0.6), scored('e', 0.6), scored('f', 0.1)];
    const second = place(items, ceiling);
    const [c = 0, d = 0, e = 0, f] = second.map(({ score }) => score);
    assert.deepEqual(ids(second), ['c', 'd', 'e', 'f']);
    assert.ok(c < 0.4 && d < c && c > 0.3999 && d > 0.3999);
    assert.equal(e, d);
    assert.equal(f, 0.1);
    assert.deepEqual(
      second.map(({ beforeRecency }) => beforeRecency),
      [c, d, e, f],
    );
  });

  it('[SRH-26] scores an item below the end of the previous band when both are equal', () => {
    const [item] = place([scored('a', 0.4)], { beforeRecency: 0.4 });
    assert.ok((item?.score ?? 1) < 0.4);
  });

  it('an empty band does not change the ceiling', () => {
    const before = { beforeRecency: 0.5, score: 0.6 };
    assert.deepEqual(endOf([], before), before);
  });

  it('[SRH-28] ranks by (1-b)·score + b·r, where r is 0 without a date', () => {
    const items = [
      scored('old', 0.8, 1000),
      scored('new', 0.4, 3000),
      scored('none', 0.6),
      scored('mid', 0.2, 2000),
    ];
    const half = ranked(items, noCeiling, 0.5);
    assert.deepEqual(shown(half), [
      ['new', 0.5 * 0.4 + 0.5],
      ['old', 0.5 * 0.8 + 0.5 / 3],
      ['mid', 0.5 * 0.2 + 0.5 * (2 / 3)],
      ['none', 0.3],
    ]);
    assert.deepEqual(
      half.map(({ beforeRecency }) => beforeRecency),
      [0.4, 0.8, 0.2, 0.6],
    );
    assert.deepEqual(endOf(half, noCeiling), { beforeRecency: 0.2, score: 0.3 });
  });

  it('[SRH-28] b = 1 ranks by date only, and equal dates have equal scores', () => {
    const items = [
      scored('b', 0.1, 2000),
      scored('a', 0.9, 2000),
      scored('c', 1, 1000),
      scored('d', 0.5),
      scored('e', 0.2, 3000),
    ];
    assert.deepEqual(shown(ranked(items, noCeiling, 1)), [
      ['e', 1],
      ['a', 2 / 3],
      ['b', 2 / 3],
      ['c', 1 / 3],
      ['d', 0],
    ]);
  });

  it('[SRH-28] the beginning of 1970 is a date', () => {
    const items = [scored('a', 0.5), scored('b', 0.5, 0)];
    assert.deepEqual(shown(ranked(items, noCeiling, 1)), [
      ['b', 1],
      ['a', 0],
    ]);
  });

  it('[SRH-23] scores lie in [0, 1] and never rise, for any content of the bands', () => {
    const item = fc.record({
      n: fc.nat(),
      id: fc.string({ maxLength: 3 }),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      updatedAt: fc.option(fc.nat(5)),
    });
    const list = fc.array(fc.array(item, { maxLength: 8 }), { maxLength: 5 });
    const bias = fc.constantFrom(0, 0.3, 1);
    fc.assert(
      fc.property(list, bias, (many, recencyBias) => {
        let ceiling = noCeiling;
        const all: PlacedItem<Scored>[] = [];
        for (const band of many) {
          const placed = ranked(band, ceiling, recencyBias);
          ceiling = endOf(placed, ceiling);
          all.push(...placed);
        }
        for (let i = 0; i < all.length; i++) {
          const score = all[i]?.score ?? Number.NaN;
          assert.ok(score >= 0 && score <= 1);
          assert.ok(i === 0 || score <= (all[i - 1]?.score ?? 0));
        }
      }),
    );
  });
});

describe('the weights of scores', () => {
  it('[SRH-06] make hybrid the weighted mean of both arms, and the other strategies one arm', () => {
    const fuse = (strategy: Strategy, lexical: number, meaning: number) =>
      mean({ lexical, meaning }, defaultWeights({ isBuiltIn: true }).fusion[strategy]);
    assert.equal(fuse('keyword', 0.4, 0.9), 0.4);
    assert.equal(fuse('neural', 0.4, 0.9), 0.9);
    assert.equal(fuse('hybrid', 0.6, 0.6), 0.6);
    assert.equal(fuse('hybrid', 1, 0), 1 / 1.2);
    assert.equal(fuse('hybrid', 0, 1), 0.2 / 1.2);
  });

  it('[SRH-24] make the reranker reach 1 only when every feature is 1', () => {
    assert.equal(mean(nothing, RERANK), 0);
    assert.equal(mean(everything, RERANK), 1);
    for (const name of Object.keys(nothing) as (keyof Features)[]) {
      const one = mean({ ...nothing, [name]: 1 }, RERANK);
      assert.ok(one > 0 && one < 0.5, name);
      assert.ok(mean({ ...everything, [name]: 0 }, RERANK) < 1, name);
    }
  });

  it('[SRH-10] give meaning more weight with a model that the operator has chosen', () => {
    const [own, other] = [true, false].map((isBuiltIn) => defaultWeights({ isBuiltIn }));
    assert.ok(own && other);
    assert.deepEqual(own.rerank, RERANK);
    assert.deepEqual({ ...other.rerank, meaning: RERANK.meaning }, RERANK);
    assert.ok(other.rerank.meaning > own.rerank.meaning);
    assert.ok(other.fusion.hybrid.meaning > own.fusion.hybrid.meaning);
    for (const alone of ['keyword', 'neural'] as const)
      assert.deepEqual(other.fusion[alone], own.fusion[alone]);
  });
});
