/** Turns subtitles into paragraphs, each with the time at which it begins. */
import type { Convert } from '../convert.ts';
import { decodeText } from '../plain.ts';
import { spokenMarkdown } from '../spoken.ts';
import { cuesOf } from '../subtitles/cues.ts';
import { paragraphsOf } from '../subtitles/paragraphs.ts';

export const convert: Convert = async (bytes) => {
  const source = decodeText(bytes);
  if (source === null) return { reason: 'binary' };
  const spoken = spokenMarkdown(paragraphsOf(cuesOf(source)));
  if (spoken.text === '')
    return { reason: 'without text that can be read', detail: 'the subtitles have no text' };
  const language = languageOfHeader(source);
  return { ...spoken, ...(language !== undefined && { about: { language } }) };
};

/** WebVTT files of YouTube say their language below the first line. */
const languageOfHeader = (source: string): string | undefined =>
  /^WEBVTT[^\n]{0,200}\n(?:[^\n]{1,200}\n){0,9}?Language: ([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\n/.exec(
    source.slice(0, 4096),
  )?.[1];
