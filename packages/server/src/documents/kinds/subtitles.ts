/** Turns subtitles into paragraphs, each with the time at which it begins. */
import type { Convert } from '../convert.ts';
import { textLine } from '../markdown-writer.ts';
import { decodeText } from '../plain.ts';
import { cuesOf } from '../subtitles/cues.ts';
import { paragraphsOf } from '../subtitles/paragraphs.ts';

export const convert: Convert = async (bytes) => {
  const source = decodeText(bytes);
  if (source === null) return { reason: 'binary' };
  const paragraphs: string[] = [];
  const pages: number[] = [];
  const places: string[] = [];
  let length = 0;
  for (const { start, lines } of paragraphsOf(cuesOf(source))) {
    const paragraph = lines.map((line, i) => textLine(line, i > 0)).join('\n');
    pages.push(length);
    places.push(`time ${timeOf(start)}`);
    paragraphs.push(paragraph);
    length += paragraph.length + 2;
  }
  if (paragraphs.length === 0)
    return { reason: 'without text that can be read', detail: 'the subtitles have no text' };
  const language = languageOfHeader(source);
  return {
    text: paragraphs.join('\n\n'),
    pages,
    places,
    ...(language !== undefined && { about: { language } }),
  };
};

function timeOf(start: number): string {
  const parts = [Math.floor(start / 3600), Math.floor(start / 60) % 60, start % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** WebVTT files of YouTube say their language below the first line. */
const languageOfHeader = (source: string): string | undefined =>
  /^WEBVTT[^\n]{0,200}\n(?:[^\n]{1,200}\n){0,9}?Language: ([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\n/.exec(
    source.slice(0, 4096),
  )?.[1];
