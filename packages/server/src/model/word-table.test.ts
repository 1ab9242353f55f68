import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { words } from './terms.ts';

/** This is the definition of words, by regular expressions over the whole text. */
const defined = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const text = (units: string) =>
  fc.array(fc.constantFrom(...units), { maxLength: 60 }).map((picked) => picked.join(''));

describe('the word table', () => {
  it('finds the same words as regular expressions', () => {
    const units = 'aabBcCzZ019 \n\t_-./’“…—·\u00a0éßΣσοδΔ²½ŉ';
    fc.assert(
      fc.property(text(units), (given) => assert.deepEqual(words(given), defined(given))),
      { numRuns: 3000 },
    );
  });

  it('distinguishes words with the same beginning, and words that are longer than an entry', () => {
    const long = 'abcdefghijklmnopqrstuvwxyz';
    const given = ['ab', 'abc', `${long}a`, `${long}b`, 'ab', `${long}a`];
    assert.deepEqual(words(given.join(' ')), given);
  });

  it('distinguishes words with the same hash', () => {
    // For both words, 31 times the first character plus the second gives the same number.
    assert.deepEqual(words('qan qc0 qan'), ['qan', 'qc0', 'qan']);
  });

  it('works when it is full, and afterwards', () => {
    const given = Array.from({ length: 140_000 }, (_, i) => `w${i}`);
    assert.deepEqual(words(given.join(' ')), given);
    assert.deepEqual(words('the wings'), ['the', 'wings']);
  });
});
