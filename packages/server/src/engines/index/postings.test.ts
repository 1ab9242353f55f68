/** Compares the lists of words in memory with maps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, random } from '../../test/random/random.ts';
import { createPostings, type Postings } from './postings.ts';
import { wordsMark } from './words-mark.ts';

/** The frequency of each term in each chunk, by the number of the term and the slot of the chunk. */
type Model = ReadonlyMap<number, ReadonlyMap<number, number>>;

interface Both {
  readonly postings: Postings;
  readonly model: Map<number, Map<number, number>>;
  add(slot: number, term: number, times?: number): void;
}

function both(): Both {
  const postings = createPostings();
  const model: Both['model'] = new Map();
  return {
    postings,
    model,
    add(slot, term, times = 1) {
      postings.add(slot, term, times);
      const list = model.get(term) ?? new Map<number, number>();
      list.set(slot, (list.get(slot) ?? 0) + times);
      model.set(term, list);
    },
  };
}

const entriesIn = (postings: Postings, term: number): [number, number][] => {
  const { slots, frequencies, length } = postings.read(term);
  return Array.from({ length }, (_, i) => [slots[i]!, frequencies[i]!]);
};

const bytesOf = ({ buffer }: Uint32Array): Uint8Array => new Uint8Array(buffer);

/** Names the terms whose lists are wrong, because a difference of long lists takes minutes to print. */
function assertHolds(postings: Postings, model: Model): void {
  const isWrong = (term: number) =>
    entriesIn(postings, term).join() !== [...(model.get(term) ?? [])].join();
  assert.deepEqual([...model.keys()].filter(isWrong), []);
}

/** Few terms are in many chunks, and many terms are in few of them, as in real texts. */
const someTerm = (chance: Random): number =>
  Math.imul(Math.floor(chance.next() ** 4 * 3000), 0x9e3779b1) >>> 0;

/** Adds chunks, whose terms come in any order and may come again. */
function addChunks(to: Both, chance: Random, chunks: number, distance = () => 1): number[] {
  const added: number[] = [];
  let slot = -1;
  for (let i = 0; i < chunks; i++) {
    slot += distance();
    added.push(slot);
    for (let left = chance.below(40); left > 0; left--) to.add(slot, someTerm(chance));
  }
  return added;
}

describe('the words of a collection in memory', () => {
  for (const seed of [1, 2, 3])
    it(`are in the lists of their terms, as often as each chunk has them (seed ${seed})`, () => {
      const chance = random(seed);
      const made = both();
      addChunks(made, chance, 4000);
      const lengths = [...made.model.values()].map((list) => list.size);
      assert.ok(Math.max(...lengths) > 3000 && lengths.includes(1));
      assertHolds(made.postings, made.model);
      assert.equal(made.postings.read(12345).length, 0, 'no chunk has this term');
    });

  it('can be read at any time while chunks are added', () => {
    const chance = random(4);
    const made = both();
    const terms = [7, 0, 2 ** 32 - 1];
    for (let slot = 0; slot < 300; slot++) {
      for (const term of terms) if (chance.below(3) > 0) made.add(slot, term);
      made.add(slot, slot * 1000 + 1);
      assertHolds(made.postings, made.model);
    }
  });

  it('are in lists of many pieces, which lie between those of other lists', () => {
    const made = both();
    for (let slot = 0; slot < 30_000; slot++)
      for (const [i, every] of [1, 2, 3, 70].entries())
        if (slot % every === 0) made.add(slot, i, 1 + (slot % (i + 2)));
    assertHolds(made.postings, made.model);
  });

  it('keep frequencies and distances of every length in bytes', () => {
    const chance = random(5);
    const made = both();
    const edges = [1, 2, 63, 64, 127, 128, 8191, 8192, 16_383, 16_384, 2 ** 20 - 1, 2 ** 20];
    const frequencies = [...edges, 2 ** 21 - 1, 2 ** 21, 2 ** 28 - 1];
    let slot = 0;
    for (let i = 0; i < 400; i++) {
      slot += chance.pick(edges);
      for (const term of [1, 2, 3])
        if (chance.below(4) > 0) made.add(slot, term, chance.pick(frequencies));
    }
    assert.ok(slot < 2 ** 27);
    assertHolds(made.postings, made.model);
  });

  it('are in lists whose pieces lie beyond 16 MB', () => {
    const postings = createPostings();
    const chunks = 3_500_000;
    for (let slot = 0; slot < chunks; slot++) postings.add(slot, slot % 2, 2 ** 28 - 1);
    assert.ok(postings.bytes > 2 ** 24);
    for (const term of [0, 1]) {
      const { slots, frequencies, length } = postings.read(term);
      assert.equal(length, chunks / 2);
      let wrong = 0;
      for (let i = 0; i < length; i++)
        if (slots[i] !== 2 * i + term || frequencies[i] !== 2 ** 28 - 1) wrong++;
      assert.equal(wrong, 0);
    }
  });

  it('reach to the last slot, and refuse the one behind it', () => {
    const made = both();
    const last = 2 ** 27 - 2;
    for (const slot of [last - 2, last - 1, last]) made.add(slot, 5, 2 ** 28 - 1);
    made.add(last - 1, 6, 2);
    made.add(last, 6);
    assertHolds(made.postings, made.model);
    assert.throws(
      () => made.postings.add(last + 1, 5, 1),
      /slot 134217727 is beyond the words of a collection/,
    );
    assertHolds(made.postings, made.model);
  });

  it('count a term of a chunk up to a limit, beyond which the list stays whole', () => {
    const postings = createPostings();
    const most = 2 ** 28 - 1;
    for (let slot = 0; slot < 40; slot++) {
      postings.add(slot, 5, most - 1);
      for (let i = 0; i < 3; i++) postings.add(slot, 5, 1);
    }
    const expected = Array.from({ length: 40 }, (_, slot) => [slot, most]);
    assert.deepEqual(entriesIn(postings, 5), expected);
  });

  it('stay where removed chunks were between them, and have the new slots', () => {
    const chance = random(6);
    const made = both();
    const slots = addChunks(made, chance, 3000, () => 1 + chance.below(3));
    made.add(slots.at(-1)! + 1, 77, 500);
    const slotOf = new Int32Array(slots.at(-1)! + 2).fill(-1);
    let kept = 0;
    for (const slot of [...slots, slots.at(-1)! + 1])
      if (chance.below(3) > 0) slotOf[slot] = kept++;
    const compacted = made.postings.compacted(slotOf);
    const moved = new Map(
      [...made.model].map(([term, list]) => [
        term,
        new Map([...list].flatMap(([slot, n]) => (slotOf[slot]! < 0 ? [] : [[slotOf[slot]!, n]]))),
      ]),
    );
    assert.ok([...moved.values()].some((list) => list.size === 0));
    assertHolds(compacted, moved);
    assertHolds(made.postings, made.model);
    for (let slot = kept; slot < kept + 50; slot++) {
      const term = someTerm(chance);
      compacted.add(slot, term, 1);
      moved.set(term, (moved.get(term) ?? new Map()).set(slot, 1));
    }
    assertHolds(compacted, moved);
  });

  it('are the same when many chunks are added at once', () => {
    const chance = random(9);
    const made = both();
    const atOnce = createPostings();
    for (let first = 0; first < 4000; ) {
      const chunks = Array.from({ length: chance.below(700) }, () =>
        Uint32Array.from({ length: chance.below(50) }, () => someTerm(chance)),
      );
      chunks.forEach((terms, i) => {
        for (const term of terms) made.add(first + i, term);
      });
      atOnce.addAll(first, chunks.map(bytesOf));
      first += chunks.length;
    }
    assertHolds(atOnce, made.model);
    // The bytes begin at an odd address, and end within a number.
    const odd = [9, ...bytesOf(Uint32Array.of(7, 2 ** 32 - 1, 0, 7)), 1, 2];
    const cut = new Uint8Array(odd).subarray(1);
    atOnce.addAll(5000, [cut, new Uint8Array(), bytesOf(Uint32Array.of(0))]);
    assert.deepEqual(entriesIn(atOnce, 2 ** 32 - 1), [[5000, 1]]);
    assert.deepEqual(entriesIn(atOnce, 7), [[5000, 2]]);
    assert.deepEqual(entriesIn(atOnce, 0).slice(-2), [
      [5000, 1],
      [5002, 1],
    ]);
  });

  it('give back the room of removed chunks', () => {
    const made = both();
    addChunks(made, random(7), 3000);
    const slotOf = new Int32Array(3000).fill(-1);
    slotOf[2999] = 0;
    assert.ok(made.postings.compacted(slotOf).bytes < made.postings.bytes / 10);
  });

  it('have the mark of the terms of each chunk', () => {
    const chance = random(8);
    const { postings, add } = both();
    const chunks: Uint32Array[] = [];
    for (let slot = 0; slot < 500; slot++) {
      const terms = Uint32Array.from({ length: chance.below(60) }, () => someTerm(chance));
      if (slot % 50 === 0) terms.fill(terms[0] ?? 0);
      for (const term of terms) add(slot, term);
      chunks.push(terms);
    }
    const marks = postings.marks(501);
    assert.deepEqual([...marks], [...chunks.map(wordsMark), 0]);
    assert.ok(new Set(marks).size > 450);
  });
});

describe('the mark of a list of terms', () => {
  const mark = (...terms: number[]) => wordsMark(Uint32Array.from(terms));

  it('does not depend on their order', () => {
    const terms = Array.from({ length: 200 }, (_, i) => Math.imul(i % 70, 0x9e3779b1) >>> 0);
    assert.equal(mark(...terms), mark(...terms.toReversed()));
  });

  it('depends on every term and on how often it comes', () => {
    const marks = [mark(), mark(1), mark(2), mark(1, 1), mark(1, 2), mark(1, 1, 2), mark(1, 2, 2)];
    assert.equal(new Set(marks).size, marks.length);
    assert.notEqual(mark(10, 20), mark(11, 19), 'with the same sum');
  });
});
