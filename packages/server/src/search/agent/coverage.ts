/**
 * Measures how much of a question the passages answer: the weight of the terms that the passages contain, as a share of
 * the weight of all terms, and whether one of their sentences would be quoted as an answer.
 */
import { indexTerms } from '../../model/title.ts';
import type { Passage } from '../passage.ts';
import type { ChunkRow } from '../store.ts';
import type { AgentQuestion } from './question.ts';
import { answersTo } from './quote.ts';

/** A user who reads a list of results reads this many, so only these passages count. */
const READ = 10;
/** Passages with the words of the question but without a sentence that answers it count this much. */
const UNANSWERED = 0.5;

export interface Coverage {
  /** The quality is a number from 0 to 1; docs/agentic-search.md says how it is computed. */
  readonly quality: number;
  /** These terms are in none of the passages. */
  readonly missing: ReadonlySet<string>;
  /** For each part of the question, this has the largest share that a single passage covers, and that passage. */
  readonly parts: readonly { readonly share: number; readonly passage: Passage | undefined }[];
}

/** `passages` are in order, best first. */
export function coverageOf(question: AgentQuestion, passages: readonly Passage[]): Coverage {
  const read = passages.slice(0, READ).map((passage) => ({ passage, terms: termsOf(passage.row) }));
  const together = new Set(read.flatMap(({ terms }) => [...terms]));
  const parts = question.parts.map((part) => {
    let best: { share: number; passage: Passage | undefined } = { share: 0, passage: undefined };
    for (const { passage, terms } of read) {
      const share = shareOf(question, part.terms, terms);
      if (share > best.share) best = { share, passage };
    }
    return best;
  });
  const weights = question.parts.map((part) => weightOf(question, part.terms));
  const whole = sum(weights);
  const single =
    whole === 0 ? 0 : sum(parts.map(({ share }, i) => share * (weights[i] ?? 0))) / whole;
  const words = (shareOf(question, question.terms, together) + single) / 2;
  const isAnswered = answersTo(question, passages).length > 0;
  return {
    quality: isAnswered ? words : UNANSWERED * words,
    missing: new Set(question.terms.filter((term) => !together.has(term))),
    parts,
  };
}

/** Returns the share of the question's weight that this chunk contains. */
export const shareIn = (question: AgentQuestion, row: ChunkRow): number =>
  shareOf(question, question.terms, termsOf(row));

/** Returns the share of the question's weight that these terms have. */
export const shareOfTerms = (question: AgentQuestion, terms: readonly string[]): number =>
  shareOf(question, question.terms, new Set(terms));

function shareOf(
  question: AgentQuestion,
  asked: readonly string[],
  held: ReadonlySet<string>,
): number {
  const all = weightOf(question, asked);
  const found = weightOf(
    question,
    asked.filter((term) => held.has(term)),
  );
  return all === 0 ? 0 : found / all;
}

const weightOf = ({ weight }: AgentQuestion, terms: readonly string[]) => sum(terms.map(weight));
const termsOf = (row: ChunkRow): ReadonlySet<string> => new Set(indexTerms(row));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
