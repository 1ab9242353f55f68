import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createDueClock, type DueClock } from './due-clock.ts';
import type { QueueFact } from './facts-store.ts';

const MINUTE_MS = 60_000;
const START = 1_700_000_000_000;

describe('how long an entry of the queue has been due', () => {
  let now: number;
  let clock: DueClock;
  beforeEach(() => {
    now = START;
    clock = createDueClock(() => now);
  });

  /** Returns the id of an entry that was made at this time. */
  const madeAt = (ms: number, last = 0) =>
    `${ms.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-${String(last).padStart(12, '0')}`;
  const due = (oldest: string | null, dueMs: number | null = null): QueueFact => ({
    ...{ job: 'sync.push', state: 'due', count: 1, oldest, dueMs },
  });
  const look = (...queue: QueueFact[]) => clock.look(queue).get('sync.push');

  it('is its age at a first look', () => {
    assert.equal(look(due(madeAt(START - 6 * MINUTE_MS))), 6 * MINUTE_MS);
  });

  it('grows while nobody takes it', () => {
    const id = madeAt(START);
    for (const minutes of [0, 1, 2, 3]) {
      now = START + minutes * MINUTE_MS;
      assert.equal(look(due(id)), minutes * MINUTE_MS);
    }
  });

  it('begins when it is the first time the oldest due one, and not when it was made', () => {
    assert.equal(look(), undefined);
    now += MINUTE_MS;
    const id = madeAt(START - 120 * MINUTE_MS);
    assert.equal(look(due(id)), MINUTE_MS);
    now += MINUTE_MS;
    assert.equal(look(due(id)), 2 * MINUTE_MS);
    now += 1000;
    assert.equal(look(due(madeAt(START - 119 * MINUTE_MS))), 1000);
  });

  it('is its age when the last look is long ago', () => {
    look();
    now += 60 * MINUTE_MS;
    assert.equal(look(due(madeAt(START))), 60 * MINUTE_MS);
  });

  it('is the time since which an entry that was put off is due again', () => {
    assert.equal(look(due(null, 5000)), 5000);
    assert.equal(look(due(madeAt(START - 1000), 5000)), 5000);
    assert.equal(look(due(null, -1)), 0);
  });

  it('is not said of entries that are behind others, run, or wait', () => {
    const id = madeAt(START - MINUTE_MS);
    for (const state of ['behind', 'running', 'delayed'] as const)
      assert.equal(look({ ...due(id), state }), undefined);
  });
});
