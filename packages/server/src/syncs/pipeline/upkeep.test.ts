import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUpkeep } from './upkeep.ts';

type Deps = Parameters<typeof createUpkeep>[0];

/** The index needs this many steps for each collection before the collection is in order. */
function upkeepOf(steps: Record<string, number>, earlier: string[] = []) {
  const done: string[] = [];
  const index = {
    maintain: async (_: unknown, collectionId: string) => {
      done.push(collectionId);
      steps[collectionId] = (steps[collectionId] ?? 0) - 1;
      return steps[collectionId] > 0;
    },
  };
  return { upkeep: createUpkeep({ db: {}, index } as unknown as Deps, earlier), done };
}

describe('upkeep', () => {
  it('takes a step every four commits of one collection', async () => {
    const { upkeep, done } = upkeepOf({});
    for (let i = 0; i < 3; i++) await upkeep.committed('a');
    await upkeep.committed('b');
    assert.deepEqual(done, []);
    await upkeep.committed('a');
    assert.deepEqual(done, ['a']);
    for (let i = 0; i < 4; i++) await upkeep.committed('a');
    assert.deepEqual(done, ['a', 'a']);
  });

  it('tidies until all is in order, and then leaves it alone', async () => {
    const { upkeep, done } = upkeepOf({ a: 3, b: 1 }, ['b']);
    await upkeep.committed('a');
    await upkeep.tidy(() => true);
    assert.deepEqual(done, ['b', 'a', 'a', 'a']);
    await upkeep.tidy(() => true);
    assert.equal(done.length, 4);
    await upkeep.committed('b');
    await upkeep.tidy(() => true);
    assert.deepEqual(done.slice(4), ['b']);
  });

  it('looks again at what was written while it took what it thought to be the last step', async () => {
    let steps = 0;
    const index = {
      async maintain() {
        if (++steps === 1) await upkeep.committed('a');
        return false;
      },
    };
    const upkeep = createUpkeep({ db: {}, index } as unknown as Deps, ['a']);
    await upkeep.tidy(() => true);
    assert.equal(steps, 2);
  });

  it('leaves what a push has written to idle moments, and does not forget it', async () => {
    const { upkeep, done } = upkeepOf({});
    for (let i = 0; i < 8; i++) upkeep.pushed('a');
    assert.deepEqual(done, []);
    await upkeep.tidy(() => true);
    assert.deepEqual(done, ['a']);
  });

  it('stops when it may not go on, and goes on later', async () => {
    const { upkeep, done } = upkeepOf({ a: 3 }, ['a']);
    await upkeep.tidy(() => done.length < 2);
    assert.deepEqual(done, ['a', 'a']);
    await upkeep.tidy(() => true);
    assert.deepEqual(done, ['a', 'a', 'a']);
  });

  it('a collection whose index is broken keeps no other one waiting', async () => {
    const done: string[] = [];
    const index = {
      async maintain(_: unknown, collectionId: string) {
        if (collectionId === 'broken') throw new Error('database disk image is malformed');
        done.push(collectionId);
        return false;
      },
    };
    const deps = { db: {}, index } as unknown as Deps;
    const upkeep = createUpkeep(deps, ['broken', 'whole']);
    await assert.rejects(
      upkeep.tidy(() => true),
      /malformed/,
    );
    await upkeep.tidy(() => true);
    assert.deepEqual(done, ['whole']);
  });

  it('what the database could not do now is done later', async () => {
    let tries = 0;
    const busy = Object.assign(new Error('database is locked'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 5,
    });
    const index = {
      async maintain() {
        if (++tries === 1) throw busy;
        return false;
      },
    };
    const upkeep = createUpkeep({ db: {}, index } as unknown as Deps, ['a']);
    await assert.rejects(
      upkeep.tidy(() => true),
      /locked/,
    );
    await upkeep.tidy(() => true);
    assert.equal(tries, 2);
  });
});
