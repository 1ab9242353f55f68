import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { terms } from '../../model/terms.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { toPassage } from '../passage.ts';
import { judge } from './judge.ts';

const words = createWords(loadModel());

/** Every word of the question has the same weight. */
function judged(question: string, ...records: readonly (readonly [name: string, text: string])[]) {
  const asked = [...new Set(terms(question))];
  const reading = { terms: asked, weights: asked.map(() => 1), factor: 1 };
  const passages = records.map(([name, text], i) =>
    toPassage(chunkRow({ entity_id: `${i}`, name, text }), 0.5),
  );
  return judge({ text: question, readings: [reading] }, passages, words).map(({ text }) => text);
}

describe('the judgement of statements', () => {
  it('[SRH-35] counts words with a near meaning', () => {
    const text = 'The bread is repaired. The car is repaired. The bread is repaired.';
    assert.equal(judged('automobile repair', ['Guide', text])[0], 'The car is repaired.');
  });

  it('[SRH-35] uses the title and the neighbouring sentences for missing words', () => {
    const text = 'It can be taken in two parts.';
    const question = 'How many parts has parental leave for fathers?';
    assert.deepEqual(judged(question, ['Parental leave for fathers', text]), [text]);
    assert.deepEqual(judged(question, ['Bicycles', text]), []);
  });

  it('[SRH-35] finds the amount in a bill, which has the subject of the question elsewhere', () => {
    const text = 'Kitchen sink, new trap\nLabour: 2 hours\nTotal: 184.50 EUR';
    const question = 'What did the plumber cost?';
    assert.deepEqual(judged(question, ['Bill plumber', text]), ['Total: 184.50 EUR']);
    assert.deepEqual(judged('What did the painter cost?', ['Bill plumber', text]), []);
    // A long record is not about one thing.
    const long = `${'The weather was fine, and we walked along the river. '.repeat(30)}\n${text}`;
    assert.deepEqual(judged(question, ['Diary with a plumber', long]), []);
  });

  it('[SRH-35] refuses a sentence for a question about another year or about a figure that it does not contain', () => {
    const report = ['Report', 'In 2023 support answered 1,142 tickets.'] as const;
    assert.equal(judged('How many tickets did support answer in 2023?', report).length, 1);
    assert.deepEqual(judged('How many tickets did support answer in 2024?', report), []);
    assert.deepEqual(judged('How much did the support tickets of 2023 cost?', report), []);
  });

  it('[SRH-35] accepts a sentence of another record that has the year only if it matches nearly as well', () => {
    const question = 'profit share of employees in 2022';
    const share = [
      'Profit share',
      'The profit share of employees in 2023 was 1,800 euros.',
    ] as const;
    const other = ['Carbon', 'In 2022 employees planted trees.'] as const;
    assert.equal(judged(question, other).length, 1);
    assert.deepEqual(judged(question, share, other), []);
    const right = [
      'Profit share',
      'The profit share of employees in 2022 was 1,500 euros.',
    ] as const;
    assert.equal(judged(question, share, other, right)[0], right[1]);
  });

  it('[SRH-35] prefers a statement to code and to a question', () => {
    const text = 'Does the vault key rotate? The vault key rotates.\n\n```\nvault key rotate\n```';
    assert.equal(judged('vault key rotate', ['Keys', text])[0], 'The vault key rotates.');
  });

  it('[SRH-35] refuses a sentence that shares only one of several meaningful words with the question', () => {
    const note = ['Note', 'Please write a mail.'] as const;
    assert.deepEqual(judged('How do I write a will?', note), []);
    assert.equal(judged('write', note).length, 1);
  });

  it('[SRH-35] is less strict for a language of which the model knows no word', () => {
    const text = '駐車場は地下二階にあります。';
    assert.deepEqual(judged('駐車場はどこですか', ['東京オフィス', text]), [text]);
  });
});
