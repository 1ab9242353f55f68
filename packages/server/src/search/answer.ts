/**
 * Writes an answer without a language model: sentences quoted word for word from the results, each followed by the
 * id of its chunk in brackets. A sentence that does not answer the question is never quoted, because readers take
 * each quote for a part of the answer.
 */
import { terms } from '../model/terms.ts';
import { indexTerms } from '../model/title.ts';
import { beginningOf } from '../util.ts';
import type { Passage } from './passage.ts';
import { type Question, shareOf } from './question.ts';

export const NOTHING = 'Nothing in this collection answers the query.';
const MAX_SENTENCES = 3;
const PASSAGES_READ = 10;
/** A sentence of more characters is quoted up to the last word that fits. */
const LONGEST = 400;
/**
 * A sentence must contain this share of the question's weight; words that only the title above it contains count half.
 * The question's weight includes words that the collection does not have, so that a question about something else
 * stays unanswered although a sentence happens to share a common word with it. docs/quality.md says how this share
 * and the next one were chosen.
 */
const ENOUGH = 0.24;
/** A sentence is not quoted when its share is less than this part of the best sentence's share. */
const OF_BEST = 0.7;

/** `passages` are in order, best first. */
export function quoteAnswer(question: Question, passages: readonly Passage[]): string {
  const sentences = answering(passages.slice(0, PASSAGES_READ), (held) => shareOf(question, held));
  if (sentences.length === 0) return NOTHING;
  const gainOf = ({ share, score }: Sentence) => share + score;
  return sentences
    .toSorted((a, b) => gainOf(b) - gainOf(a))
    .filter(isFirstOfItsText())
    .slice(0, MAX_SENTENCES)
    .map(({ text, id }) => `${text} [${id}]`)
    .join(' ');
}

export interface Sentence {
  readonly text: string;
  /** This is the id of the sentence's chunk. */
  readonly id: string;
  /** These are the terms of the sentence, or of the title where the title alone answers the question. */
  readonly terms: ReadonlySet<string>;
  /** This is the share of the question's weight that the sentence contains, which is above 0. */
  readonly share: number;
  /** This is the score of the passage. */
  readonly score: number;
}

type ShareOf = (held: ReadonlySet<string>) => number;

/**
 * Returns the sentences that answer a question. `shareOf` returns the share of the question's weight that some terms
 * have, from 0 to 1. Each sentence shares a word with the question; where a passage has no such sentence, but its title
 * alone has enough words of the question, the first sentence of the passage is returned.
 */
export function answering(passages: readonly Passage[], shareOf: ShareOf): Sentence[] {
  const found = passages.flatMap((passage) => answeringIn(passage, shareOf));
  const best = found.reduce((most, { share }) => Math.max(most, share), 0);
  return found.filter(({ share }) => share >= OF_BEST * best);
}

function answeringIn({ id, score, row }: Passage, shareOf: ShareOf): Sentence[] {
  const title = new Set(indexTerms({ name: row.name, heading: row.heading, text: '' }));
  const titleShare = shareOf(title);
  const ofTitle = (text: string, share: number) =>
    share >= ENOUGH ? [{ text, id, score, terms: title, share }] : [];
  // A record without a text is found by its name, and has nothing else to quote.
  if (row.text.trim() === '') return ofTitle(row.name, titleShare);
  const texts = sentencesOf(row.text);
  const found = texts.flatMap((text) => {
    const held = new Set(terms(text));
    const own = shareOf(held);
    const share = (own + shareOf(new Set([...held, ...title]))) / 2;
    return own > 0 && share >= ENOUGH ? [{ text, id, score, terms: held, share }] : [];
  });
  return found.length > 0
    ? found
    : texts.slice(0, 1).flatMap((text) => ofTitle(text, titleShare / 2));
}

const sentencesIn = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Returns the sentences as they stand in a text, without headings, rules, fences and the marks of a list. */
function sentencesOf(markdown: string): string[] {
  return blocksOf(markdown)
    .flatMap(piecesOf)
    .map((piece) => shorten(piece.trim().replace(MARKS, '')))
    .filter((sentence) => WORD.test(sentence));
}

const WORD = /[\p{L}\p{N}]/u;
/** The marks of a list, a quotation or a table, and the end of an emphasis, carry no meaning in a quote. */
const MARKS = /^(?:(?:[-+>|]|[*_]+|\d+[.)])\s+)+/;
const BEGINS = /^\s*(?:[-*+>|]|\d+[.)])\s/;

/** Joins lines that belong together: a sentence may run over several lines of a paragraph, but not of code. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let isCode = false;
  let goesOn = false;
  for (const line of markdown.split('\n')) {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || !WORD.test(line) || /^\s*#{1,6}\s/.test(line)) goesOn = false;
    else if (goesOn && !isCode && !BEGINS.test(line)) blocks[blocks.length - 1] += `\n${line}`;
    else {
      blocks.push(line);
      goesOn = true;
    }
  }
  return blocks;
}

/** A sentence may run over the end of a line. */
const piecesOf = (block: string): string[] =>
  [...sentencesIn.segment(block.replaceAll('\n', ' '))].map(({ index, segment }) =>
    block.slice(index, index + segment.length),
  );

function shorten(sentence: string): string {
  if (sentence.length <= LONGEST) return sentence;
  const cut = sentence.slice(0, LONGEST + 1).search(/\s\S*$/);
  return beginningOf(sentence, cut > 0 ? cut : LONGEST);
}

function isFirstOfItsText(): (quote: Sentence) => boolean {
  const seen = new Set<string>();
  return ({ text }) => {
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  };
}
