import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings } from './settings.ts';

const NEEDED = { SERVICE_API_KEY: 'k', SERVICE_COLLECTION: 'c' };

describe('readSettings', () => {
  it('reads the size of answers, which is 8,000 tokens by default', () => {
    assert.equal(readSettings(NEEDED).maxTokens, 8_000);
    assert.equal(readSettings({ ...NEEDED, SERVICE_MAX_TOKENS: ' 25000 ' }).maxTokens, 25_000);
  });

  it('reads the collection, which may be missing', () => {
    assert.equal(readSettings(NEEDED).collection, 'c');
    for (const none of [undefined, '', ' '])
      assert.equal(readSettings({ ...NEEDED, SERVICE_COLLECTION: none }).collection, undefined);
  });

  for (const size of ['many', '1999', '2000.5', '-1'])
    it(`refuses the size ${size}`, () => {
      const env = { ...NEEDED, SERVICE_MAX_TOKENS: size };
      assert.throws(
        () => readSettings(env),
        /^Error: SERVICE_MAX_TOKENS is not a number of tokens/,
      );
    });
});
