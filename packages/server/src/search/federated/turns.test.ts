import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

describe('turns', () => {
  it('lets so many work at once, and the rest in the order in which they came', async () => {
    const inTurn = createTurns(2);
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const works = ends.map((end, i) =>
      inTurn(
        'a',
        async () => {
          begun.push(i);
          await end.promise;
          return i;
        },
        never,
      ),
    );
    assert.deepEqual(begun, [0, 1]);
    ends[1]!.resolve();
    assert.equal(await works[1], 1);
    assert.deepEqual(begun, [0, 1, 2]);
    for (const end of ends) end.resolve();
    assert.deepEqual(await Promise.all(works), [0, 1, 2, 3]);
  });

  it('are of one key: others do not wait for it', async () => {
    const inTurn = createTurns(1);
    const end = Promise.withResolvers<string>();
    const first = inTurn('a', () => end.promise, never);
    const second = inTurn('a', async () => 'second', never);
    assert.equal(await inTurn('b', async () => 'other', never), 'other');
    end.resolve('first');
    assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
  });

  it('gives the turn on, also after a failure and from one who has stopped waiting', async () => {
    const inTurn = createTurns(1);
    const end = Promise.withResolvers<never>();
    const gone = new AbortController();
    const first = inTurn('a', () => end.promise, never);
    const second = inTurn('a', async () => 'second', gone.signal);
    const third = inTurn('a', async () => 'third', never);
    const reason = new Error('gone');
    gone.abort(reason);
    await assert.rejects(second, reason);
    end.reject(new Error('broken'));
    await assert.rejects(first, /broken/);
    assert.equal(await third, 'third');
    assert.equal(await inTurn('a', async () => 'last', never), 'last');
    await assert.rejects(
      inTurn('a', async () => 'too late', gone.signal),
      reason,
    );
    assert.equal(await inTurn('a', async () => 'more', never), 'more');
  });

  it('of another are taken by nobody who leaves at work, having waited for his own', async () => {
    const inTurn = createTurns(1);
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const gone = new AbortController();
    const begun = Promise.withResolvers<void>();
    const first = inTurn('a', () => ends[0].promise, never);
    const leaves = async () => {
      begun.resolve();
      await ends[1].promise;
    };
    const second = inTurn('a', leaves, gone.signal);
    const third = inTurn('a', async () => 'third', never);
    ends[0].resolve();
    await Promise.all([first, begun.promise]);
    gone.abort();
    ends[1].resolve();
    await second;
    assert.equal(await third, 'third');
  });
});
