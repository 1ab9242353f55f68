import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recent } from './recent.ts';

const sizeOf = (text: string) => text.length;

describe('what was used lately', () => {
  it('fills the budget and no more, and what is used again and again stays', () => {
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

  it('lets go what was used once and not again', () => {
    const recent = new Recent<number, string>({ budget: 4, sizeOf });
    recent.set(0, 'x');
    assert.equal(recent.get(0), 'x');
    for (let i = 1; i <= 8; i++) recent.set(i, 'x');
    assert.equal(recent.get(0), undefined);
    assert.equal(recent.get(8), 'x');
  });

  it('holds the newest when all were used', () => {
    const recent = new Recent<number, string>({ budget: 4, sizeOf });
    for (let i = 0; i < 20; i++) {
      recent.set(i, 'x');
      for (let k = 0; k <= i; k++) recent.get(k);
    }
    assert.equal(recent.get(19), 'x');
    assert.equal(Array.from({ length: 20 }, (_, i) => recent.get(i) ?? '').join('').length, 4);
  });

  it('keeps nothing that is larger than the budget, nor anything without one', () => {
    for (const [budget, text] of [
      [20, 'x'.repeat(21)],
      [0, 'x'],
    ] as const) {
      const recent = new Recent<number, string>({ budget, sizeOf });
      recent.set(1, text);
      assert.equal(recent.get(1), undefined);
    }
  });

  it('keeps what is as large as the budget, and nothing old in the place of what is larger', () => {
    const recent = new Recent<number, string>({ budget: 4, sizeOf });
    recent.set(1, 'full');
    assert.equal(recent.get(1), 'full');
    recent.set(1, 'larger');
    assert.equal(recent.get(1), undefined);
  });

  it('replaces a value, and forgets all', () => {
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

  it('renews what has another turn', () => {
    const renew = (text: string) => text.toUpperCase();
    const recent = new Recent<number, string>({ budget: 2, sizeOf, renew });
    recent.set(1, 'a');
    recent.get(1);
    recent.set(2, 'b');
    recent.set(3, 'c');
    assert.deepEqual([recent.get(1), recent.get(2), recent.get(3)], ['A', undefined, 'c']);
  });
});
