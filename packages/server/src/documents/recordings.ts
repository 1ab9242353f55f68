/**
 * Writes what is spoken in a recording as paragraphs of half a minute to a minute, so that a search result can say at which
 * time one hears it.
 */
import type { SpokenPassage, Transcript } from '../model/transcript.ts';
import { inOneLine } from '../util.ts';
import type { Converted } from './convert.ts';
import { cleanText } from './plain.ts';
import { lastsLongEnough, type SpokenParagraph, spokenMarkdown } from './spoken.ts';

export function transcriptToMarkdown({ passages, language }: Transcript): Converted {
  const { text, pages, places } = spokenMarkdown(paragraphsOf(passages));
  return {
    text,
    ...(pages.length > 1 && { pages, places }),
    ...(language !== undefined && { about: { language } }),
  };
}

function* paragraphsOf(passages: readonly SpokenPassage[]): Generator<SpokenParagraph> {
  let start = 0;
  let last = 0;
  let words: string[] = [];
  for (const passage of passages) {
    const spoken = inOneLine(cleanText(passage.text));
    if (spoken === '') continue;
    // Some servers count the times of each part of a long recording from zero.
    const isOver =
      passage.start < last || lastsLongEnough(passage.start - start, words.at(-1) ?? '');
    if (words.length > 0 && isOver) {
      yield { start, lines: [words.join(' ')] };
      words = [];
    }
    if (words.length === 0) start = passage.start;
    last = passage.start;
    words.push(spoken);
  }
  if (words.length > 0) yield { start, lines: [words.join(' ')] };
}
