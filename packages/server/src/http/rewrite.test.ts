import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalUrl } from './rewrite.ts';

describe('canonicalUrl', () => {
  for (const [url, canonical] of [
    ['/', '/'],
    ['/?a=1', '/?a=1'],
    ['//', '/'],
    ['/v1/collections', '/v1/collections'],
    ['/v1/collections/', '/v1/collections'],
    ['/v1/collections//?next=/x/', '/v1/collections?next=/x/'],
    ['/v1/collections?', '/v1/collections?'],
    ['/api/v1/collections/', '/v1/collections'],
    ['/api/v1/collections?url=/api/v1/', '/v1/collections?url=/api/v1/'],
    ['/api/v1/', '/api/v1'],
    ['/api/v10/x', '/api/v10/x'],
    ['/x/api/v1/y', '/x/api/v1/y'],
    ['/docs/?a=1', '/docs?a=1'],
    ['/docs/js/scalar.js', '/docs/js/scalar.js'],
  ] as const)
    it(`[GEN-04] [GEN-05] ${url} is ${canonical}`, () =>
      assert.equal(canonicalUrl(url), canonical));
});
