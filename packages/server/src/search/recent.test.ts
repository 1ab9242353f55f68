import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recent } from './recent.ts';

const sizeOf = (text: string) => text.length;

describe('what was used lately', () => {
  it('stays within the budget, and what was used since stays longest', () => {
    const recent = new Recent<number, string>({ budget: 20, sizeOf });
    recent.set(0, 'kept');
    for (let i = 1; i <= 100; i++) {
      recent.set(i, 'xxxx');
      assert.equal(recent.get(0), 'kept');
    }
    const held = Array.from({ length: 101 }, (_, i) => recent.get(i) ?? '');
    assert.ok(held.join('').length <= 20);
    assert.equal(recent.get(100), 'xxxx');
    assert.equal(recent.get(1), undefined);
  });

  it('keeps nothing that is larger than half of the budget, nor anything without one', () => {
    for (const [budget, text] of [
      [20, 'x'.repeat(11)],
      [0, 'x'],
    ] as const) {
      const recent = new Recent<number, string>({ budget, sizeOf });
      recent.set(1, text);
      assert.equal(recent.get(1), undefined);
    }
  });

  it('replaces a value, in whichever generation it is', () => {
    const recent = new Recent<number, string>({ budget: 8, sizeOf });
    recent.set(1, 'old');
    recent.set(1, 'new');
    assert.equal(recent.get(1), 'new');
    recent.set(2, 'xxx');
    recent.set(1, 'now');
    assert.equal(recent.get(1), 'now');
  });

  it('renews what outlives its generation', () => {
    const renew = (text: string) => text.toUpperCase();
    const recent = new Recent<number, string>({ budget: 8, sizeOf, renew });
    recent.set(1, 'a');
    recent.set(2, 'xxxx');
    assert.equal(recent.get(2), 'xxxx');
    assert.equal(recent.get(1), 'A');
  });
});
