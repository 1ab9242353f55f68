import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heightsOf, METRICS, type UsageDay } from './usage.ts';

const day = (searches: number, records: number | null): UsageDay => ({
  ...{ date: '2026-03-31', searches, records },
  agentic_searches: searches * 2,
});
const days = [day(0, null), day(1, 1200), day(3, null)];

describe('the usage', () => {
  it('is summed for searches, and is the newest number for records', () => {
    assert.deepEqual(
      METRICS.map(({ summary }) => summary(days)),
      ['4 searches', '8 agentic searches', '1,200 at the last count'],
    );
    assert.equal(METRICS[2]?.summary([day(1, null)]), 'not counted yet');
  });

  it('has bars in proportion to the highest, and none without numbers', () => {
    const [searches, , records] = METRICS;
    assert.ok(searches && records);
    assert.deepEqual(heightsOf(searches, days).map(Math.round), [0, 33, 100]);
    assert.deepEqual(heightsOf(records, days), [0, 100, 0]);
    assert.deepEqual(heightsOf(searches, [day(0, null)]), [0]);
  });
});
