import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Statistics } from '../engines/ports.ts';
import { termNumbers } from '../model/terms.ts';
import type { Terms } from './digest.ts';
import { createWordScorer, type WordScorer } from './features.ts';
import * as question from './question.ts';
import { columns, FEATURES } from './rank.ts';

const { termsOf } = question;
const WORD_FEATURES = [
  'lexical',
  'coverage',
  'pairs',
  'near',
  'window',
  'run',
  'first',
  'title',
] as const;

const statistics = { chunks: 100, averageLength: 4, documentFrequencies: [10, 10, 10, 10] };
const createQuestion = (
  readings: readonly (readonly string[])[],
  statistics: Statistics,
  weightOf: (term: string) => number = () => 1,
) => question.createQuestion(readings, { statistics, countedTerms: termsOf(readings), weightOf });
const asked = (...terms: string[]) => createQuestion([terms], statistics);
const chunk = (body: readonly string[], title: readonly string[] = []) => {
  return { terms: termNumbers([...title, ...body]), titleLength: title.length };
};
const lexical = (of: question.Question, body: readonly string[]) =>
  createWordScorer(of).lexical(chunk(body));
const wordFeatures = (of: question.Question, body: readonly string[], title?: readonly string[]) =>
  featuresOf(createWordScorer(of), chunk(body, title));
const featuresOf = (scorer: WordScorer, terms: Terms) => {
  const into = columns(FEATURES, 1);
  scorer.features(terms, into, 0);
  return Object.fromEntries(WORD_FEATURES.map((name) => [name, into[name][0]])) as Record<
    (typeof WORD_FEATURES)[number],
    number
  >;
};
const of = (query: string, text: string, title = '') =>
  wordFeatures(
    asked(...query.split(' ')),
    text.split(' '),
    title.split(' ').filter((word) => word !== ''),
  );
const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);
const filler = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');

describe('createQuestion', () => {
  it('uses the idf of BM25, which falls with the number of chunks that contain the term', () => {
    const { readings } = createQuestion([['a', 'b', 'a']], {
      chunks: 10,
      averageLength: 5,
      documentFrequencies: [0, 10],
    });
    assert.deepEqual(readings[0]?.idf, [Math.log(1 + 10.5 / 0.5), Math.log(1 + 0.5 / 10.5)]);
    assert.deepEqual(readings[0]?.counts, [2, 1]);
  });

  it('has no negative idf and no division by zero when statistics are out of date', () => {
    const lagging = { chunks: 1, averageLength: 0, documentFrequencies: [5] };
    const { readings, averageLength } = createQuestion([['a']], lagging);
    assert.ok((readings[0]?.idf[0] ?? 0) > 0);
    assert.equal(averageLength, 1);
  });

  it('sorts distinct terms by their first use', () => {
    assert.deepEqual(
      termsOf([
        ['b', 'a', 'b'],
        ['c', 'a'],
      ]),
      ['b', 'a', 'c'],
    );
  });
});

describe('lexical', () => {
  it('[SRH-04] is BM25 divided by the highest value that the query can reach', () => {
    // With k1 1.2 and b 0.75, a text of average length scores tf / (tf + 1.2).
    close(lexical(asked('a'), ['a', 'x', 'y', 'z']), 1 / 2.2);
    close(lexical(asked('a'), ['a', 'a', 'y', 'z']), 2 / 3.2);
    close(lexical(asked('a', 'b'), ['a', 'x', 'y', 'z']), 1 / 4.4);
    close(lexical(asked('a'), ['a', 'x']), 1 / (1 + 1.2 * (0.25 + 0.75 / 2)));
    close(lexical(asked('a', 'a', 'b'), ['a', 'x', 'y', 'z']), 2 / 3 / 2.2);
  });

  it('[SRH-04] is 0 without a shared term, and for a query without terms', () => {
    assert.equal(lexical(asked('a'), ['b']), 0);
    assert.equal(lexical(createQuestion([[]], statistics), ['b']), 0);
    assert.equal(lexical(asked('a'), []), 0);
  });

  it('[SRH-08] uses the best reading', () => {
    const two = createQuestion([['webhook'], ['web', 'hook']], statistics);
    const both = lexical(two, ['web', 'hook', 'x', 'y']);
    close(both, 1 / 2.2);
    close(lexical(two, ['webhook', 'x', 'y', 'z']), 1 / 2.2);
    assert.ok(wordFeatures(two, ['web', 'hook']).pairs > 0);
  });
});

describe('features', () => {
  it('[SRH-10] pairs counts words that are neighbours in the order of the query', () => {
    close(of('a b', 'a b x y').pairs, 1 / 2.2);
    close(of('a b', 'a b a b').pairs, 2 / 3.2);
    assert.equal(of('a b', 'b a x y').pairs, 0);
    assert.equal(of('a b', 'a x b y').pairs, 0);
    assert.equal(of('a', 'a').pairs, 0);
    assert.equal(of('a a', 'a a').pairs, 0);
    close(of('a b c', 'b c x y').pairs, 1 / 4.4);
  });

  it('[SRH-10] near counts pairs within eight terms, in either order', () => {
    assert.equal(of('a b', `a ${filler(7)} b`).near, 1);
    assert.equal(of('a b', `b ${filler(7)} a`).near, 1);
    assert.equal(of('a b', `a ${filler(8)} b`).near, 0);
    close(of('a b c', 'a b x').near, 0.5);
  });

  it('[SRH-10] window is the largest share of the query within twenty terms', () => {
    assert.equal(of('a b', `a ${filler(19)} b`).window, 1);
    assert.equal(of('a b', `a ${filler(20)} b`).window, 0.5);
    assert.equal(of('a b', `a ${filler(30)} a b`).window, 1);
    assert.equal(of('a b', 'x').window, 0);
  });

  it('[SRH-10] coverage is the share of the query in the chunk, by weight', () => {
    assert.equal(of('a b', 'b a b a').coverage, 1);
    assert.equal(of('a b', 'a x').coverage, 0.5);
    assert.equal(of('a a b', 'b').coverage, 0.5);
    assert.equal(of('a', 'x').coverage, 0);
  });

  it('[SRH-10] give a common word less weight, except in plain BM25', () => {
    const terms = ['a', 'x', 'y', 'z'];
    const plain = createQuestion([['a', 'b']], statistics);
    const damped = createQuestion([['a', 'b']], statistics, (term) => (term === 'b' ? 0.5 : 1));
    close(wordFeatures(damped, terms).coverage, 2 / 3);
    close(wordFeatures(damped, terms).lexical, 2 / 3 / 2.2);
    assert.equal(lexical(damped, terms), lexical(plain, terms));
  });

  it('[SRH-10] run is the longest part of the query that is in the text unchanged', () => {
    assert.equal(of('a b c d e', 'x b c d x a').run, 0.75);
    assert.equal(of('a b c d e', 'a b c d e').run, 1);
    assert.equal(of('a b', 'b a').run, 0.5);
    assert.equal(of('a b', 'a b a b a b').run, 1);
    assert.equal(of('a b', 'x').run, 0);
  });

  it('[SRH-10] first tells how early in the text a word of the query occurs', () => {
    assert.equal(of('a', 'a x').first, 1);
    assert.equal(of('a', `${filler(20)} a`).first, 0.5);
    assert.equal(of('a', 'x').first, 0);
  });

  it('[SRH-10] title is the share of the query in the title, lower for a long title', () => {
    close(of('a b', 'x', 'a b c d e f').title, 1 / 2.2);
    close(of('a b', 'x', 'a').title, 0.5 / (1 + 1.2 * (0.25 + 0.75 / 6)));
    assert.equal(of('a', 'a', 'x').title, 0);
  });

  it('[SRH-23] lie in [0, 1], even with many repetitions', () => {
    const found = of('a b a b', 'a b '.repeat(200).trim(), 'a b');
    for (const [name, value] of Object.entries(found)) assert.ok(value > 0 && value <= 1, name);
  });

  it('are computed for each chunk independently of earlier chunks', () => {
    const scorer = createWordScorer(asked('a', 'b', 'c'));
    const texts = ['a b c a b', 'x', 'c b x a', '', 'b b b', 'a x c'];
    for (const one of [...texts, ...texts.toReversed()]) {
      const terms = chunk(one.split(' '), ['b']);
      assert.deepEqual(featuresOf(scorer, terms), of('a b c', one, 'b'));
      assert.equal(scorer.lexical(terms), lexical(asked('a', 'b', 'c'), ['b', ...one.split(' ')]));
    }
  });

  it('[SRH-08] are lower when only a reading of the model matches', () => {
    const readings = [['a'], ['b', 'c']];
    const both = question.createQuestion(readings, {
      statistics,
      countedTerms: termsOf(readings),
      weightOf: () => 1,
      ownCount: 1,
    });
    const own = of('b c', 'b c x y', 'b');
    for (const [name, value] of Object.entries(wordFeatures(both, ['b', 'c', 'x', 'y'], ['b'])))
      close(value, 0.8 * own[name as keyof typeof own]);
    // When two readings fit equally well, the query itself comes first.
    const half = wordFeatures(both, ['a', 'b', 'x', 'y', 'c', 'z']);
    assert.deepEqual(half, of('a', 'a b x y c z'));
  });

  it('are those of the first reading when two readings are equally good', () => {
    const both = createQuestion(
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      statistics,
    );
    const found = wordFeatures(both, ['a', 'b', 'x', 'y']);
    assert.deepEqual(found, of('a b', 'a b x y'));
    assert.ok(found.pairs > 0);
  });
});
