import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPace } from './pace.ts';

describe('the pace of looks', () => {
  it('[CON-40] looks at a single change after a moment without changes', () => {
    const pace = createPace();
    assert.equal(pace.dueAt(), null);
    pace.changed(1000);
    assert.equal(pace.dueAt(), 1150);
    pace.changed(1100);
    assert.equal(pace.dueAt(), 1250);
    pace.take();
    assert.equal(pace.dueAt(), null);
  });

  it('[CON-40] does not let changes that keep coming put a look off for more than a second', () => {
    const pace = createPace();
    for (let now = 1000; now < 3000; now += 100) pace.changed(now);
    assert.equal(pace.dueAt(), 2000);
  });

  it('[CON-40] looks at a burst when it is over, or after half a minute', () => {
    const pace = createPace();
    for (let i = 0; i < 10_000; i++) pace.changed(1000 + i);
    assert.equal(pace.dueAt(), 11_499);
    for (let i = 10_000; i < 60_000; i++) pace.changed(1000 + i);
    assert.equal(pace.dueAt(), 31_000);
  });

  it('looks at a file that changes each second every 20 seconds after a while, and at once again after some quiet', () => {
    const pace = createPace();
    const looks: number[] = [];
    const watch = (from: number, seconds: number) => {
      for (let now = from; now < from + seconds * 1000; now += 1000) {
        pace.changed(now);
        const due = pace.dueAt();
        if (due === null || due >= now + 1000) continue;
        pace.take();
        const at = Math.max(due, now);
        pace.looked(at);
        looks.push(at);
      }
    };
    const HOUR = 3_600_000;
    watch(HOUR, 24 * 3600);
    assert.equal(looks[100], HOUR + 100_150, 'the first looks do not wait');
    const gaps = looks.slice(-100).map((at, i, all) => at - (all[i - 1] ?? at - 20_000));
    assert.ok(
      gaps.every((gap) => gap >= 19_000 && gap <= 21_000),
      `${gaps}`,
    );
    assert.ok(looks.length < 5000, `${looks.length}`);
    pace.take();
    const later = 100 * HOUR;
    watch(later, 1);
    assert.equal(looks.at(-1), later + 150);
  });

  it('does not look during a rest', () => {
    const pace = createPace();
    pace.restUntil(9000);
    pace.changed(1000);
    assert.equal(pace.dueAt(), 9000);
    pace.changed(9000);
    assert.equal(pace.dueAt(), 9000);
  });
});
