import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delayAfter, pauseOf } from './schedule.ts';

const HOUR = 3_600_000;
/** This random value leaves the delay without jitter. */
const exact = (attempts: number, retryAfter?: number) =>
  delayAfter(attempts, retryAfter, () => 0.5);

describe('the time of the next attempt', () => {
  it('[DLV-09] is 5 s, 5 min, 30 min, 2 h, 5 h and 10 h after the previous attempt, then never', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map((attempts) => exact(attempts)),
      [5000, 300_000, 1_800_000, 2 * HOUR, 5 * HOUR, 10 * HOUR, undefined],
    );
  });

  it('[DLV-09] is up to a tenth earlier or later, so that deliveries do not come at the same moment', () => {
    assert.equal(
      delayAfter(2, undefined, () => 0),
      270_000,
    );
    assert.equal(
      delayAfter(2, undefined, () => 1),
      330_000,
    );
    assert.notEqual(delayAfter(2, undefined), delayAfter(2, undefined));
  });

  it('is later with Retry-After, up to a limit, and never earlier', () => {
    assert.equal(exact(1, 60), 60_000);
    assert.equal(exact(1, 1), 5000);
    assert.equal(exact(1, 0), 5000);
    assert.equal(exact(1, 1e9), HOUR);
    assert.equal(exact(5, 1e9), 10 * HOUR);
    assert.equal(exact(7, 60), undefined);
    assert.deepEqual([pauseOf(0), pauseOf(1.5), pauseOf(1e9)], [0, 1500, HOUR]);
  });
});
