import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_POINTS, surplus } from './count-points.ts';

const kept = (times: readonly number[]) => {
  const gone = new Set(surplus(times));
  return times.filter((time) => !gone.has(time));
};

describe('surplus', () => {
  it('removes nothing until there are too many points', () => {
    assert.deepEqual(surplus(Array.from({ length: MAX_POINTS }, (_, i) => i)), []);
  });

  it('keeps the newest points, and spreads the older ones over all of the time', () => {
    let times: number[] = [];
    // A year of one job each five minutes.
    const every = 300_000;
    const jobs = 365 * 288;
    for (let i = 0; i < jobs; i++) {
      times = kept([...times, i * every]);
      assert.ok(times.length <= MAX_POINTS);
    }
    assert.equal(times[0], 0);
    assert.deepEqual(
      times.slice(-200),
      Array.from({ length: 200 }, (_, i) => (jobs - 200 + i) * every),
    );
    const gaps = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / every);
    assert.ok(Math.max(...gaps) <= jobs / 99, `the greatest gap is ${Math.max(...gaps)} jobs`);
  });
});
