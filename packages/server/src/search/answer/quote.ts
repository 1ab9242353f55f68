/**
 * Writes an answer without a language model: statements quoted word for word from the results, each followed by the
 * id of its chunk in brackets. A statement that does not answer the question is never quoted, because readers take
 * each quote for a part of the answer.
 */
import type { Words } from '../../engines/embedder/words.ts';
import type { Passage } from '../passage.ts';
import type { Question } from '../question.ts';
import { type Inquiry, type Judged, judge } from './judge.ts';

export const NOTHING = 'Nothing in this collection answers the query.';
/** Results were found, and nobody has read them but this program, so they may answer in more than one sentence. */
export const NO_SENTENCE = 'No sentence in this collection answers the query, but the results may.';

const PASSAGES_READ = 10;
/** A further statement is quoted when it adds this share of the question's weight to those before it. */
const ADDS = 1 / 8;
/** When the ranks of the two best statements differ by at most this, either may be the answer, so both are quoted. */
const EQUAL = 0.02;
const MAX_QUOTES = 3;

/** `passages` are in order, best first. */
export function quoteAnswer(
  { query, question }: { readonly query: string; readonly question: Question },
  passages: readonly Passage[],
  words: Words,
): string {
  const readings = question.readings.map(({ slots, weights, factor }) => ({
    terms: [...slots.keys()],
    weights,
    factor,
  }));
  const quotes = quotesFor({ text: query, readings }, passages, { words, most: MAX_QUOTES });
  if (passages.length === 0) return NOTHING;
  return quotes.length === 0 ? NO_SENTENCE : quoteText(quotes);
}

/** Returns the quotes in order, best first; the list is empty when nothing answers. */
export function quotesFor(
  inquiry: Inquiry,
  passages: readonly Passage[],
  { words, most }: { readonly words: Words; readonly most: number },
): Judged[] {
  const [best, ...others] = judge(inquiry, passages.slice(0, PASSAGES_READ), words);
  if (!best) return [];
  const chosen = [best];
  for (const other of others) {
    if (chosen.length === most) break;
    if (chosen.some(({ text }) => text === other.text)) continue;
    const isEqual = chosen.length === 1 && other.rank >= best.rank - EQUAL;
    if (isEqual || addedBy(other, chosen) >= ADDS) chosen.push(other);
  }
  return chosen;
}

/** Returns the share of the question's weight that no chosen statement has. */
function addedBy({ shares, reading }: Judged, chosen: readonly Judged[]): number {
  const alike = chosen.filter((one) => one.reading === reading);
  if (alike.length < chosen.length) return 0;
  let added = 0;
  for (let k = 0; k < shares.length; k++)
    added += Math.max(0, shares[k]! - Math.max(...alike.map((one) => one.shares[k]!)));
  return added;
}

export const quoteText = (quotes: readonly Judged[]): string =>
  quotes.map(({ text, id }) => `${text} [${id}]`).join(' ');
