import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUpkeep } from './upkeep.ts';

type Deps = Parameters<typeof createUpkeep>[0];

/** The index of a collection needs this many steps until its maintenance is complete. */
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

describe('maintenance of the index by a sync', () => {
  it('takes a step after every four commits to one collection', async () => {
    const { upkeep, done } = upkeepOf({});
    for (let i = 0; i < 3; i++) await upkeep.committed('a');
    await upkeep.committed('b');
    assert.deepEqual(done, []);
    await upkeep.committed('a');
    assert.deepEqual(done, ['a']);
    for (let i = 0; i < 4; i++) await upkeep.committed('a');
    assert.deepEqual(done, ['a', 'a']);
  });

  it('takes steps until the maintenance is complete, and then none', async () => {
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

  it('takes another step for a commit during the last step', async () => {
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

  it('leaves the maintenance after a push to idle moments, and does not forget it', async () => {
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

  it('an index with an error does not prevent the maintenance of other indexes', async () => {
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

  it('a step that the database refuses is taken later', async () => {
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
