import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSecret, signingKeyOf, toSecret } from './secret.ts';

describe('signing secrets', () => {
  it('[WHK-05] [WHK-06] are whsec_ and 256 random bits in base64 when they are generated', () => {
    assert.match(makeSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(makeSecret(), makeSecret());
  });

  it('[WHK-06] have base64 as their key, with or without the prefix and the padding', () => {
    const key = Buffer.from('0123456789abcdefghij');
    const base64 = key.toString('base64');
    for (const text of [base64, `whsec_${base64}`, base64.replace(/=+$/, '')]) {
      assert.equal(toSecret(text), `whsec_${base64}`, text);
      assert.deepEqual(signingKeyOf(toSecret(text)), key);
    }
  });

  it('[WHK-06] have the UTF-8 bytes of any other text as their key', () => {
    for (const text of [
      'correct horse battery staple',
      'päßwörter-mit-Umlauten-und-€',
      // Base64 decoders ignore the 25th character.
      'abcdefghijklmnopqrstuvwxy',
      '________________________',
    ])
      assert.equal(signingKeyOf(toSecret(text)).toString('utf8'), text);
    assert.notDeepEqual(
      toSecret('abcdefghijklmnopqrstuvwxy'),
      toSecret('abcdefghijklmnopqrstuvwxz'),
    );
  });
});
