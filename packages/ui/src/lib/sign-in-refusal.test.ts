import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KNOWN_REFUSALS, signInRefusal } from './sign-in-refusal.ts';

describe('the sentence about a refused sign-in', () => {
  it('[MEM-13] says what has happened and what to do', () => {
    assert.match(
      signInRefusal('unknown_account', 'login.example.com'),
      /^No member here has .* at login\.example\.com\. Ask an admin to invite that address/,
    );
    const sentences = KNOWN_REFUSALS.map((code) => signInRefusal(code, 'login.example.com'));
    assert.equal(new Set(sentences).size, KNOWN_REFUSALS.length);
    for (const sentence of sentences) assert.match(sentence, /^\S.*[.] [A-Z].*[.]$/);
  });

  it('[MEM-13] is never a text out of the address', () => {
    for (const code of ['<b>call 555-0100</b>', '__proto__', 'constructor', ''])
      assert.equal(signInRefusal(code, null), 'The sign-in did not work. Sign in again.');
  });
});
