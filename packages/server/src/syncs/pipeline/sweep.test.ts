import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSuspicious, mayBeSwept } from './sweep.ts';

const listing = (over: { listed?: string[]; met?: string[]; lost?: string[] } = {}) => ({
  listed: new Set(over.listed),
  met: new Set(over.met),
  lost: new Set(over.lost),
});

describe('mayBeSwept', () => {
  it('is true for a partition that was listed to its end', () =>
    assert.equal(mayBeSwept('a', listing({ listed: ['a'], met: ['a'] })), true));

  it('is true for a partition that no longer exists', () =>
    assert.equal(mayBeSwept('a', listing()), true));

  it('is false for a partition whose listing broke off', () =>
    assert.equal(mayBeSwept('a', listing({ met: ['a'] })), false));

  it('is false for a lost partition and everything below it', () => {
    const lost = listing({ listed: ['a', 'a/b', 'a/b/c', 'ab'], lost: ['a/b'] });
    assert.equal(mayBeSwept('a/b', lost), false);
    assert.equal(mayBeSwept('a/b/c', lost), false);
    assert.equal(mayBeSwept('a', lost), true);
  });

  it('does not treat a common beginning as a parent', () =>
    assert.equal(mayBeSwept('ab', listing({ listed: ['ab'], lost: ['a'] })), true));

  it('is false for everything when the root is lost', () => {
    assert.equal(mayBeSwept('', listing({ listed: [''], lost: [''] })), false);
    assert.equal(mayBeSwept('a', listing({ listed: ['a'], lost: [''] })), false);
    assert.equal(mayBeSwept('/a', listing({ listed: ['/a'], lost: [''] })), false);
  });
});

describe('isSuspicious', () => {
  it('is false for a small drop, whatever its share', () => {
    assert.equal(isSuspicious(50, 50), false);
    assert.equal(isSuspicious(51, 51), true);
  });

  it('is false for a drop of up to 30 % of a large set', () => {
    assert.equal(isSuspicious(300, 1000), false);
    assert.equal(isSuspicious(301, 1000), true);
  });
});
