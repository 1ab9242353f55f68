import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptForOthers, lastToLeave, timeIn } from './window.ts';

describe('a window of requests', () => {
  it('starts from its newest admission when the clock is set back, and stands still for less than a second', () => {
    assert.deepEqual(timeIn(null, 500), { t: 500, skew: 0 });
    const newest = { seq: 1, at: 10_000, skew: 0 };
    assert.deepEqual(timeIn(newest, 10_001), { t: 10_001, skew: 0 });
    assert.deepEqual(timeIn(newest, 9001), { t: 10_000, skew: 0 });
    assert.deepEqual(timeIn(newest, 9000), { t: 10_000, skew: 1000 });
    assert.deepEqual(timeIn({ ...newest, skew: 1000 }, 9500), { t: 10_500, skew: 1000 });
    assert.deepEqual(timeIn({ ...newest, skew: 1000 }, 4000), { t: 10_000, skew: 6000 });
  });

  it('has room for as many requests as its limit minus the admissions still in it', () => {
    const newest = { seq: 100, at: 0, skew: 0 };
    assert.equal(lastToLeave(newest, 10, []), 91);
    assert.equal(lastToLeave(newest, 10, [90]), 91);
    assert.equal(lastToLeave(newest, 10, [91]), 90);
    assert.equal(lastToLeave(newest, 1, [100, 99]), 98);
    assert.equal(lastToLeave(newest, 2, [100, 98, 97]), 96);
  });

  it('keeps room for every connection that has waited longer, up to an equal share', () => {
    const waiting = [
      { connectionId: 'a', since: 1, admitted: 0 },
      { connectionId: 'b', since: 2, admitted: 3 },
      { connectionId: 'c', since: 3, admitted: 9 },
    ];
    const kept = (connectionId: string, since: number, limit: number) =>
      keptForOthers(waiting, { connectionId, since }, limit);
    assert.equal(kept('d', 4, 20), 5 + 2 + 0);
    assert.equal(kept('d', 2, 20), 6 + 3, 'of equal age, the smaller id comes first');
    assert.equal(kept('b', 2, 20), 10);
    assert.equal(kept('a', 1, 20), 0);
    assert.equal(kept('d', 4, 1), 1, 'a share is at least one request');
  });
});
