import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownPath } from './own-path.ts';

const at = (given: string | undefined) => ownPath(given, 'https://quarry.example');

describe('the address to which a sign-in leads back', () => {
  it('[MEM-13] is a page of the service, with its query and fragment', () => {
    assert.equal(at('/jobs?state=failed&q=a%20b#x'), '/jobs?state=failed&q=a%20b#x');
    assert.equal(at('/'), '/');
    assert.equal(at('/search?to=//evil.example'), '/search?to=//evil.example');
    assert.equal(at('/dörfer'), '/d%C3%B6rfer');
  });

  it('[MEM-13] is never on another site, and never very long', () => {
    for (const given of [
      undefined,
      '',
      'jobs',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '/a\r\nset-cookie: x=1',
      '/\u0000',
      ' //evil.example',
      'https:',
      'https:/evil.example',
      'https://evil.example',
      'https://quarry.example.evil.example/',
      '@evil.example',
      'javascript:alert(1)',
      `/${'x'.repeat(2000)}`,
      `/${'ö'.repeat(700)}`,
    ])
      assert.equal(at(given), null, JSON.stringify(given));
  });
});
