import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPauses } from './pauses.ts';

describe('pauses of a source', () => {
  const shelf = { id: 'shelf', authenticated_at: 1 };
  let now = 0;
  const open = () => {
    now = 0;
    return createPauses(() => now);
  };

  it('last as long as the source has asked for', () => {
    const pauses = open();
    assert.equal(pauses.secondsLeft(shelf), 0);
    pauses.begin(shelf, 30.2);
    assert.equal(pauses.secondsLeft(shelf), 31);
    now = 30_199;
    assert.equal(pauses.secondsLeft(shelf), 1);
    now = 30_200;
    assert.equal(pauses.secondsLeft(shelf), 0);
  });

  it('last a minute when the source gives no time, a second at least and an hour at most', () => {
    const pauses = open();
    pauses.begin(shelf);
    assert.equal(pauses.secondsLeft(shelf), 60);
    pauses.begin(shelf, 1_000_000);
    assert.equal(pauses.secondsLeft(shelf), 3600);
    pauses.begin(shelf, 0);
    assert.equal(pauses.secondsLeft(shelf), 1);
  });

  it('apply to one connection with its credentials', () => {
    const pauses = open();
    pauses.begin(shelf, 30);
    assert.equal(pauses.secondsLeft({ ...shelf, id: 'attic' }), 0);
    assert.equal(pauses.secondsLeft({ ...shelf, authenticated_at: 2 }), 0);
    pauses.begin({ ...shelf, id: 'attic' }, 10);
    assert.equal(pauses.secondsLeft(shelf), 30);
  });
});
