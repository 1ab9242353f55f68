/**
 * An answer without a language model: sentences quoted word for word, each followed by the id of its chunk
 * in brackets. The next sentence is always the one that says most of what none before it has said.
 */
import { indexTerms, terms } from '../../model/terms.ts';
import { sentencesOf } from '../answer.ts';
import type { Draft, Passage } from '../passage.ts';
import type { Question } from './question.ts';

const MOST_SENTENCES = 5;
const PASSAGES_READ = 20;
/** A sentence that adds less than this share of the question is not worth reading. */
const WORTH = 0.05;
/** How much the passage a sentence stands in tells for it, beside its own words. */
const OF_PASSAGE = 0.2;

interface Sentence {
  readonly text: string;
  readonly id: string;
  readonly terms: ReadonlySet<string>;
  /** Of the passage. */
  readonly score: number;
}

/** `passages` are in order, best first, and not empty. */
export function quote(question: Question, passages: readonly Passage[]): Draft {
  const sentences = passages.slice(0, PASSAGES_READ).flatMap(sentencesIn);
  const whole = question.terms.reduce((sum, term) => sum + question.weight(term), 0);
  const open = new Set(question.terms);
  const chosen: Sentence[] = [];
  while (chosen.length < MOST_SENTENCES) {
    const gain = (sentence: Sentence) => {
      let weight = 0;
      for (const term of open) if (sentence.terms.has(term)) weight += question.weight(term);
      return whole === 0 ? 0 : weight / whole;
    };
    const best = bestOf(sentences, gain);
    if (!best || (chosen.length > 0 && best.gain < WORTH)) break;
    chosen.push(best.sentence);
    for (const term of best.sentence.terms) open.delete(term);
  }
  return {
    text: chosen.map(({ text, id }) => `${text} [${id}]`).join(' '),
    citations: [...new Set(chosen.map(({ id }) => id))],
  };
}

function bestOf(sentences: readonly Sentence[], gainOf: (sentence: Sentence) => number) {
  let best: { sentence: Sentence; gain: number; value: number } | undefined;
  for (const sentence of sentences) {
    const gain = gainOf(sentence);
    const value = gain + OF_PASSAGE * sentence.score;
    if (!best || value > best.value) best = { sentence, gain, value };
  }
  return best;
}

/** A sentence is understood under the name and the heading that it stands below. */
function sentencesIn({ id, score, row }: Passage): Sentence[] {
  const above = indexTerms({ name: row.name, heading: row.heading, text: '' });
  const found = sentencesOf(row.text).map((text) => ({
    text,
    id,
    score,
    terms: new Set(terms(text)),
  }));
  // A record without a text is what its name says.
  if (found.length === 0) return [{ text: row.name, id, score, terms: new Set(above) }];
  return found;
}
