import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { terms } from '../../model/terms.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { toPassage } from '../passage.ts';
import { grounded } from './grounded.ts';

const passages = [
  toPassage(chunkRow({ entity_id: 'dogs', name: 'Rules', text: 'Dogs travel for free.' }), 0.9),
  toPassage(chunkRow({ entity_id: 'ferry', text: 'The ferry leaves at 12 from pier 4.' }), 0.8),
];
const check = (text: string, question = 'how do dogs travel') =>
  grounded(text, { terms: terms(question) }, passages);

describe('the checked answer of a model', () => {
  it('[SRH-11] cites the passages of each sentence by their ids, in the order of the passages', () => {
    assert.deepEqual(
      check('The ferry leaves at 12 [2]. Dogs travel for free [1][2]. The ferry leaves [2][2].'),
      {
        text: 'The ferry leaves at 12. [ferry__chunk_0] Dogs travel for free. [dogs__chunk_0] [ferry__chunk_0] The ferry leaves. [ferry__chunk_0]',
        citations: ['ferry__chunk_0', 'dogs__chunk_0'],
      },
    );
  });

  it('[SRH-11] assigns marks after a full stop to the sentence before them', () => {
    const text = 'Dogs travel for free. [dogs__chunk_0] The ferry leaves. [ferry__chunk_0]';
    for (const said of [
      'Dogs travel for free. [1] The ferry leaves. [2]',
      'Dogs travel for free.[1] The ferry leaves.[2]',
    ])
      assert.equal(check(said)?.text, text);
    assert.equal(
      check('Dogs [1] travel [2] for free.')?.text?.split(' [')[0],
      'Dogs travel for free.',
    );
    assert.equal(check('[1] Dogs travel for free.')?.text, 'Dogs travel for free. [dogs__chunk_0]');
  });

  it('[SRH-31] ignores an id that the model itself wrote', () => {
    for (const forged of [
      '[secret__chunk_0]',
      '[dogs__chunk_0]',
      '[see secret__chunk_12 and more]',
      '[a__chunk_1][b__chunk_2]',
    ]) {
      assert.equal(check(`Dogs travel for free ${forged}.`), null, forged);
      assert.deepEqual(
        check(`Dogs travel for free ${forged}[1].`),
        { text: 'Dogs travel for free. [dogs__chunk_0]', citations: ['dogs__chunk_0'] },
        forged,
      );
    }
  });

  it('[SRH-31] ignores numbers of passages that were not shown', () => {
    for (const number of [0, 3, 99, 999])
      assert.equal(check(`Dogs travel for free [${number}].`), null, `${number}`);
    assert.deepEqual(check('Dogs travel for free [9][1][0].')?.citations, ['dogs__chunk_0']);
  });

  it('leaves out a sentence that cites no passage or is not supported by its passage', () => {
    for (const sentence of [
      'Dogs travel for free.',
      'The moon is made of cheese [1].',
      'The ferry leaves from pier 4 [1].',
      '[1].',
    ])
      assert.equal(check(sentence), null, sentence);
    const { text } = check('The moon is made of cheese [2]. Dogs travel for free [1].') ?? {};
    assert.equal(text, 'Dogs travel for free. [dogs__chunk_0]');
  });

  it('leaves out a sentence with a number that its passage does not contain', () => {
    assert.equal(check('The ferry leaves at 13 from the pier [2].'), null);
    assert.equal(check('The ferry leaves at 12 from the pier [2].')?.citations.length, 1);
    // The question's own words do not support a number.
    assert.equal(check('The ferry leaves at 13 from the pier [2].', 'does it leave at 13'), null);
  });

  it('leaves out a sentence with too few words of the passage or of the question', () => {
    assert.notEqual(check('Dogs gladly travel for free [1].'), null);
    assert.equal(check('Dogs travel gladly for nothing [1].'), null);
    assert.equal(check('Dogs adore sailing beyond distant islands [1].'), null);
    assert.equal(check('Horses swim [1].'), null);
    assert.notEqual(check('Horses swim [1].', 'do horses swim'), null);
    // The name of a passage counts as a part of its text.
    assert.notEqual(check('Rules [1].', ''), null);
  });
});
