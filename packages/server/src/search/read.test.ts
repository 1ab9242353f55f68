import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunkRow } from '../test/search/chunk-row.ts';
import { maySee, toMatchable } from './read.ts';

describe('maySee', () => {
  const see = (principals: string[] | null, viewers: string[] | null, is_public = false) =>
    maySee(principals && new Set(principals), { viewers, is_public });

  it('[ENT-16] [ENT-17] [ENT-19] [ENT-20] says who may see what', () => {
    assert.equal(see(null, []), true);
    assert.equal(see([], null), true);
    assert.equal(see([], [], true), true);
    assert.equal(see(['user:a'], []), false);
    assert.equal(see(['user:a', 'group:b'], ['group:b', 'user:c']), true);
    assert.equal(see(['user:a'], ['user:A', 'user:ab']), false);
  });
});

describe('toMatchable', () => {
  it('[FIL-04] what has no access data is neither public nor not', () => {
    const isPublic = (viewers: string[] | null, is_public: boolean) =>
      (toMatchable(chunkRow({ viewers, is_public })).access as { is_public: unknown }).is_public;
    assert.equal(isPublic(null, false), null);
    assert.equal(isPublic(null, true), true);
    assert.equal(isPublic(['user:a'], false), false);
  });
});
