import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { takesAtMost } from '../../test/processor-time.ts';
import { termsIn, understand, wordsOf } from './question.ts';

const words = createWords(loadModel());

/** Every term occurs in one of a hundred chunks, except for those that `frequencies` names. */
const read = (text: string, frequencies: Readonly<Record<string, number>> = {}) =>
  understand(
    text,
    {
      chunks: 100,
      averageLength: 10,
      documentFrequencies: termsIn(text).map((term) => frequencies[term] ?? 1),
    },
    words,
  );
const partsOf = (text: string) => read(text).parts.map((part) => part.text);

describe('a question', () => {
  for (const [text, parts] of [
    ['how do dogs travel', ['how do dogs travel']],
    [
      'Who paints the lighthouse? When does the ferry leave?',
      ['Who paints the lighthouse?', 'When does the ferry leave?'],
    ],
    [
      'which port has fuel, and where do dogs travel for free',
      ['which port has fuel', 'where do dogs travel for free'],
    ],
    [
      'sail plan of the sloop versus mast height of the ketch; harbour fee table',
      ['sail plan of the sloop', 'mast height of the ketch', 'harbour fee table'],
    ],
    // The word "and" between two words does not separate parts of the question.
    ['the price of salt and pepper', ['the price of salt and pepper']],
    ['wind and waves', ['wind and waves']],
    ['the and of', ['the and of']],
    ['', ['']],
  ] as const)
    it(`has the parts of ${JSON.stringify(text)}`, () => assert.deepEqual(partsOf(text), parts));

  for (const [what, text] of [
    ['blanks', `first${' '.repeat(100_000)}last`],
    ['letters', 'abcdefghij'.repeat(5_000)],
  ] as const)
    it(`with a long run of ${what} is parsed quickly`, () => takesAtMost(1000, () => read(text)));

  it('has at most four parts', () => {
    const text = Array.from({ length: 9 }, (_, i) => `first${i} second${i}`).join('; ');
    assert.equal(partsOf(text).length, 4);
  });

  for (const [text, mentions] of [
    ['what does "two  lines" say', ['two  lines']],
    ['what does “two lines” say', ['two lines']],
    [
      'does retry_after in http/server.ts use parseJson',
      ['retry_after', 'http/server.ts', 'parseJson'],
    ],
    ['when was Kap Arkona painted', ['Kap Arkona']],
    ['Kap Arkona', ['Arkona']],
    ['Where is the harbour?', []],
    ['what is "the of"', []],
  ] as const)
    it(`has the mentions of ${JSON.stringify(text)}`, () =>
      assert.deepEqual(read(text).mentions, mentions));

  it('gives a rare term more weight', () => {
    const { weight } = read('rare common', { rare: 1, common: 90 });
    assert.ok(weight('rare') > weight('common') && weight('common') > 0);
    assert.equal(weight('other'), 0);
  });

  it('returns the words of a text for wanted terms, as they are written', () => {
    const wanted = new Set(termsIn('channels listening'));
    assert.equal(
      wordsOf('He is listening on all Channels, listening!', wanted),
      'listening channels',
    );
  });
});
