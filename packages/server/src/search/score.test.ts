import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Words } from '../engines/embedder/words.ts';
import { termNumbers, terms } from '../model/terms.ts';
import { quantize } from '../model/vector.ts';
import { digestOf } from './digest.ts';
import { plainMeaning } from './meaning.ts';
import { createQuestion } from './question.ts';
import { defaultWeights, FEATURES, type Features, RERANK } from './rank.ts';
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
    collection_id: 'collection',
    connection_id: 'connection',
    short_name: 'push',
  };
  return { head, digest: digestOf(head, { text, scale, vector: new Uint8Array(values.buffer) }) };
}

const isOfEngines = (text: string) => /engine|motor/.test(text);

/** In this language two words have the same meaning, and all others have different meanings. */
const words: Words = {
  weight: () => 1,
  related: (_, chunks) => new Float64Array(chunks.length),
  closeness: () => () => null,
  likenessTo: (text) => (other) => Number(isOfEngines(text) === isOfEngines(other)),
};

const reranker = { words, weights: RERANK };
const { fusion } = defaultWeights({ isBuiltIn: true });

function wanted(query: string, vector: Float32Array): Wanted {
  const readings = [terms(query)];
  const countedTerms = [...new Set(readings.flat())];
  const statistics = {
    chunks: 100,
    averageLength: 4,
    documentFrequencies: countedTerms.map(() => 10),
  };
  const question = createQuestion(readings, { statistics, countedTerms, weightOf: words.weight });
  return { query, question, vector: quantize(vector), meaning: plainMeaning };
}

const asked = wanted('engine noise', unit(1, 0, 0, 0));
const best = candidate(1, 'engine noise', unit(1, 0.1, 0, 0));
const beside = candidate(2, 'a word', unit(0.5, 0.5, 0, 0));
const apart = candidate(3, 'a word', unit(0.5, 0, 0, -0.5));

/** Returns the features row by row. */
function featuresOf(candidates: readonly Candidate[]): Features[] {
  const columns = rerankedFeatures(candidates, asked, reranker);
  return candidates.map(
    (_, row) =>
      Object.fromEntries(FEATURES.map((name) => [name, columns[name][row]])) as unknown as Features,
  );
}

describe('the reranker', () => {
  it('[SRH-10] prefers a chunk on the topic of the best chunk, when two are otherwise equal', () => {
    const [, near, far] = featuresOf([best, beside, apart]);
    assert.ok(near && far && near.topic > far.topic);
    assert.deepEqual({ ...near, topic: 0 }, { ...far, topic: 0 });
  });

  it('[SRH-25] gives the same scores for every order of the rows', () => {
    const rows = Array.from({ length: 30 }, (_, i) =>
      candidate(i, i % 3 === 0 ? 'engine' : 'engine noise', unit(1, i, i * i, -i)),
    );
    const there = featuresOf(rows);
    const back = featuresOf(rows.toReversed()).reverse();
    assert.deepEqual(there, back);
  });

  it('[SRH-10] recognizes a title with the same meaning in another word', () => {
    const rows = ['The motor', 'The garden'].map((name, i) =>
      candidate(i, 'x', unit(0, 1, 0, 0), name),
    );
    const [motor, garden] = featuresOf(rows);
    assert.ok(motor && garden && motor.titleMeaning > garden.titleMeaning);
    assert.equal(motor.title, 0);
  });

  it('[SRH-10] scales the word features of a long query to the range of the other features, in proportion', () => {
    const long = `engine noise ${Array.from({ length: 40 }, (_, i) => `other${i}`).join(' ')}`;
    const rows = ['engine noise', 'engine', 'a word'].map((text, i) =>
      candidate(i, text, unit(0, 1, 0, 0)),
    );
    const lexicalOf = (query: string) => [
      ...rerankedFeatures(rows, wanted(query, unit(1, 0, 0, 0)), reranker).lexical,
    ];
    const [short, raised] = [lexicalOf('engine noise'), lexicalOf(long)];
    assert.ok(short[0]! > 0.4, `a short query is not scaled: ${short}`);
    assert.ok(Math.abs(raised[0]! - 0.3) < 1e-12, `the best chunk has ${raised[0]}`);
    assert.ok(Math.abs(raised[1]! / raised[0]! - short[1]! / short[0]!) < 1e-12, `${raised}`);
    assert.equal(raised[2], 0);
    const of = (strategy: 'hybrid' | 'keyword') =>
      plainScores(rows, wanted(long, unit(1, 0, 0, 0)), fusion[strategy]).columns.lexical?.[0];
    assert.ok(Math.abs(of('hybrid')! - 0.3) < 1e-12);
    assert.ok(of('keyword')! < 0.1, 'a search by words only is not scaled');
  });

  it('[SRH-10] prefers, of two chunks that lack a word, the chunk with a related word', () => {
    const rows = ['engine alone', 'engine loud'].map((text, i) =>
      candidate(i, text, unit(0, 1, 0, 0)),
    );
    const related: Words['related'] = (query, chunks) => {
      assert.deepEqual(query, { terms: ['engin', 'nois'], weights: query.weights });
      return Float64Array.from(chunks, (chunk) =>
        Number(chunk.includes(termNumbers(['loud'])[0]!)),
      );
    };
    const columns = rerankedFeatures(rows, asked, { ...reranker, words: { ...words, related } });
    assert.deepEqual([...columns.related], [0, 1]);
  });

  it('[SRH-10] does not compare the query with the title of a chunk whose name is cut from its text', () => {
    const [cut, titled] = featuresOf([
      candidate(1, 'The motor is loud', unit(0, 1, 0, 0), 'The motor'),
      candidate(2, 'It is loud', unit(0, 1, 0, 0), 'The motor'),
    ]);
    assert.deepEqual([cut?.titleMeaning, titled?.titleMeaning], [0, 1]);
  });

  it('[SRH-23] gives no strong topic when even the best chunks are poor, however similar they are', () => {
    const poor = [candidate(1, 'noise and other words of this text', unit(0.2, 1, 0, 0)), apart];
    const good = [best, beside];
    const strongest = (rows: Candidate[]) =>
      Math.max(...rerankedFeatures(rows, asked, reranker).topic);
    assert.ok(strongest(poor) < strongest(good) / 2, `${strongest(poor)} ${strongest(good)}`);
  });

  it('[SRH-10] takes the topic from the best chunks, each weighted by the square of its score', () => {
    const others = FEATURES.filter((name) => name !== 'topic');
    const total = others.reduce((sum, name) => sum + RERANK[name], 0);
    const scoreOf = (features: Features) =>
      others.reduce((sum, name) => sum + features[name] * RERANK[name], 0) / total;
    const [good, poor] = [unit(1, 0, 0, 0), unit(1, 0, 0, 0)].map((vector, i) =>
      candidate(i, ['engine noise', 'a word'][i]!, vector),
    );
    for (const rows of [[good!], [good!, poor!]]) {
      const features = featuresOf(rows);
      const scores = features.map(scoreOf);
      const sumOf = (power: number) => scores.reduce((sum, score) => sum + score ** power, 0);
      for (const { topic } of features)
        assert.ok(Math.abs(topic - sumOf(3) / sumOf(2)) < 0.01, `${topic} ${scores}`);
    }
  });

  it('[SRH-23] gives 0 to a chunk that has nothing in common with the query', () => {
    const rows = [candidate(1, 'x', unit(0, 1, 0, 0)), candidate(2, 'y', unit(0, 0, 1, 0))];
    assert.deepEqual(Array.from(rerankedScores(rows, asked, reranker).values), [0, 0]);
  });

  it('returns no scores for no candidates', () => {
    assert.deepEqual(featuresOf([]), []);
  });
});

describe('plain scores', () => {
  it('[SRH-06] are those of the arms', () => {
    const { 0: meaning } = plainScores([apart], asked, fusion.neural).values;
    assert.ok(Math.abs(meaning! - Math.SQRT1_2) < 0.01);
    assert.equal(plainScores([apart], asked, fusion.keyword).values[0], 0);
    const { 0: both } = plainScores([best], asked, fusion.hybrid).values;
    assert.ok(both! > 0.4);
  });

  it('have only parts with a weight', () => {
    const parts = (strategy: 'keyword' | 'neural') =>
      partsOf(plainScores([best], asked, fusion[strategy]), 0).map(({ name }) => name);
    assert.deepEqual(parts('keyword'), ['lexical']);
    assert.deepEqual(parts('neural'), ['meaning']);
  });

  it('are the sums of their parts', () => {
    const rows = [best, beside, apart];
    for (const scores of [
      plainScores(rows, asked, fusion.hybrid),
      rerankedScores(rows, asked, reranker),
    ])
      for (const row of rows.keys()) {
        const parts = partsOf(scores, row);
        const sum = parts.reduce((total, part) => total + part.value * part.weight, 0);
        assert.ok(Math.abs(sum - scores.values[row]!) < 1e-12);
        assert.ok(Math.abs(parts.reduce((total, { weight }) => total + weight, 0) - 1) < 1e-12);
      }
  });
});
