import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ago, duration, localInput, moment, nextChange } from './time.ts';

const NOW = new Date(2026, 10, 28, 14, 30).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('times in words', () => {
  it('say how long ago something was', () => {
    const words = [0, 12_000, 59_999, 4 * MINUTE, 3 * HOUR].map((past) => ago(NOW - past, NOW));
    assert.deepEqual(words, ['just now', '12 s ago', '59 s ago', '4 min ago', '3 h ago']);
  });

  it('name the day of what is longer ago, or lies ahead', () => {
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 5).getTime();
    assert.equal(moment(at(28, 20), NOW), 'today, 20:05');
    assert.equal(moment(at(29, 0), NOW), 'tomorrow, 00:05');
    assert.equal(moment(at(27, 23), NOW), 'yesterday, 23:05');
    assert.equal(ago(at(8, 9), NOW), '8 Nov, 09:05');
    assert.equal(moment(new Date(2024, 10, 8, 9, 5).getTime(), NOW), '8 Nov 2024, 09:05');
  });

  it('write durations with at most two units', () => {
    const words = [24, 400, 12_000, 134_000, 2 * HOUR, 52 * HOUR].map(duration);
    assert.deepEqual(words, ['24 ms', '0.4 s', '12 s', '2 min 14 s', '2 h', '2 d 4 h']);
  });

  it('change each second below a minute, and each half minute after it', () => {
    assert.equal(nextChange(NOW - 59_000, NOW), 1000);
    assert.equal(nextChange(NOW - 61_000, NOW), 30_000);
    assert.equal(nextChange(NOW + 61_000, NOW), 30_000);
  });

  it('write a time as an input has it, in the own zone', () => {
    assert.equal(localInput(NOW), '2026-11-28T14:30');
  });
});
