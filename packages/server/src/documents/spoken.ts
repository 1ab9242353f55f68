/** Writes what is spoken, in subtitles or in a recording, as paragraphs that say at which time they begin. */
import type { Converted } from './convert.ts';
import { joinParts } from './join-parts.ts';
import { textLine } from './markdown-writer.ts';

export interface SpokenParagraph {
  /** This is in seconds. */
  readonly start: number;
  /** A line begins where the speaker changes. */
  readonly lines: readonly string[];
}

const SHORTEST_SECONDS = 30;
const LONGEST_SECONDS = 60;
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u;

/** A paragraph ends with the first sentence that ends after the shorter time, and at the latest after the longer one. */
export const lastsLongEnough = (seconds: number, lastLine: string): boolean =>
  seconds >= LONGEST_SECONDS || (seconds >= SHORTEST_SECONDS && SENTENCE_END.test(lastLine));

/** Without paragraphs, the text is empty. */
export function spokenMarkdown(
  paragraphs: Iterable<SpokenParagraph>,
): Required<Pick<Converted, 'text' | 'pages' | 'places'>> {
  const parts: string[] = [];
  const places: string[] = [];
  for (const { start, lines } of paragraphs) {
    parts.push(lines.map((line, i) => textLine(line, i > 0)).join('\n'));
    places.push(`time ${clock(start)}`);
  }
  return { ...joinParts(parts), places };
}

/** Returns a time in seconds as `00:12:04`. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
