/** Recognizes the language of a text. */
import { eld } from 'eld/extrasmall';

/** The beginning of a text is enough. */
const LOOKED_AT = 16_000;
const SAMPLE = 4_000;
/** Names, headings and single sentences are often taken for another language. */
const FEWEST_LETTERS = 120;
/** A character of these scripts stands for a syllable or a word. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
const WIDE_COUNTS = 4;
/** Program text and lists of values have more marks than sentences do. */
const MOST_MARKS = 0.06;
const FEWEST_LETTERS_OF_ALL = 0.7;

/**
 * Returns a language tag (BCP 47), or undefined for a text that is short, that is not written in sentences, or whose
 * language is doubtful. Two halves of the text must have the same language, so a text in two languages has none.
 */
export function languageOf(text: string): string | undefined {
  const sample = sentencesIn(text.slice(0, LOOKED_AT)).slice(0, SAMPLE).toWellFormed();
  if (!isProse(sample)) return undefined;
  const middle = sample.indexOf(' ', sample.length / 2);
  const halves = middle === -1 ? [sample] : [sample.slice(0, middle), sample.slice(middle)];
  const found = new Set(halves.map((half) => reliable(half)));
  return found.size === 1 ? [...found][0] : undefined;
}

function reliable(text: string): string | undefined {
  const result = eld.detect(text);
  return result.language !== '' && result.isReliable() ? result.language : undefined;
}

/** Removes code, tables, addresses and marks of Markdown. */
const sentencesIn = (text: string): string =>
  text
    .replaceAll(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|(?![\s\S]))/gm, ' ')
    .replaceAll(/^\|.*$/gm, ' ')
    .replaceAll(/`[^`\n]{0,200}`|\b\w{2,10}:\/\/\S{1,500}|@\S{1,100}/g, ' ')
    .replaceAll(/^[ \t>]*(?:#{1,6}|[-*+]|\d{1,9}[.)])[ \t]/gm, ' ')
    .replaceAll(/\s+/g, ' ');

function isProse(sample: string): boolean {
  const letters = sample.match(/\p{L}|\p{M}/gu)?.length ?? 0;
  const wide = sample.match(WIDE)?.length ?? 0;
  if (letters + wide * (WIDE_COUNTS - 1) < FEWEST_LETTERS) return false;
  const visible = sample.match(/\S/g)?.length ?? 0;
  const marks = sample.match(/[{}<>=;()[\]_\\/|$#&@^~+]/g)?.length ?? 0;
  return letters > visible * FEWEST_LETTERS_OF_ALL && marks < letters * MOST_MARKS;
}
