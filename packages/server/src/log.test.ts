import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scrub } from './log.ts';

describe('scrub', () => {
  const key = `quarry_${'a'.repeat(43)}`;
  for (const [what, line, scrubbed] of [
    ['[KEY-04] a key', `{"msg":"no such key ${key}"}`, '{"msg":"no such key quarry_***"}'],
    ['a bearer token', 'authorization: Bearer abc.def-1', 'authorization: Bearer ***'],
    [
      '[AUTH-12] a password in an address',
      'cannot reach postgres://me:hunter2@db.example/x',
      'cannot reach postgres://me:***@db.example/x',
    ],
    ['nothing else', 'https://example.org:8080/a@b', 'https://example.org:8080/a@b'],
  ] as const)
    it(`takes ${what} out of a line`, () => assert.equal(scrub(line), scrubbed));
});
