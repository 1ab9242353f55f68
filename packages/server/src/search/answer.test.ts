import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quoteAnswer } from './answer.ts';
import { shown } from './llm/answer.ts';
import type { ChunkRow } from './store.ts';

const result = (entity_id: string, md_content: string, score = 0.5) => ({
  entity_id,
  md_content,
  score,
  metadata: { name: `name of ${entity_id}` },
});

describe('quoteAnswer', () => {
  it('[SRH-31] quotes the sentence that shares most with the query, with its id', () => {
    const text = 'Cats sleep. The vault key rotates every month. Dogs bark.';
    assert.equal(
      quoteAnswer('when does the vault key rotate', [result('a__chunk_0', text)]),
      'The vault key rotates every month. [a__chunk_0]',
    );
  });

  it('[SRH-31] quotes three sentences at most, the best first', () => {
    const results = ['a', 'b', 'c', 'd'].map((id, i) =>
      result(id, `Keys of ${id} rotate.`, 0.9 - i / 10),
    );
    assert.equal(
      quoteAnswer('keys', results),
      'Keys of a rotate. [a] Keys of b rotate. [b] Keys of c rotate. [c]',
    );
    const better = [result('x', 'Keys.', 0.1), result('y', 'Vault keys.', 0.1)];
    assert.equal(quoteAnswer('vault keys', better), 'Vault keys. [y] Keys. [x]');
  });

  it('[SRH-31] a sentence that repeats a word of the query says no more of it', () => {
    const text = 'Keys, keys, keys. The vault keys.';
    assert.match(quoteAnswer('vault keys', [result('a', text)]), /^The vault keys\. /);
  });

  it('[SRH-31] says the same sentence once', () => {
    assert.equal(
      quoteAnswer('keys', [result('a', 'Keys rotate.', 0.9), result('b', 'Keys rotate.', 0.8)]),
      'Keys rotate. [a]',
    );
  });

  it('[SRH-31] quotes the beginning of a result that says it in other words', () => {
    assert.equal(
      quoteAnswer('vault', [result('a', '# Vault\n\n---\nSafes lock. Doors open.')]),
      'Safes lock. [a]',
    );
  });

  it('[SRH-31] quotes a long sentence up to a whole word, word for word', () => {
    const text = `keys ${'abcdefgh '.repeat(60)}end`;
    const answer = quoteAnswer('keys', [result('a', text)]);
    const quote = answer.replace(' [a]', '');
    assert.ok(text.startsWith(quote) && quote.endsWith('abcdefgh') && quote.length <= 400);
    const full = `${'x'.repeat(395)} abcd`;
    assert.equal(quoteAnswer('abcd', [result('a', `${full} efgh`)]), `${full} [a]`);
    assert.equal(quoteAnswer('abcd', [result('a', full)]), `${full} [a]`);
    assert.equal(quoteAnswer('x', [result('a', 'x'.repeat(500))]), `${'x'.repeat(400)} [a]`);
    assert.equal(quoteAnswer('x', [result('a', 'x'.repeat(400))]), `${'x'.repeat(400)} [a]`);
  });

  it('[SRH-31] cuts no character of a long sentence in two, nor of what a model is shown', () => {
    for (const before of ['', 'x']) {
      const text = before + '🐦'.repeat(1000);
      const quoted = quoteAnswer('dogs', [result('a', `dogs${text}`)]);
      assert.ok(quoted.isWellFormed(), quoted);
      const row = { name: 'Birds', heading: null, text } as ChunkRow;
      assert.ok(shown({ row }, 0, 100).text.isWellFormed());
    }
  });

  it('[SRH-31] quotes a sentence that goes over lines as it stands, without the marks before it', () => {
    const text =
      '**Rule.** The vault key\nrotates monthly. Done.\n- The vault\n  is locked.\n1. Keys: two.';
    assert.equal(
      quoteAnswer('vault key rotates', [result('a', text)]),
      'The vault key\nrotates monthly. [a] The vault\n  is locked. [a] Keys: two. [a]',
    );
    const code = 'Set the key:\n```\nkey = 1\nkey = 2\n```\nkey is set';
    assert.equal(
      quoteAnswer('key', [result('a', code)]),
      'Set the key: [a] key = 1 [a] key = 2 [a]',
    );
  });

  it('[SRH-31] quotes the name of a result without a text', () => {
    assert.equal(quoteAnswer('name', [result('a', '')]), 'name of a [a]');
  });

  it('[SRH-31] reads the first ten results', () => {
    const results = Array.from({ length: 11 }, (_, i) =>
      result(`r${i}`, i < 9 ? '---' : `Keys ${i}.`),
    );
    assert.equal(quoteAnswer('keys', results), 'Keys 9. [r9]');
  });

  it('[SRH-31] says so when there is nothing to quote', () => {
    const nothing = 'Nothing in this collection answers the query.';
    assert.equal(quoteAnswer('keys', []), nothing);
    assert.equal(quoteAnswer('keys', [result('a', '# Keys\n```\n---')]), nothing);
    assert.equal(quoteAnswer('keys', [result('a', '```keys\n```\n ~~~keys\n~~~')]), nothing);
  });
});
