/**
 * A floor holds the quality of the built-in search: a change in how texts are cut, split into words or embedded
 * shows here whether questions still find their answers. The floors lie one hundredth below the measured values;
 * raise them with every gain.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { embeddedText, split } from '../../documents/split.ts';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import { terms } from '../../model/terms.ts';
import { indexTerms } from '../../model/title.ts';
import { createBm25, ndcg10 } from './ranking.ts';

type Span = readonly [start: number, end: number];

interface Question {
  readonly question: string;
  readonly document: string;
  readonly excerpts: readonly Span[];
}

interface Passage {
  readonly document: string;
  readonly span: Span;
  readonly terms: readonly string[];
  readonly embedded: string;
}

const read = (name: string): string =>
  readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const questions = read('questions.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Question);
const documents = [...new Set(questions.map(({ document }) => document))];
const texts = new Map(documents.map((document) => [document, read(`${document}.md`)]));

/** Cuts the document as the pipeline does, and finds the spans of the pieces in its text. */
function pieces(document: string, text: string): Passage[] {
  let at = 0;
  return split({ name: '', text }).map((piece) => {
    const start = text.indexOf(piece.text, at);
    assert.ok(start >= at, 'a piece is not in the text');
    at = start + piece.text.length;
    return {
      document,
      span: [start, at],
      terms: indexTerms({ name: '', ...piece }),
      embedded: embeddedText('', piece),
    };
  });
}

/** Cuts the document as a splitter does that knows nothing of texts. */
function windows(document: string, text: string): Passage[] {
  return [...text.matchAll(/(?:\S+\s+){1,160}/g)].map(({ 0: window, index }) => ({
    document,
    span: [index, index + window.length],
    terms: terms(window),
    embedded: window,
  }));
}

interface Figures {
  words: number;
  vectors: number;
  both: number;
  /** One passage contains the whole excerpt, for this share of the excerpts. */
  whole: number;
}

async function measure(passages: readonly Passage[]): Promise<Figures> {
  const embedder = createBuiltinEmbedder();
  const { signal } = new AbortController();
  const embed = (list: readonly string[]) => embedder.embed(list, 'document', signal);
  const vectors = await embed(passages.map(({ embedded }) => embedded));
  const queries = await embed(questions.map(({ question }) => question));
  const bm25 = createBm25(passages.map((passage) => passage.terms));
  const figures: Figures = { words: 0, vectors: 0, both: 0, whole: 0 };
  questions.forEach(({ question, document, excerpts }, i) => {
    const words = bm25(terms(question));
    const best = Math.max(...words, 1e-9);
    const cosines = Float64Array.from(vectors, (vector) =>
      vector.reduce((sum, x, d) => sum + x * queries[i]![d]!, 0),
    );
    const relevant = new Set(
      [...passages.keys()].filter(
        (p) =>
          passages[p]!.document === document &&
          excerpts.some(
            ([start, end]) => start < passages[p]!.span[1] && end > passages[p]!.span[0],
          ),
      ),
    );
    const holders = [...relevant].map((p) => passages[p]!.span);
    const whole = excerpts.filter(([start, end]) =>
      holders.some((span) => span[0] <= start && end <= span[1]),
    );
    figures.words += ndcg10(words, relevant) / questions.length;
    figures.vectors += ndcg10(cosines, relevant) / questions.length;
    figures.both +=
      ndcg10(
        words.map((score, p) => score / best + 0.5 * cosines[p]!),
        relevant,
      ) / questions.length;
    figures.whole += whole.length / excerpts.length / questions.length;
  });
  return figures;
}

describe('quality', () => {
  let ours: Figures;
  let plain: Figures;

  before(async () => {
    const all = (cut: typeof pieces) => [...texts].flatMap(([name, text]) => cut(name, text));
    ours = await measure(all(pieces));
    plain = await measure(all(windows));
  });

  it('is measured with enough questions', () => {
    assert.deepEqual(documents, ['state_of_the_union', 'chatlogs', 'finance']);
    assert.equal(questions.length, 200);
  });

  it('of the words stays', () => {
    assert.ok(ours.words >= 0.872, `nDCG@10 ${ours.words}`);
  });

  it('of the vectors stays', () => {
    assert.ok(ours.vectors >= 0.715, `nDCG@10 ${ours.vectors}`);
  });

  it('of both together stays, and is better than that of either', () => {
    assert.ok(ours.both >= 0.875, `nDCG@10 ${ours.both}`);
    assert.ok(ours.both > ours.words && ours.both > ours.vectors, JSON.stringify(ours));
  });

  it('of the pieces is better than that of windows of 160 words', () => {
    assert.ok(ours.both > plain.both, `nDCG@10 ${ours.both} against ${plain.both}`);
    assert.ok(ours.whole >= 0.973, `${ours.whole} of the excerpts whole`);
    assert.ok(ours.whole >= plain.whole + 0.1, `${ours.whole} against ${plain.whole}`);
  });
});
