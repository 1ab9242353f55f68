import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownAddress } from './own-address.ts';

const at = (given: string | undefined) =>
  ownAddress(given, { origin: 'https://quarry.example', otherwise: '/collections' });

describe('the address after a sign-in', () => {
  it('is the page that was asked for', () => {
    assert.equal(at('/jobs?state=failed#x'), '/jobs?state=failed#x');
    assert.equal(at(undefined), '/collections');
  });

  it('is never on another site', () => {
    for (const given of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      'javascript:alert(1)',
      '',
    ])
      assert.equal(at(given), '/collections', given);
  });
});
