/** Judges one answer: whether it refuses the question, and whether one of its quotes contains the right answer. */
import { type AnswerQuestion, comparable } from './sets.ts';

export interface Verdict {
  readonly question: AnswerQuestion;
  readonly answer: string;
  readonly isRefused: boolean;
  readonly quotes: number;
  /** This is false for a question without answers. */
  readonly holds: boolean;
}

/** Each quoted sentence is followed by the id of its chunk in brackets. */
const END_OF_QUOTE = /\s\[[^\]\s]+__chunk_\d+\](?:\s|$)/;

/** `nothing` is the answer that refuses a question. */
export function judge(question: AnswerQuestion, answer: string, nothing: string): Verdict {
  const isRefused = answer === nothing;
  const quotes = isRefused ? [] : answer.split(END_OF_QUOTE).filter((quote) => quote !== '');
  const texts = quotes.map(comparable);
  const wanted = question.answers.map(comparable);
  const holds = texts.some((text) => wanted.some((one) => text.includes(one)));
  return { question, answer, isRefused, quotes: quotes.length, holds };
}
