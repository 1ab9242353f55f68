import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineInWords, lineOf } from './counts.ts';

const point = (day: number, total_entities: number) => ({
  at: new Date(Date.UTC(2026, 10, day)).toISOString(),
  total_entities,
  by_type: {},
});
const POINTS = [point(1, 100), point(10, 250), point(20, 240)];
const at = (day: number) => Date.UTC(2026, 10, day);

describe('the counts over time', () => {
  it('are a line from the first point until now', () => {
    const { times, totals } = lineOf(POINTS, { from: null, now: at(28) });
    assert.deepEqual(times, [1, 10, 20, 28].map(at));
    assert.deepEqual(totals, [100, 250, 240, 240]);
  });

  it('begin with the count that held before', () => {
    const { times, totals } = lineOf(POINTS, { from: at(15), now: at(28) });
    assert.deepEqual(times, [15, 20, 28].map(at));
    assert.deepEqual(totals, [250, 240, 240]);
    assert.deepEqual(lineOf(POINTS, { from: at(25), now: at(28) }).totals, [240, 240]);
    assert.deepEqual(lineOf(POINTS, { from: at(-90), now: at(28) }).times[0], at(1));
    assert.deepEqual(lineOf([], { from: null, now: at(28) }), { times: [], totals: [] });
  });

  it('are said in a sentence', () => {
    assert.equal(
      lineInWords({ times: [], totals: [31_200, 48_211] }, 4),
      'From 31,200 to 48,211 records. 4 jobs failed.',
    );
    assert.equal(lineInWords({ times: [], totals: [7, 7] }, 0), '7 records, no change.');
  });
});
