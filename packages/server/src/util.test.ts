import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import {
  beginningOf,
  chunked,
  groupedBySize,
  instant,
  instantOrNull,
  must,
  newId,
  newIdAfter,
  oneAtATime,
  runAll,
  sharedFor,
  timeOfId,
  within,
} from './util.ts';

describe('newId', () => {
  afterEach(() => mock.timers.reset());

  it('makes UUIDv7 that sort by the order of their creation, even within one millisecond', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids.slice(0, 100))
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // The time may be ahead of the clock, because another test has set the clock back.
    assert.ok(timeOfId(must(ids[0])) > Date.now() - 60_000);
    // The example of RFC 9562, appendix A.6, was made at 1645557742000.
    assert.equal(timeOfId('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), 1_645_557_742_000);
  });

  it('comes after an id that a clock has made which was ahead', () => {
    const ahead = '0fff22e2-79ff-7cc3-98c4-dc0c0c07398f';
    const next = newIdAfter(ahead);
    assert.match(next, /^0fff22e2-7a00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(newIdAfter(next) > next);
    const now = newIdAfter('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
    assert.ok(Math.abs(timeOfId(now) - timeOfId(newId())) < 60_000);
  });

  it('keeps the order when the clock stands still or is set back', () => {
    const before = newId();
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 60_000 });
    const ids = [before, ...Array.from({ length: 10_000 }, newId)];
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('utility functions', () => {
  it('must returns the value, or throws', () => {
    assert.equal(must(0), 0);
    assert.throws(() => must(null), /a value is missing/);
    assert.throws(() => must(undefined, 'no row'), /^Error: no row$/);
  });

  it('sharedFor makes one answer for all who ask within the time, and then another', async () => {
    let now = 0;
    let made = 0;
    const ask = sharedFor(
      10,
      async () => ++made,
      () => now,
    );
    assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1]);
    now = 9;
    assert.equal(await ask(), 1);
    now = 10;
    assert.equal(await ask(), 2);
  });

  it('oneAtATime lets nobody wait longer than its time, and begins no second call while one runs', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const calls: PromiseWithResolvers<string>[] = [];
    const ask = oneAtATime(
      () => {
        const call = Promise.withResolvers<string>();
        calls.push(call);
        return call.promise;
      },
      { ms: 2000, late: () => new Error('late') },
    );
    const first = ask();
    mock.timers.tick(2000);
    await assert.rejects(first, { message: 'late' });
    const second = ask();
    mock.timers.tick(1999);
    calls[0]?.resolve('one');
    assert.equal(await second, 'one');
    assert.equal(calls.length, 1);
    const third = ask();
    calls[1]?.reject(new Error('broken'));
    await assert.rejects(third, { message: 'broken' });
    const fourth = ask();
    calls[2]?.resolve('four');
    assert.equal(await fourth, 'four');
    mock.timers.reset();
  });

  it('chunked cuts an array into parts of one size, and the last part may be smaller', () =>
    assert.deepEqual([...chunked([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]));

  it('within aborts at the timeout or when the other signal aborts, whichever comes first, and not after the end of the work', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const late = new Error('late');
    const signals: AbortSignal[] = [];
    const stop = new AbortController();
    const start = (ms: number) => {
      const work = Promise.withResolvers<string>();
      const ended = within({ ms, late: () => late, signal: stop.signal }, (signal) => {
        signals.push(signal);
        return work.promise;
      });
      return { work, ended };
    };
    const [, done] = [start(100), start(100), start(101)];
    done.work.resolve('done');
    assert.equal(await done.ended, 'done');
    t.mock.timers.tick(99);
    assert.ok(signals.every(({ aborted }) => !aborted));
    t.mock.timers.tick(1);
    assert.deepEqual(
      signals.map(({ reason }) => reason),
      [late, undefined, undefined],
    );
    const gone = new Error('gone');
    stop.abort(gone);
    assert.equal(signals[2]?.reason, gone);
    const failed = start(100);
    failed.work.reject(gone);
    await assert.rejects(failed.ended, gone);
  });

  it('beginningOf does not cut a character in two', () => {
    assert.equal(beginningOf('ab😀c', 3), 'ab');
    assert.equal(beginningOf('ab😀c', 4), 'ab😀');
    assert.equal(beginningOf('ab', 2), 'ab');
    assert.equal(beginningOf('ab', 9), 'ab');
  });

  it('[GEN-02] instant writes times with Z', () => {
    assert.equal(instant(0), '1970-01-01T00:00:00.000Z');
    assert.equal(instantOrNull(null), null);
    assert.equal(instantOrNull(0), '1970-01-01T00:00:00.000Z');
  });
});

describe('runAll', () => {
  it('runs all steps in order, also after an error, reports each error and throws the first one', async () => {
    const ran: string[] = [];
    const reported: unknown[] = [];
    const report = (error: unknown) => reported.push(error);
    const fails = (name: string) => async () => {
      ran.push(name);
      throw new Error(name);
    };
    const steps = [fails('a'), () => void ran.push('b'), fails('c')];
    await assert.rejects(runAll(steps, report), /^Error: a$/);
    assert.deepEqual(ran, ['a', 'b', 'c']);
    assert.deepEqual(reported.map(String), ['Error: a', 'Error: c']);
    await runAll([() => void ran.push('d')], report);
  });
});

describe('groupedBySize', () => {
  const groups = (...sizes: number[]) => [...groupedBySize(sizes, (size) => size, 10)];

  it('returns every item once, in order, in groups whose sum is within the limit', () => {
    assert.deepEqual(groups(), []);
    assert.deepEqual(groups(4, 6, 1, 9, 9, 2), [[4, 6], [1, 9], [9], [2]]);
  });

  it('puts an item over the limit into a group with only items of size 0', () => {
    assert.deepEqual(groups(1, 50, 1, 1), [[1], [50], [1, 1]]);
    assert.deepEqual(groups(50), [[50]]);
    assert.deepEqual(groups(0, 50, 0, 0, 10, 0, 1), [[0, 50, 0, 0], [10, 0], [1]]);
  });
});
