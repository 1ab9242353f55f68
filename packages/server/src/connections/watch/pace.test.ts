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

  it('does not look during a rest', () => {
    const pace = createPace();
    pace.restUntil(9000);
    pace.changed(1000);
    assert.equal(pace.dueAt(), 9000);
    pace.changed(9000);
    assert.equal(pace.dueAt(), 9000);
  });
});
