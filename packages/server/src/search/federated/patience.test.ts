import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPatience } from './patience.ts';

describe('patience with a source', () => {
  const shelf = { id: 'shelf', authenticated_at: 1 };
  let now = 0;
  const open = () => {
    now = 0;
    return createPatience(() => now);
  };

  it('lasts as long as it has asked for', () => {
    const patience = open();
    assert.equal(patience.secondsFor(shelf), 0);
    patience.ask(shelf, 30.2);
    assert.equal(patience.secondsFor(shelf), 31);
    now = 30_199;
    assert.equal(patience.secondsFor(shelf), 1);
    now = 30_200;
    assert.equal(patience.secondsFor(shelf), 0);
  });

  it('is a minute where it has not said, and an hour at most', () => {
    const patience = open();
    patience.ask(shelf);
    assert.equal(patience.secondsFor(shelf), 60);
    patience.ask(shelf, 1_000_000);
    assert.equal(patience.secondsFor(shelf), 3600);
  });

  it('is of one connection with these credentials', () => {
    const patience = open();
    patience.ask(shelf, 30);
    assert.equal(patience.secondsFor({ ...shelf, id: 'attic' }), 0);
    assert.equal(patience.secondsFor({ ...shelf, authenticated_at: 2 }), 0);
    patience.ask({ ...shelf, id: 'attic' }, 10);
    assert.equal(patience.secondsFor(shelf), 30);
  });
});
