/** Writes an answer without a language model. It judges as the standard search does which sentences answer a question. */
import type { Judged } from '../answer/judge.ts';
import { quotesFor, quoteText } from '../answer/quote.ts';
import type { Draft, Passage } from '../passage.ts';
import type { AgentQuestion } from './question.ts';

/** A question in parts may need more sentences than a query. */
const MAX_QUOTES = 5;

export const NOTHING: Draft = {
  text: 'Nothing in this collection answers the question.',
  citations: [],
};

const NO_SENTENCE: Draft = {
  text: 'No sentence in this collection answers the question, but the results may.',
  citations: [],
};

/** `passages` are in order, best first. */
export function quote(question: AgentQuestion, passages: readonly Passage[]): Draft {
  const quotes = answersTo(question, passages);
  if (passages.length === 0) return NOTHING;
  if (quotes.length === 0) return NO_SENTENCE;
  return { text: quoteText(quotes), citations: [...new Set(quotes.map(({ id }) => id))] };
}

/** Returns the sentences that answer a part of the question, and then those that answer the whole question. */
export function answersTo(question: AgentQuestion, passages: readonly Passage[]): Judged[] {
  const { words } = question;
  const answersOf = ({ text, terms }: Pick<AgentQuestion, 'text' | 'terms'>) => {
    const weights = terms.map((term) => question.weight(term));
    const inquiry = { text, readings: [{ terms, weights, factor: 1 }] };
    return quotesFor(inquiry, passages, { words, most: MAX_QUOTES });
  };
  const parts = question.parts.length > 1 ? question.parts : [];
  const found = [...parts, question].flatMap(answersOf);
  return found
    .filter(({ text }, i) => found.findIndex((one) => one.text === text) === i)
    .slice(0, MAX_QUOTES);
}
