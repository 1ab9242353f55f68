import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSuspicious, mayBeSwept } from './sweep.ts';

const listing = (over: { listed?: string[]; met?: string[]; lost?: string[] } = {}) => ({
  listed: new Set(over.listed),
  met: new Set(over.met),
  lost: new Set(over.lost),
});

describe('mayBeSwept', () => {
  it('sweeps what was listed to its end', () =>
    assert.equal(mayBeSwept('a', listing({ listed: ['a'], met: ['a'] })), true));

  it('sweeps a partition that no longer exists', () =>
    assert.equal(mayBeSwept('a', listing()), true));

  it('spares a partition of which the listing broke off', () =>
    assert.equal(mayBeSwept('a', listing({ met: ['a'] })), false));

  it('spares a lost partition and everything below it', () => {
    const lost = listing({ listed: ['a', 'a/b', 'a/b/c', 'ab'], lost: ['a/b'] });
    assert.equal(mayBeSwept('a/b', lost), false);
    assert.equal(mayBeSwept('a/b/c', lost), false);
    assert.equal(mayBeSwept('a', lost), true);
  });

  it('does not take a common beginning for a parent', () =>
    assert.equal(mayBeSwept('ab', listing({ listed: ['ab'], lost: ['a'] })), true));

  it('spares everything when the root is lost', () => {
    assert.equal(mayBeSwept('', listing({ listed: [''], lost: [''] })), false);
    assert.equal(mayBeSwept('a', listing({ listed: ['a'], lost: [''] })), false);
    assert.equal(mayBeSwept('/a', listing({ listed: ['/a'], lost: [''] })), false);
  });
});

describe('isSuspicious', () => {
  it('lets small drops pass, whatever their share', () => {
    assert.equal(isSuspicious(50, 50), false);
    assert.equal(isSuspicious(51, 51), true);
  });

  it('lets up to 30 % of a large set pass', () => {
    assert.equal(isSuspicious(300, 1000), false);
    assert.equal(isSuspicious(301, 1000), true);
  });
});
