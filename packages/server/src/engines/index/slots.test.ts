import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cosine, quantize } from '../../model/vector.ts';
import { type Random, random } from '../../test/random/random.ts';
import { plainScan, simdScan } from '../kernel.ts';
import { createSlots, type Slots } from './slots.ts';

const DIMENSIONS = 20;
const vector = (chance: Random) =>
  Float32Array.from({ length: DIMENSIONS }, () => chance.next() - 0.4);

for (const [name, scanOver] of [
  ['WebAssembly', simdScan],
  ['JavaScript', plainScan],
] as const)
  describe(`slots scanned in ${name}`, () => {
    it('hold what was appended and not removed, however often', () => {
      const chance = random(5);
      const slots = createSlots(DIMENSIONS, scanOver);
      const expected = new Map<number, Float32Array>();
      let n = 3 * 2 ** 32;
      for (let round = 0; round < 12; round++) {
        for (let i = 0; i < 900; i++) {
          const values = vector(chance);
          expected.set(n, values);
          slots.append(n, `connection${n % 3}`, n % 7, quantize(values));
          n += 1 + chance.below(3);
        }
        for (const old of [...expected.keys()])
          if (chance.below(3) === 0) {
            slots.remove(old);
            expected.delete(old);
          }
        slots.compact();
        assertHolds(slots, expected);
      }
      assert.ok(slots.size < expected.size * 1.5 + 1024);
      assert.ok(expected.size > 1000);
    });

    it('find the nearest in all of them, across passes of the scan', () => {
      const chance = random(6);
      const slots = createSlots(DIMENSIONS, scanOver);
      const vectors = Array.from({ length: 9000 }, () => quantize(vector(chance)));
      vectors.forEach((one, n) => {
        slots.append(n, 'c', 1, one);
      });
      for (const depth of [0, 1, 50, 9000]) {
        const query = vector(chance);
        const expected = vectors
          .map((one, n) => ({ n, score: cosine(one, quantize(query)) }))
          .filter(({ n, score }) => score > 0 && n % 2 === 0)
          .sort((a, b) => b.score - a.score || a.n - b.n)
          .slice(0, depth)
          .map(({ n }) => n);
        assert.deepEqual(
          slots
            .nearest(query, depth, (slot) => slots.number(slot) % 2 === 0)
            .map(({ position }) => position),
          expected,
        );
      }
    });
  });

describe('slots', () => {
  it('ignore the removal of what they do not hold', () => {
    const slots = createSlots(DIMENSIONS, plainScan);
    slots.append(5, 'c', 1, quantize(vector(random(1))));
    slots.remove(4);
    slots.remove(6);
    assert.equal(slots.find(5), 0);
    slots.remove(5);
    slots.remove(5);
    assert.equal(slots.find(5), -1);
  });

  it('refuse a vector of another size', () => {
    const slots = createSlots(DIMENSIONS, plainScan);
    assert.throws(
      () => slots.append(7, 'c', 1, quantize(new Float32Array(3))),
      /chunk 7 has a vector of 3 dimensions instead of 20/,
    );
  });
});

function assertHolds(slots: Slots, expected: ReadonlyMap<number, Float32Array>): void {
  let live = 0;
  for (let slot = 0; slot < slots.size; slot++) {
    const n = slots.number(slot);
    if (slots.find(n) < 0) continue;
    live++;
    const values = expected.get(n);
    assert.ok(values, `${n} has been removed`);
    assert.deepEqual(slots.vector(slot), quantize(values));
    assert.equal(slots.connections[slots.connection(slot)], `connection${n % 3}`);
    assert.equal(slots.length(slot), n % 7);
  }
  assert.equal(live, expected.size);
}
