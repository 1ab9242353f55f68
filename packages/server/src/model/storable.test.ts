import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storableJson, storableText } from './storable.ts';

describe('values that every database stores', () => {
  it('are texts without NUL and without unpaired surrogates', () => {
    assert.equal(storableText('a\0b\ud800c\u{1f600}'), 'ab\ufffdc\u{1f600}');
  });

  it('are JSON, cleaned in keys and at every depth, with dates as ISO 8601', () => {
    const given = {
      'k\0': ['x\0', { y: '\udc00' }, new Date(0), new Date(Number.NaN)],
      n: 1.5,
      t: true,
      z: null,
    };
    assert.deepEqual(storableJson(given), {
      k: ['x', { y: '\ufffd' }, '1970-01-01T00:00:00.000Z', null],
      n: 1.5,
      t: true,
      z: null,
    });
  });
});
