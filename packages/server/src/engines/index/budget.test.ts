import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { residents } from './budget.ts';

const hold = (held: ReturnType<typeof residents<string>>, id: string, bytes: number) => {
  held.admit(id, bytes);
  held.set(id, id);
};

describe('residents', () => {
  it('forgets the least recently used first, and no more than it must', () => {
    const held = residents<string>(100);
    hold(held, 'a', 40);
    hold(held, 'b', 40);
    held.set('a', 'a');
    hold(held, 'c', 60);
    assert.deepEqual([held.get('a'), held.get('b'), held.get('c')], ['a', undefined, 'c']);
    hold(held, 'd', 1);
    assert.deepEqual([held.get('a'), held.get('c'), held.get('d')], [undefined, 'c', 'd']);
    assert.equal(held.evictions(), 2);
    held.delete('c');
    assert.equal(held.evictions(), 2, 'what is deleted had not to make room');
  });

  it('takes what fits exactly', () => {
    const held = residents<string>(100);
    hold(held, 'a', 60);
    hold(held, 'b', 40);
    assert.deepEqual([held.get('a'), held.get('b')], ['a', 'b']);
    hold(held, 'b', 41);
    assert.deepEqual([held.get('a'), held.get('b')], [undefined, 'b']);
    hold(held, 'c', 100);
    assert.equal(held.get('c'), 'c');
  });

  it('keeps the value of a collection that grows', () => {
    const held = residents<string>(100);
    hold(held, 'a', 10);
    held.admit('a', 90);
    assert.equal(held.get('a'), 'a');
  });

  it('refuses what alone is above the budget, and forgets it', () => {
    const held = residents<string>(3 * 2 ** 20);
    hold(held, 'a', 10);
    assert.throws(() => held.admit('a', 3 * 2 ** 20 + 1), {
      status: 503,
      code: 'index_too_large',
      retryAfter: 600,
      message:
        'searching this collection takes 4 MB of memory, and 3 MB is the most that collections may take together: raise QUARRY_INDEX_MEMORY_MB, or split the collection',
    });
    assert.equal(held.get('a'), undefined);
    hold(held, 'b', 3 * 2 ** 20);
    assert.equal(held.get('b'), 'b');
  });

  it('forgets what it is told to, and holds nothing that was not admitted', () => {
    const held = residents<string>(10);
    hold(held, 'a', 10);
    held.delete('a');
    held.set('a', 'a');
    assert.equal(held.get('a'), undefined);
    hold(held, 'b', 10);
    assert.equal(held.get('b'), 'b');
  });
});
