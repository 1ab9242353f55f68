/**
 * Writes what is spoken in a recording as paragraphs of half a minute to a minute, so that a search result can say at which
 * time one hears it.
 */
import type { SpokenPassage, Transcript } from '../model/transcript.ts';
import type { Converted } from './convert.ts';
import { textLine } from './markdown-writer.ts';
import { cleanText } from './plain.ts';

/** After this many seconds, a paragraph ends at the end of a sentence. */
const SHORT_S = 30;
/** After this many seconds, a paragraph ends anyway. */
const LONG_S = 60;
const BETWEEN_PARAGRAPHS = '\n\n';
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u;

export function transcriptToMarkdown({ passages, language }: Transcript): Converted {
  const pages: number[] = [];
  const places: string[] = [];
  let text = '';
  for (const { start, words } of paragraphsOf(passages)) {
    if (text !== '') text += BETWEEN_PARAGRAPHS;
    pages.push(text.length);
    places.push(`time ${clock(start)}`);
    text += textLine(words, false);
  }
  return {
    text,
    ...(pages.length > 1 && { pages, places }),
    ...(language !== undefined && { about: { language } }),
  };
}

interface Paragraph {
  readonly start: number;
  readonly words: string;
}

function* paragraphsOf(passages: readonly SpokenPassage[]): Generator<Paragraph> {
  let start = 0;
  let words: string[] = [];
  for (const passage of passages) {
    const spoken = cleanText(passage.text).replaceAll(/\s+/g, ' ').trim();
    if (spoken === '') continue;
    const length = passage.start - start;
    const isFull = length >= LONG_S || (length >= SHORT_S && SENTENCE_END.test(words.at(-1) ?? ''));
    if (words.length > 0 && isFull) {
      yield { start, words: words.join(' ') };
      words = [];
    }
    if (words.length === 0) start = passage.start;
    words.push(spoken);
  }
  if (words.length > 0) yield { start, words: words.join(' ') };
}

/** Returns a time in seconds as `00:12:04`. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
