/**
 * An answer without a language model: sentences quoted word for word from the results, each followed
 * by the id of its chunk in brackets.
 */
import { terms } from '../model/terms.ts';

interface Quotable {
  readonly entity_id: string;
  readonly md_content: string;
  readonly score: number;
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

/** The sentences that share a word with the query, or the first one. */
function quotesOf(result: Quotable, asked: ReadonlySet<string>): Quote[] {
  const quotes = sentencesOf(result.md_content).map((text) => {
    const shared = [...new Set(terms(text))].filter((term) => asked.has(term)).length;
    return { text, id: result.entity_id, value: shared / Math.max(1, asked.size) + result.score };
  });
  const sharing = quotes.filter(({ value }) => value > result.score);
  return sharing.length > 0 ? sharing : quotes.slice(0, 1);
}

/** Lines of a text in sentences, without headings, rules and fences. */
export function sentencesOf(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*(#{1,6}\s|```|~~~)/.test(line))
    .flatMap((line) => [...sentences.segment(line)])
    .map(({ segment }) => shorten(segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function shorten(sentence: string): string {
  if (sentence.length <= LONGEST) return sentence;
  const cut = sentence.slice(0, LONGEST + 1).search(/\s\S*$/);
  return sentence.slice(0, cut > 0 ? cut : LONGEST);
}

function isFirstOfItsText(): (quote: Quote) => boolean {
  const seen = new Set<string>();
  return ({ text }) => {
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  };
}
