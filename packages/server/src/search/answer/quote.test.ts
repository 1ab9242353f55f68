import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { terms } from '../../model/terms.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { shown } from '../llm/answer.ts';
import { type Passage, toPassage } from '../passage.ts';
import { createQuestion, termsOf } from '../question.ts';
import type { ChunkRow } from '../store.ts';
import { NO_SENTENCE, NOTHING, quoteAnswer as quoteTo } from './quote.ts';

const words = createWords(loadModel());

const CHUNKS = 100;

/** Every word stands in one chunk of the collection, except those that `frequencies` names. */
function quoteAnswer(
  query: string,
  passages: readonly Passage[],
  frequencies: Readonly<Record<string, number>> = {},
  ...others: string[]
): string {
  const readings = [query, ...others].map(terms);
  const countedTerms = termsOf(readings);
  const documentFrequencies = countedTerms.map((term) => frequencies[term] ?? 1);
  const statistics = { chunks: CHUNKS, averageLength: 10, documentFrequencies, version: 1 };
  const question = createQuestion(readings, { statistics, countedTerms, weightOf: () => 1 });
  return quoteTo({ query, question }, passages, words);
}

const result = (id: string, text: string, score = 0.5, more: Partial<ChunkRow> = {}) => ({
  ...toPassage(chunkRow({ name: `name of ${id}`, ...more, text }), score),
  id,
});

describe('quoteAnswer', () => {
  it('[SRH-31] quotes the sentence that shares most words with the query, with its id', () => {
    const text = 'Cats sleep. The vault key rotates every month. Dogs bark.';
    assert.equal(
      quoteAnswer('when does the vault key rotate', [result('a__chunk_0', text)]),
      'The vault key rotates every month. [a__chunk_0]',
    );
  });

  it('[SRH-31] quotes at most three sentences, the best first', () => {
    const things = ['vault keys', 'garden doors', 'cellar windows', 'kitchen lamps'];
    const results = things.map((thing, i) =>
      result(`${i}`, `The ${thing} are blue.`, 0.9 - i / 10, { name: '' }),
    );
    assert.equal(
      quoteAnswer(`blue ${things.join(' ')}`, results),
      'The vault keys are blue. [0] The garden doors are blue. [1] The cellar windows are blue. [2]',
    );
    const better = ['Vault keys rotate.', 'Vault keys rotate daily.'];
    assert.equal(
      quoteAnswer(
        'do vault keys rotate daily',
        better.map((text, i) => result(`${i}`, text, 0.1)),
      ),
      'Vault keys rotate daily. [1]',
    );
    const alike = [result('a', 'The vault keys rotate.'), result('b', 'The vault key rotates.')];
    assert.equal(quoteAnswer('when do vault keys rotate', alike.slice(0, 1)), NO_SENTENCE);
  });

  it('[SRH-31] counts a repeated word of the query only once', () => {
    const text = 'Keys, keys, keys. The vault keys.';
    assert.match(quoteAnswer('vault keys', [result('a', text)]), /^The vault keys\. /);
  });

  it('[SRH-31] quotes equal sentences only once', () => {
    assert.equal(
      quoteAnswer('keys', [result('a', 'Keys rotate.', 0.9), result('b', 'Keys rotate.', 0.8)]),
      'Keys rotate. [a]',
    );
  });

  it('[SRH-35] quotes no sentence that shares no word with the query', () => {
    const texts = ['Safes lock. Doors open.', 'It is what it was.', '# Vault\n\n---\nSafes lock.'];
    for (const text of texts) assert.equal(quoteAnswer('vault', [result('a', text)]), NO_SENTENCE);
    assert.equal(
      quoteAnswer('vault', [result('a', 'Safes lock.', 0.9), result('b', 'Vaults lock.', 0.1)]),
      'Vaults lock. [b]',
    );
    assert.equal(quoteAnswer('what is it about?', [result('a', 'What is it about?')]), NO_SENTENCE);
  });

  it('[SRH-35] quotes no sentence that shares only a small part of the query', () => {
    const passages = [result('a', 'Every month the garden is watered.')];
    const query = 'which month does the vault rotate';
    assert.equal(quoteAnswer(query, passages), NO_SENTENCE);
    assert.equal(quoteAnswer(query, passages, { month: 60 }), NO_SENTENCE);
  });

  it('[SRH-35] quotes no sentence that shares much less of the query than the best sentence', () => {
    const text = 'Only engineers start a rotation. The vault key rotates every month.';
    const passages = [result('a', text), result('b', 'Keys are small.', 0.9)];
    assert.equal(
      quoteAnswer('when does the vault key rotate', passages),
      'The vault key rotates every month. [a]',
    );
  });

  it('[SRH-35] quotes below a title with the query the sentence with the remaining words, or else the first sentence', () => {
    const text = 'Staff have 20 weeks. They can be taken in two parts.';
    const leave = (heading: string) => [result('a', text, 0.5, { name: 'Handbook', heading })];
    assert.equal(
      quoteAnswer('how many parts has parental leave', leave('Parental leave')),
      'They can be taken in two parts. [a]',
    );
    assert.equal(
      quoteAnswer('parental leave', leave('Parental leave')),
      'Staff have 20 weeks. [a]',
    );
    assert.equal(quoteAnswer('parental leave of contractors', leave('Sick leave')), NO_SENTENCE);
  });

  it('[SRH-35] quotes a sentence that another phrasing of the query finds', () => {
    const passages = [result('a', 'The webhook is signed.')];
    assert.equal(quoteAnswer('web hook', passages, { web: 1, hook: 1 }), NO_SENTENCE);
    assert.equal(quoteAnswer('web hook', passages, {}, 'webhook'), 'The webhook is signed. [a]');
  });

  it('[SRH-31] quotes a long sentence unchanged up to the end of a word', () => {
    const text = `keys ${'abcdefgh '.repeat(60)}end`;
    const answer = quoteAnswer('keys', [result('a', text)]);
    const quote = answer.replace(' [a]', '');
    assert.ok(text.startsWith(quote) && quote.endsWith('abcdefgh') && quote.length <= 400);
    const full = `${'x'.repeat(395)} abcd`;
    assert.equal(quoteAnswer('abcd', [result('a', `${full} efgh`)]), `${full} [a]`);
    assert.equal(quoteAnswer('abcd', [result('a', full)]), `${full} [a]`);
    assert.equal(
      quoteAnswer('x'.repeat(500), [result('a', 'x'.repeat(500))]),
      `${'x'.repeat(400)} [a]`,
    );
    assert.equal(
      quoteAnswer('x'.repeat(500), [result('a', 'x'.repeat(400))]),
      `${'x'.repeat(400)} [a]`,
    );
  });

  it('[SRH-31] cuts no character in two, in a long sentence or in the text for a model', () => {
    for (const before of ['', 'x']) {
      const text = before + '🐦'.repeat(1000);
      const quoted = quoteAnswer('dogs', [result('a', `dogs${text}`)]);
      assert.ok(quoted.isWellFormed(), quoted);
      const row = { name: 'Birds', heading: null, text } as ChunkRow;
      assert.ok(shown({ row }, 0, 100).text.isWellFormed());
    }
  });

  it('[SRH-31] quotes a sentence over several lines unchanged, without list marks before it', () => {
    const text =
      '**Rule.** The vault\nrotates monthly. Done.\n- The vault\n  is locked.\n1. Vault: two.';
    for (const [query, quote] of [
      ['vault rotates', 'The vault\nrotates monthly.'],
      ['vault locked', 'The vault\n  is locked.'],
      ['vault two', 'Vault: two.'],
    ] as const)
      assert.equal(quoteAnswer(query, [result('a', text)]), `${quote} [a]`);
    const code = 'Set the key:\n```\nkey = 1\nkey = 2\n```\nkey is set';
    assert.equal(quoteAnswer('what is key 2', [result('a', code)]), 'key = 2 [a]');
  });

  it('[SRH-31] quotes the name of a result without text', () => {
    assert.equal(quoteAnswer('name', [result('a', '')]), 'name of a [a]');
  });

  it('[SRH-31] uses the first ten results', () => {
    const results = Array.from({ length: 11 }, (_, i) =>
      result(`r${i}`, i < 9 ? '---' : `Keys ${i}.`),
    );
    assert.equal(quoteAnswer('keys', results), 'Keys 9. [r9]');
  });

  it('[SRH-31] says whether nothing was found, or only nothing to quote', () => {
    assert.equal(quoteAnswer('keys', []), NOTHING);
    assert.equal(quoteAnswer('keys', [result('a', '# Keys\n```\n---')]), NO_SENTENCE);
    assert.equal(quoteAnswer('keys', [result('a', '```keys\n```\n ~~~keys\n~~~')]), NO_SENTENCE);
  });
});
