import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Words } from '../engines/embedder/words.ts';
import { terms } from '../model/terms.ts';
import { quantize } from '../model/vector.ts';
import { digestOf } from './digest.ts';
import { createQuestion } from './question.ts';
import { RERANK } from './rank.ts';
import {
  type Candidate,
  partsOf,
  plainScores,
  rerankedFeatures,
  rerankedScores,
  type Wanted,
} from './score.ts';

const unit = (...values: number[]) => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
};

function candidate(n: number, text: string, vector: Float32Array, name = ''): Candidate {
  const { scale, values } = quantize(vector);
  const head = {
    n,
    position: 0,
    heading: null,
    entity_id: `doc-${n}`,
    name,
    url: null,
    source_updated_at: null,
    viewers: null,
    is_public: true,
    connection_id: 'connection',
    short_name: 'push',
  };
  return { head, digest: digestOf(head, { text, scale, vector: new Uint8Array(values.buffer) }) };
}

/** A language of two words that mean the same, and others that mean something else. */
const words: Words = {
  weight: () => 1,
  vector: (text) => (/engine|motor/.test(text) ? unit(1, 0) : unit(0, 1)),
};

const reranker = { words, weights: RERANK };

function wanted(query: string, vector: Float32Array): Wanted {
  const readings = [terms(query)];
  const asked = [...new Set(readings.flat())];
  const statistics = { chunks: 100, averageLength: 4, documentFrequencies: asked.map(() => 10) };
  const question = createQuestion(readings, { statistics, asked, weightOf: words.weight });
  return { query, question, vector: quantize(vector) };
}

const asked = wanted('engine noise', unit(1, 0, 0, 0));
const best = candidate(1, 'engine noise', unit(1, 0.1, 0, 0));
const beside = candidate(2, 'a word', unit(0.5, 0.5, 0, 0));
const apart = candidate(3, 'a word', unit(0.5, 0, 0, -0.5));

describe('the reranker', () => {
  it('[SRH-10] prefers of two that are equal otherwise what is about the same as the best', () => {
    const [, near, far] = rerankedFeatures([best, beside, apart], asked, reranker);
    assert.ok(near && far && near.topic > far.topic);
    assert.deepEqual({ ...near, topic: 0 }, { ...far, topic: 0 });
  });

  it('[SRH-25] gives the same whatever the order in which a database gives the rows', () => {
    const rows = Array.from({ length: 30 }, (_, i) =>
      candidate(i, i % 3 === 0 ? 'engine' : 'engine noise', unit(1, i, i * i, -i)),
    );
    const there = rerankedFeatures(rows, asked, reranker);
    const back = rerankedFeatures(rows.toReversed(), asked, reranker).reverse();
    assert.deepEqual(there, back);
  });

  it('[SRH-10] sees that a title means the same in another word', () => {
    const rows = ['The motor', 'The garden'].map((name, i) =>
      candidate(i, 'x', unit(0, 1, 0, 0), name),
    );
    const [motor, garden] = rerankedFeatures(rows, asked, reranker);
    assert.ok(motor && garden && motor.titleMeaning > garden.titleMeaning);
    assert.equal(motor.title, 0);
  });

  it('[SRH-23] does not take agreement for relevance: where the best are poor, no topic is strong', () => {
    const poor = [candidate(1, 'noise and other words of this text', unit(0.2, 1, 0, 0)), apart];
    const good = [best, beside];
    const strongest = (rows: Candidate[]) =>
      Math.max(...rerankedFeatures(rows, asked, reranker).map(({ topic }) => topic));
    assert.ok(strongest(poor) < strongest(good) / 2, `${strongest(poor)} ${strongest(good)}`);
  });

  it('has nothing to say about no candidates', () => {
    assert.deepEqual(rerankedFeatures([], asked, reranker), []);
  });
});

describe('plain scores', () => {
  it('[SRH-06] are those of the arms', () => {
    const [meaning] = plainScores([apart], asked, 'neural');
    assert.ok(Math.abs(meaning!.value - Math.SQRT1_2) < 0.01);
    assert.equal(plainScores([apart], asked, 'keyword')[0]!.value, 0);
    const [both] = plainScores([best], asked, 'hybrid');
    assert.ok(both!.value > 0.4);
  });

  it('add up from their parts', () => {
    const scores = [
      ...plainScores([best, apart], asked, 'hybrid'),
      ...rerankedScores([best, beside, apart], asked, reranker),
    ];
    for (const score of scores) {
      const parts = partsOf(score);
      const sum = parts.reduce((total, part) => total + part.value * part.weight, 0);
      assert.ok(Math.abs(sum - score.value) < 1e-12);
      assert.ok(Math.abs(parts.reduce((total, { weight }) => total + weight, 0) - 1) < 1e-12);
    }
  });
});
