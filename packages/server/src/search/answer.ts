/**
 * An answer without a language model: sentences quoted word for word from the results, each followed
 * by the id of its chunk in brackets.
 */
import { terms } from '../model/terms.ts';
import { beginningOf } from '../util.ts';

interface Quotable {
  readonly entity_id: string;
  readonly md_content: string;
  readonly score: number;
  readonly metadata: { readonly name: string };
}

const MOST_SENTENCES = 3;
const RESULTS_READ = 10;
/** In characters; a longer sentence is quoted up to the last word that fits. */
const LONGEST = 400;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

export function quoteAnswer(query: string, results: readonly Quotable[]): string {
  const asked = new Set(terms(query));
  const quotes = results
    .slice(0, RESULTS_READ)
    .flatMap((result) => quotesOf(result, asked))
    .sort((a, b) => b.value - a.value)
    .filter(isFirstOfItsText());
  if (quotes.length === 0) return 'Nothing in this collection answers the query.';
  return quotes
    .slice(0, MOST_SENTENCES)
    .map(({ text, id }) => `${text} [${id}]`)
    .join(' ');
}

interface Quote {
  readonly text: string;
  readonly id: string;
  readonly value: number;
}

/** The sentences that share a word with the query, or the first one. A record without a text is what its name says. */
function quotesOf(result: Quotable, asked: ReadonlySet<string>): Quote[] {
  const said = result.md_content.trim() === '' ? result.metadata.name : result.md_content;
  const quotes = sentencesOf(said).map((text) => {
    const shared = [...new Set(terms(text))].filter((term) => asked.has(term)).length;
    return { text, id: result.entity_id, value: shared / Math.max(1, asked.size) + result.score };
  });
  const sharing = quotes.filter(({ value }) => value > result.score);
  return sharing.length > 0 ? sharing : quotes.slice(0, 1);
}

/** Sentences as they stand in a text, without headings, rules, fences and the marks of a list. */
export function sentencesOf(markdown: string): string[] {
  return blocksOf(markdown)
    .flatMap(piecesOf)
    .map((piece) => shorten(piece.trim().replace(MARKS, '')))
    .filter((sentence) => WORD.test(sentence));
}

const WORD = /[\p{L}\p{N}]/u;
/** Of a list, a quotation or a table, and the end of an emphasis, before what it says. */
const MARKS = /^(?:(?:[-+>|]|[*_]+|\d+[.)])\s+)+/;
const BEGINS = /^\s*(?:[-*+>|]|\d+[.)])\s/;

/** Lines that belong together: a sentence may go over several of a paragraph, but not of code. */
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

/** The end of a line ends no sentence. */
const piecesOf = (block: string): string[] =>
  [...sentences.segment(block.replaceAll('\n', ' '))].map(({ index, segment }) =>
    block.slice(index, index + segment.length),
  );

function shorten(sentence: string): string {
  if (sentence.length <= LONGEST) return sentence;
  const cut = sentence.slice(0, LONGEST + 1).search(/\s\S*$/);
  return beginningOf(sentence, cut > 0 ? cut : LONGEST);
}

function isFirstOfItsText(): (quote: Quote) => boolean {
  const seen = new Set<string>();
  return ({ text }) => {
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  };
}
