import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createKeyedLimit } from './keyed-limit.ts';

describe('a limit for each key', () => {
  it('lets as much work run at once as it allows, and starts the rest in order', async () => {
    const { run, size } = createKeyedLimit(2);
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const works = ends.map(({ promise }, i) =>
      run('a', async () => {
        begun.push(i);
        await promise;
        return i;
      }),
    );
    await setImmediate();
    assert.deepEqual([begun, size('a')], [[0, 1], 4]);
    ends[1]!.resolve();
    assert.equal(await works[1], 1);
    await setImmediate();
    assert.deepEqual([begun, size('a')], [[0, 1, 2], 3]);
    for (const end of ends) end.resolve();
    assert.deepEqual(await Promise.all(works), [0, 1, 2, 3]);
    assert.equal(size('a'), 0);
  });

  it('does not let one key wait for another', async () => {
    const { run } = createKeyedLimit(1);
    const end = Promise.withResolvers<string>();
    const first = run('a', () => end.promise);
    const second = run('a', async () => 'second');
    assert.equal(await run('b', async () => 'other'), 'other');
    end.resolve('first');
    assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
  });

  it('lets the next work start after a failure', async () => {
    const { run, size } = createKeyedLimit(1);
    const first = run('a', () => Promise.reject(new Error('broken')));
    const second = run('a', async () => 'second');
    await assert.rejects(first, /broken/);
    assert.equal(await second, 'second');
    assert.equal(size('a'), 0);
  });
});
