import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maySee } from './read.ts';

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
