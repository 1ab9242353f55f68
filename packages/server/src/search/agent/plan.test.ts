import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { grounded } from '../llm/grounded.ts';
import { type Passage, toPassage } from '../passage.ts';
import type { ChunkRow } from '../store.ts';
import { coverageOf, shareIn } from './coverage.ts';
import { judge, planFor } from './plan.ts';
import { createPool } from './pool.ts';
import { termsIn, understand } from './question.ts';
import { NOTHING, quote } from './quote.ts';

const words = createWords(loadModel());

const ask = (text: string) =>
  understand(
    text,
    {
      chunks: 100,
      averageLength: 10,
      documentFrequencies: termsIn(text).map(() => 1),
    },
    words,
  );
const row = (id: string, text: string, more: Partial<ChunkRow> = {}) =>
  chunkRow({ entity_id: id, text, ...more });
const passage = (id: string, text: string, score = 0.5): Passage => toPassage(row(id, text), score);

describe('the coverage of a question', () => {
  it('is 0 without passages and 1 when one passage contains all words', () => {
    const question = ask('dogs travel free');
    assert.equal(coverageOf(question, []).quality, 0);
    assert.equal(coverageOf(question, [passage('a', 'Free travel for dogs')]).quality, 1);
  });

  it('is the mean of the words in all passages together and the words in the best single passage', () => {
    const question = ask('dogs travel free today');
    const passages = [passage('a', 'dogs travel free'), passage('b', 'today')];
    const { quality, missing, parts } = coverageOf(question, passages);
    assert.ok(Math.abs(quality - (1 + 0.75) / 2) < 1e-9);
    assert.equal(missing.size, 0);
    assert.equal(parts[0]?.passage, passages[0]);
  });

  it('is computed for each part of the question separately', () => {
    const question = ask('Do dogs travel free? Who paints lighthouses?');
    const { quality } = coverageOf(question, [
      passage('a', 'Dogs travel free'),
      passage('b', 'He paints lighthouses'),
    ]);
    assert.equal(quality, 1);
  });

  it('names the better one of two passages that contain the same share of a part', () => {
    const passages = ['a', 'b'].map((id) => passage(id, 'dogs travel'));
    const { parts } = coverageOf(ask('dogs travel free'), passages);
    assert.equal(parts[0]?.passage, passages[0]);
  });

  it('uses only the ten best passages', () => {
    const others = Array.from({ length: 10 }, (_, i) => passage(`${i}`, 'nothing of it'));
    const question = ask('dogs travel');
    const late = coverageOf(question, [...others, passage('a', 'dogs travel')]);
    assert.deepEqual([late.quality, late.missing.size], [0, 2]);
  });

  it('[SRH-35] is halved when no sentence answers the question', () => {
    const question = ask('How many dogs travel free?');
    const of = (text: string) => coverageOf(question, [passage('a', text)]).quality;
    assert.equal(of('Many dogs travel free.'), 0.5);
    assert.equal(of('Many dogs travel free, twelve a day.'), 1);
  });

  it('is 0 for a question without words', () => {
    const question = ask('the of');
    assert.equal(coverageOf(question, [passage('a', 'the of')]).quality, 0);
    assert.equal(shareIn(question, row('a', 'the of')), 0);
  });
});

describe('a plan', () => {
  it('begins with the whole question, with full weight', () => {
    const { actions } = planFor(ask('Do dogs travel free? Who paints "Kap Arkona"?'));
    const searches = actions.map((action) => action.tool === 'search' && [action.query, action.by]);
    assert.deepEqual(searches, [
      ['Do dogs travel free? Who paints "Kap Arkona"?', 'hybrid'],
      ['Do dogs travel free?', 'hybrid'],
      ['Who paints "Kap Arkona"?', 'hybrid'],
      ['Kap Arkona', 'keyword'],
    ]);
    const weights = actions.map((action) => (action.tool === 'search' ? action.weight : 0));
    assert.deepEqual(weights, [1, 0.5, 0.5, 2 / 6]);
  });

  it('continues with the missing words, and ends when none is missing', () => {
    const question = ask('dogs travel on the ferry with zebras');
    const found = passage('a', 'dogs travel');
    const { needsRefinement, actions } = judge(question, coverageOf(question, [found]));
    assert.ok(needsRefinement);
    assert.deepEqual(
      actions.map((action) => (action.tool === 'search' ? [action.by, action.query] : action.tool)),
      [
        ['keyword', 'ferry zebras'],
        'neighbours',
        'read',
        ['neural', 'dogs travel on the ferry with zebras'],
      ],
    );
    const all = judge(question, coverageOf(question, [passage('a', question.text)]));
    assert.deepEqual([all.needsRefinement, all.actions], [false, []]);
  });
});

describe('the evaluation of passages', () => {
  const question = ask('dogs travel on the ferry');
  const of = (quality: number, share = 0) => {
    const parts = [{ share, passage: passage('a', 'dogs') }];
    return judge(question, { quality, missing: new Set(), parts });
  };

  it('needs no refinement from a quality of 0.8 on', () => {
    assert.deepEqual(
      [0.79, 0.8].map((quality) => of(quality).needsRefinement),
      [true, false],
    );
  });

  it('continues with the parts of which no passage contains 60 %', () => {
    const tools = (share: number) => of(0.5, share).actions.map(({ tool }) => tool);
    assert.deepEqual(tools(0.6), []);
    assert.deepEqual(tools(0.59), ['neighbours', 'read', 'search']);
  });
});

describe('the pool of passages', () => {
  it('keeps the best score of each passage, in order, and sorts equal scores by id', () => {
    const pool = createPool();
    pool.add([passage('b', 'x', 0.5), passage('c', 'x', 0.2)]);
    pool.add([passage('c', 'x', 0.7), passage('b', 'x', 0.1), passage('a', 'x', 0.5)]);
    const best = (count: number) => pool.best(count).map(({ id, score }) => [id, score]);
    assert.deepEqual(best(9), [
      ['c__chunk_0', 0.7],
      ['a__chunk_0', 0.5],
      ['b__chunk_0', 0.5],
    ]);
    assert.deepEqual(best(1), [['c__chunk_0', 0.7]]);
  });

  it('halves the score of a passage that was judged irrelevant, until it is judged relevant', () => {
    const pool = createPool();
    const [a, b] = [passage('a', 'x', 0.6), passage('b', 'x', 0.5)];
    pool.add([a, b]);
    pool.judge({ shown: [a, b], relevant: [b] });
    assert.deepEqual(
      pool.best(2).map(({ id, score }) => [id, score]),
      [
        ['b__chunk_0', 0.5],
        ['a__chunk_0', 0.3],
      ],
    );
    pool.judge({ shown: [a], relevant: [a] });
    assert.equal(pool.best(1)[0]?.score, 0.6);
  });
});

describe('a quoted answer', () => {
  it('takes the sentence that adds most, then sentences for the parts still open', () => {
    const question = ask('Do dogs travel free? Who paints lighthouses?');
    const passages = [
      passage('a', '# Dogs\n\nDogs travel free. Dogs bark.'),
      passage('b', 'He sleeps. He paints lighthouses.'),
    ];
    assert.deepEqual(quote(question, passages), {
      text: 'Dogs travel free. [a__chunk_0] He paints lighthouses. [b__chunk_0]',
      citations: ['a__chunk_0', 'b__chunk_0'],
    });
  });

  it('has at most five sentences, and quotes equal sentences from the better passage', () => {
    const animals = 'dogs cats birds bats bees ants'.split(' ');
    const passages = animals.flatMap((word) =>
      [word, `${word}-2`].map((id) => passage(id, `the ${word} of a zoo`)),
    );
    const { citations } = quote(ask(`zoo ${animals.join(' ')}`), passages);
    assert.deepEqual(
      citations,
      animals.slice(0, 5).map((word) => `${word}__chunk_0`),
    );
  });

  it('[SRH-35] quotes no text without a word of the question, and quotes the name of a record without text', () => {
    const question = ask('zebra stripes');
    const nothing = quote(question, [passage('a', 'Nothing.')]);
    assert.deepEqual(nothing.citations, []);
    assert.match(nothing.text, /^No sentence .* answers the question, but the results may\.$/);
    assert.deepEqual(quote(question, []), NOTHING);
    const bare = toPassage(row('b', '', { name: 'zebra.png' }), 0.5);
    assert.equal(quote(question, [bare]).text, 'zebra.png [b__chunk_0]');
  });

  it('[SRH-35] quotes a sentence that answers one part of the question, and none that shares only a small part of it', () => {
    const question = ask(
      'Who paints the lighthouses of the northern coast? What do hungry dogs eat at home before breakfast on a Sunday?',
    );
    const passages = [passage('a', 'Ada paints lighthouses.'), passage('b', 'Home is far.')];
    const { text, citations } = quote(question, passages);
    assert.equal(text, 'Ada paints lighthouses. [a__chunk_0]');
    assert.deepEqual(citations, ['a__chunk_0']);
  });
});

describe('the checked answer of a model', () => {
  const shown = [passage('a', 'Dogs travel free.'), passage('b', 'He paints lighthouses.')];
  for (const [said, given] of [
    [
      'Dogs travel free [1]. He paints lighthouses [2].',
      'Dogs travel free. [a__chunk_0] He paints lighthouses. [b__chunk_0]',
    ],
    [
      'Dogs travel free. [1] He paints lighthouses. [2]',
      'Dogs travel free. [a__chunk_0] He paints lighthouses. [b__chunk_0]',
    ],
    ['Dogs travel free [1][2][9].', 'Dogs travel free. [a__chunk_0] [b__chunk_0]'],
    ['Dogs travel free [secret__chunk_0] [1].', 'Dogs travel free. [a__chunk_0]'],
    // The passage contains three of the five words, then only two.
    ['Dogs travel free zebra morning [1].', 'Dogs travel free zebra morning. [a__chunk_0]'],
    ['Dogs travel cheese zebra morning [1].', null],
    ['Dogs travel free since 1999 [1].', null],
    ['Dogs travel free [1][1].', 'Dogs travel free. [a__chunk_0]'],
    ['He paints lighthouses [0].', null],
    ['Dogs travel free [2].', null],
    ['Dogs travel free.', null],
    ['Dogs travel free [9].', null],
    ['The moon is made of green cheese [1].', null],
    ['[1]', null],
    ['', null],
  ] as const)
    it(`is ${given === null ? 'nothing' : 'the supported part'} for ${JSON.stringify(said)}`, () =>
      assert.equal(grounded(said, ask('who'), shown)?.text ?? null, given));

  it('may contain the words of the question, except for its numbers', () => {
    const asked = ask('zebra morning 1999');
    const given = (said: string) => grounded(said, asked, shown)?.text;
    assert.equal(given('Dogs zebra morning [1].'), 'Dogs zebra morning. [a__chunk_0]');
    assert.equal(given('Dogs travel free 1999 [1].'), undefined);
  });
});
