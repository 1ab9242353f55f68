import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Recent } from './recent.ts';

const sizeOf = (text: string) => text.length;

describe('a cache of recently used values', () => {
  it('fills its budget but no more, and keeps a value that is used again and again', () => {
    const recent = new Recent<number, string>({ budget: 20, sizeOf });
    recent.set(0, 'kept');
    for (let i = 1; i <= 100; i++) {
      recent.set(i, 'xxxx');
      assert.equal(recent.get(0), 'kept');
    }
    const held = Array.from({ length: 101 }, (_, i) => recent.get(i) ?? '');
    assert.equal(held.join('').length, 20);
    assert.equal(recent.get(100), 'xxxx');
    assert.equal(recent.get(1), undefined);
  });

  it('drops a value that is not used again', () => {
    const recent = new Recent<number, string>({ budget: 4, sizeOf });
    recent.set(0, 'x');
    assert.equal(recent.get(0), 'x');
    for (let i = 1; i <= 8; i++) recent.set(i, 'x');
    assert.equal(recent.get(0), undefined);
    assert.equal(recent.get(8), 'x');
  });

  it('keeps the newest value when all values were used', () => {
    const recent = new Recent<number, string>({ budget: 4, sizeOf });
    for (let i = 0; i < 20; i++) {
      recent.set(i, 'x');
      for (let k = 0; k <= i; k++) recent.get(k);
    }
    assert.equal(recent.get(19), 'x');
    assert.equal(Array.from({ length: 20 }, (_, i) => recent.get(i) ?? '').join('').length, 4);
  });

  it('stores no value that is larger than the budget, and none with a budget of 0', () => {
    for (const [budget, text] of [
      [20, 'x'.repeat(21)],
      [0, 'x'],
    ] as const) {
      const recent = new Recent<number, string>({ budget, sizeOf });
      recent.set(1, text);
      assert.equal(recent.get(1), undefined);
    }
  });

  it('stores a value as large as the budget, and drops the old value when the new one is larger', () => {
    const recent = new Recent<number, string>({ budget: 4, sizeOf });
    recent.set(1, 'full');
    assert.equal(recent.get(1), 'full');
    recent.set(1, 'larger');
    assert.equal(recent.get(1), undefined);
  });

  it('replaces a value, and clear removes all values', () => {
    const recent = new Recent<number, string>({ budget: 8, sizeOf });
    recent.set(1, 'xxxx');
    recent.set(1, 'now');
    recent.set(2, 'xxxxx');
    assert.deepEqual([recent.get(1), recent.get(2)], ['now', 'xxxxx']);
    recent.clear();
    assert.deepEqual([recent.get(1), recent.get(2)], [undefined, undefined]);
    for (const key of [3, 4, 5]) recent.set(key, 'xxxx');
    assert.deepEqual([recent.get(3), recent.get(4), recent.get(5)], [undefined, 'xxxx', 'xxxx']);
  });

  it('keeps nothing of the values that were replaced', () => {
    const recent = new Recent<number, { text: string }>({ budget: 1e6, sizeOf: () => 1 });
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const fill = () => {
      for (let n = 0; n < 1000; n++) recent.set(n, { text: `${Math.random()}`.repeat(40) });
    };
    fill();
    // The turns have begun, and stand at the first entry.
    recent.get(0);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let round = 0; round < 40; round++) fill();
    collect();
    const growth = (process.memoryUsage().heapUsed - before) / 1e6;
    // Each round has about a megabyte of texts.
    assert.ok(growth < 8, `${growth} MB`);
    assert.ok(recent.get(0));
  });

  it('calls renew for a used value instead of dropping it', () => {
    const renew = (text: string) => text.toUpperCase();
    const recent = new Recent<number, string>({ budget: 2, sizeOf, renew });
    recent.set(1, 'a');
    recent.get(1);
    recent.set(2, 'b');
    recent.set(3, 'c');
    assert.deepEqual([recent.get(1), recent.get(2), recent.get(3)], ['A', undefined, 'c']);
  });
});
