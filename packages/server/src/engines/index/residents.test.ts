import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ScanMemory, scanOver } from '../kernel.ts';
import { endNumber, firstNumber } from './numbers.ts';
import {
  addChunks,
  copiedChunks,
  createResidents,
  type Resident,
  removeGone,
  residentBytes,
} from './residents.ts';
import { slotsBytes } from './slots.ts';
import { wordsMark } from './words-mark.ts';

const DIMENSIONS = 256;
const MANY = 8000;
const FEW = 50;
/** These copies hold vectors, longer vectors, words, and only the numbers of chunks. */
const VECTORS = { dimensions: DIMENSIONS, holdsWords: false };
const LONG = { dimensions: 3072, holdsWords: false };
const WORDS = { dimensions: 0, holdsWords: true };
const NUMBERS = { dimensions: 0, holdsWords: false };

describe('residents of an index', () => {
  it('a collection that has lost most of its chunks takes no more memory than is counted for it', () => {
    const memories: ScanMemory[] = [];
    const residents = createResidents({
      budget: slotsBytes(DIMENSIONS, MANY),
      scanOver(memory) {
        memories.push(memory);
        return scanOver(memory);
      },
    });
    const vector = new Uint8Array(DIMENSIONS).fill(1);
    const first = firstNumber(1);
    const chunk = (i: number) =>
      ({ n: first + i, connection_id: 'c', length: 1, scale: 1, vector }) as const;
    const many = Array.from({ length: MANY }, (_, i) => chunk(i));
    const row = (version: number, chunks: number) => ({ number: 1, version, chunks, terms: 0 });

    const full = residents.take('a', row(1, MANY), VECTORS);
    full.lastGone = 0;
    addChunks(full, many);
    residents.keep('a', full, row(1, MANY));
    assert.equal(residents.take('a', row(1, MANY), VECTORS), full, 'as it was');

    const less = residents.take('a', row(2, MANY - 10), VECTORS);
    assert.equal(less, full, 'what has lost little is brought up to date');
    removeGone(
      less,
      many.slice(0, 10).map(({ n }, i) => ({ seq: i + 1, n })),
    );
    residents.keep('a', less, row(2, MANY - 10));

    const few = residents.take('a', row(3, FEW), VECTORS);
    assert.equal(few.slots.size, 0, 'it is read again');
    addChunks(few, many.slice(-FEW));
    residents.keep('a', few, row(3, FEW));
    const taken = memories.at(-1)?.buffer.byteLength ?? 0;
    assert.ok(taken < slotsBytes(DIMENSIONS, MANY) / 10, `${taken} bytes`);
    assert.equal(residents.take('a', row(4, FEW), VECTORS), few);
  });

  it('a copy of a newer version than the row is read again, because a failover has lost commits', () => {
    const residents = createResidents({ budget: 2 ** 30 });
    const row = (version: number) => ({ number: 1, version, chunks: 1, terms: 0 });
    const lost = residents.take('a', row(3), NUMBERS);
    addChunks(lost, [{ n: firstNumber(1), connection_id: 'c', length: 1 }]);
    residents.keep('a', lost, row(3));
    const again = residents.take('a', row(2), NUMBERS);
    assert.deepEqual([again.slots.size, again.lastGone], [0, undefined]);
    residents.keep('a', again, row(2));
    assert.equal(residents.take('a', row(3), NUMBERS), again);
  });

  it('a collection whose words are all different is not read again after each change', () => {
    const residents = createResidents({ budget: 2 ** 30 });
    const chunk = (i: number) => {
      const terms = Uint32Array.from({ length: 30 }, (_, k) => Math.imul(i * 30 + k, 0x9e3779b1));
      const bytes = new Uint8Array(terms.buffer);
      return { n: firstNumber(1) + i, connection_id: 'c', length: 30, terms: bytes };
    };
    const row = (version: number) => ({ number: 1, version, chunks: MANY, terms: 30 * MANY });
    const first = residents.take('a', row(1), WORDS);
    addChunks(
      first,
      Array.from({ length: MANY }, (_, i) => chunk(i)),
    );
    residents.keep('a', first, row(1));
    assert.equal(residents.take('a', row(2), WORDS), first);
  });

  it('the words of a copy are marked once for all pages of a comparison, and again after a change', () => {
    const residents = createResidents({ budget: 2 ** 30 });
    const row = (version: number) => ({ number: 1, version, chunks: 2, terms: 2 });
    const chunk = (i: number) => {
      const terms = new Uint8Array(Uint32Array.of(i + 1).buffer);
      return { n: firstNumber(1) + i, connection_id: 'c', length: 1, terms };
    };
    const marksOf = (resident: Resident) =>
      [...copiedChunks(resident).between(0, endNumber(1))].map((one) => one.wordsMark);
    const expected = (...terms: number[]) => terms.map((term) => wordsMark(Uint32Array.of(term)));

    const copy = residents.take('a', row(1), WORDS);
    addChunks(copy, [chunk(0)]);
    residents.keep('a', copy, row(1));
    let made = 0;
    const { postings } = copy;
    const marks = (size: number) => {
      made++;
      return postings.marks(size);
    };
    copy.postings = { ...postings, marks };
    for (let page = 0; page < 3; page++) assert.deepEqual(marksOf(copy), expected(1));
    assert.equal(made, 1);
    const changed = residents.take('a', row(2), WORDS);
    addChunks(changed, [chunk(1)]);
    residents.keep('a', changed, row(2));
    assert.deepEqual(marksOf(changed), expected(1, 2));
    assert.equal(made, 2);
  });

  it('a copy that was not brought up to date to the end is not used again', () => {
    const residents = createResidents({ budget: slotsBytes(0, MANY) });
    const row = (version: number) => ({ number: 1, version, chunks: 2, terms: 2 });
    const chunk = (i: number) => ({ n: firstNumber(1) + i, connection_id: 'c', length: 1 });
    const whole = residents.take('a', row(1), NUMBERS);
    addChunks(whole, [chunk(0)]);
    residents.keep('a', whole, row(1));
    addChunks(residents.take('a', row(2), NUMBERS), [chunk(1)]);
    const next = residents.take('a', row(2), NUMBERS);
    assert.equal(next.slots.size, 0);
    assert.equal(next.lastNumber, firstNumber(1) - 1);
  });

  it('a collection that no scan could reach to the end is refused in time, whatever the budget', () => {
    const residents = createResidents({ budget: Number.MAX_SAFE_INTEGER });
    const row = (chunks: number) => ({ number: 1, version: 1, chunks, terms: 0 });
    assert.throws(() => residents.take('a', row(1_400_000), LONG), {
      status: 503,
      code: 'index_too_large',
    });
    assert.ok(residents.take('a', row(1_390_000), LONG));
    assert.ok(residents.take('b', row(20_000_000), NUMBERS), 'it holds no vectors');
  });

  it('words that take more memory than was expected are counted as they are', () => {
    const budget = 3 * 2 ** 20;
    const residents = createResidents({ budget });
    const parts = { dimensions: 0, holdsWords: true };
    const read = (id: string, index: number, distinct: number) => {
      const terms = new Uint8Array(Uint32Array.from({ length: distinct }, (_, i) => i).buffer);
      const chunk = { n: firstNumber(index), connection_id: 'c', length: distinct, terms };
      const row = { number: index, version: 1, chunks: 1, terms: distinct };
      const copy = residents.take(id, row, parts);
      addChunks(copy, [chunk]);
      residents.keep(id, copy, row);
    };
    read('a', 1, 5000);
    read('b', 2, 5000);
    assert.ok(residents.has('a') && residents.has('b'));
    // No text has so many words of which none comes twice.
    read('large', 3, 50_000);
    assert.ok(residents.has('large') && !residents.has('a') && !residents.has('b'));
    assert.throws(() => read('too large', 4, 100_000), { code: 'index_too_large' });
    assert.ok(!residents.has('too large'));
    const row = { number: 4, version: 1, chunks: 1, terms: 100_000 };
    const refused = { code: 'index_too_large' };
    assert.throws(() => residents.take('too large', row, parts), refused, 'it is not read again');
    assert.throws(
      () => residents.requireRoomFor(['large', 'too large'].map((id) => ({ id, parts, row }))),
      refused,
    );
    residents.forget('too large');
    assert.ok(residents.take('too large', row, parts), 'a collection may have lost its words');
  });

  it('a copy with the words of removed chunks is not refused, and one that was forgotten is not kept', () => {
    const parts = { dimensions: 0, holdsWords: true };
    const residents = createResidents({ budget: 2 ** 20 });
    const chunk = (i: number) => {
      const terms = new Uint8Array(
        Uint32Array.from({ length: 1500 }, (_, k) => i * 1500 + k).buffer,
      );
      return { n: firstNumber(1) + i, connection_id: 'c', length: 1500, terms };
    };
    const row = (version: number) => ({ number: 1, version, chunks: 1, terms: 1500 });
    for (let version = 1; version < 40; version++) {
      const copy = residents.take('a', row(version), parts);
      addChunks(copy, [chunk(version)]);
      if (version > 1) removeGone(copy, [{ seq: version, n: firstNumber(1) + version - 1 }]);
      residents.keep('a', copy, row(version));
      assert.ok(residents.has('a'));
    }
    const copy = residents.take('a', row(40), parts);
    assert.ok(copy.postings.bytes > 2 ** 20);
    residents.forget('a');
    residents.keep('a', copy, row(40));
    assert.ok(!residents.has('a'));
  });

  it('a collection that began with rare words takes the memory of its words, however many come later', () => {
    const residents = createResidents({ budget: 64 * 2 ** 20 });
    const row = (version: number, chunks: number) => ({
      ...{ number: 1, version, chunks },
      terms: 100 * chunks,
    });
    const add = (resident: Resident, from: number, to: number, distinct: number) =>
      addChunks(
        resident,
        Array.from({ length: to - from }, (_, i) => {
          const terms = Uint32Array.from({ length: 100 }, (_, k) =>
            Math.imul(((from + i) * 100 + k) % distinct, 0x9e3779b1),
          );
          const bytes = new Uint8Array(terms.toSorted().buffer);
          return { n: firstNumber(1) + from + i, connection_id: 'c', length: 100, terms: bytes };
        }),
      );
    const first = residents.take('a', row(1, 300), WORDS);
    add(first, 0, 300, Number.POSITIVE_INFINITY);
    residents.keep('a', first, row(1, 300));
    for (let n = 1; n <= 10; n++) {
      const at = row(1 + n, 300 + n * 2000);
      const grown = residents.take('a', at, WORDS);
      assert.equal(grown, first);
      add(grown, 300 + (n - 1) * 2000, at.chunks, 2000);
      residents.keep('a', grown, at);
    }
    const later = row(99, 100_000);
    assert.equal(residents.bytesOf('a', WORDS, later), residentBytes(WORDS, later));
  });

  it('a copy that was read before the clock was set back is read again', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 10 * 3_600_000 });
    const residents = createResidents({ budget: 2 ** 20 });
    const row = (version: number) => ({ number: 1, version, chunks: 1, terms: 1 });
    const copy = residents.take('a', row(1), NUMBERS);
    addChunks(copy, [{ n: firstNumber(1), connection_id: 'c', length: 1 }]);
    residents.keep('a', copy, row(1));
    t.mock.timers.setTime(10 * 3_600_000 + 60_000);
    assert.equal(residents.take('a', row(2), NUMBERS), copy);
    residents.keep('a', copy, row(2));
    t.mock.timers.setTime(8 * 3_600_000);
    assert.equal(residents.take('a', row(3), NUMBERS).slots.size, 0);
  });

  it('negative totals, which the doctor corrects, count as none', () => {
    const residents = createResidents({ budget: 2 ** 20 });
    const parts = { dimensions: DIMENSIONS, holdsWords: true };
    const row = { number: 1, version: 1, chunks: -5, terms: -700 };
    assert.equal(residentBytes(parts, row), residentBytes(parts, { chunks: 0, terms: 0 }));
    residents.keep('a', residents.take('a', row, parts), row);
    assert.ok(residents.free() > 0 && residents.free() < 2 ** 20);
  });

  it('words without addresses are refused in time, whatever the budget', () => {
    const residents = createResidents({ budget: Number.MAX_SAFE_INTEGER });
    const words = { dimensions: 0, holdsWords: true };
    const take = (chunks: number, terms: number) => () =>
      residents.take('a', { number: 1, version: 1, chunks, terms }, words);
    assert.throws(take(2 ** 27, 0), { status: 503, code: 'index_too_large' });
    assert.throws(take(1000, 1.5e9), { status: 503, code: 'index_too_large' });
    assert.ok(take(2 ** 27 - 2, 1e9)());
  });
});
