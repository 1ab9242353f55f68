/**
 * Writes an answer without a language model: sentences quoted word for word, each followed by the id of its chunk
 * in brackets. The next sentence is always the one that covers most of what the sentences before it leave uncovered. A
 * sentence that answers neither the question nor a part of it is not quoted.
 */
import { answering, type Sentence } from '../answer.ts';
import type { Draft, Passage } from '../passage.ts';
import { shareOfWholeOrPart } from './coverage.ts';
import type { AgentQuestion } from './question.ts';

const MAX_SENTENCES = 5;
const PASSAGES_READ = 20;
/** The answer ends before a sentence that adds less than this share of the question. */
const MIN_GAIN = 0.05;
/** The score of the sentence's passage counts this much beside the words of the sentence. */
const OF_PASSAGE = 0.2;

export const NOTHING: Draft = {
  text: 'Nothing in this collection answers the question.',
  citations: [],
};

/** `passages` are in order, best first. */
export function quote(question: AgentQuestion, passages: readonly Passage[]): Draft {
  const sentences = answering(passages.slice(0, PASSAGES_READ), (held) =>
    shareOfWholeOrPart(question, held),
  );
  if (sentences.length === 0) return NOTHING;
  const whole = question.terms.reduce((sum, term) => sum + question.weight(term), 0);
  const uncovered = new Set(question.terms);
  const chosen: Sentence[] = [];
  while (chosen.length < MAX_SENTENCES) {
    const gain = (sentence: Sentence) => {
      let weight = 0;
      for (const term of uncovered) if (sentence.terms.has(term)) weight += question.weight(term);
      return whole === 0 ? 0 : weight / whole;
    };
    const best = bestOf(sentences, gain);
    if (!best || (chosen.length > 0 && best.gain < MIN_GAIN)) break;
    chosen.push(best.sentence);
    for (const term of best.sentence.terms) uncovered.delete(term);
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
