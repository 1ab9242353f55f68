/** Puts a result of a search into lines for a terminal. */
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { passageOf, plainText } from '#quarry-text/passage';
import { plain } from '../live-line.ts';
import { agoText } from '../words.ts';
import type { FoundResult } from './search.ts';

/** Returns lines, each with a line end. Matching words are bold where standard output shows that. */
export function resultText(
  { md_content, metadata, breadcrumbs, collection, url }: FoundResult,
  number: number,
  { query, now }: { readonly query: string; readonly now: number },
): string {
  const { name, heading, page, updated_at } = metadata;
  const place = [
    ...(collection ? [collection.readable_id] : []),
    ...breadcrumbs,
    ...(heading === null ? [] : [heading]),
    ...(page === null ? [] : [`page ${page}`]),
    ...(updated_at === null ? [] : [agoText(now - Date.parse(updated_at))]),
  ];
  return [
    `${number}. ${styleText('bold', plain(name))}  ${styleText('dim', plain(place.join(' › ')))}`,
    ...(url === '' ? [] : [`   ${styleText('cyan', plain(addressText(url)))}`]),
    `   ${passageText(md_content, query)}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** A file has a path, which a person can use in other commands. */
export const addressText = (url: string): string =>
  url.startsWith('file:') && URL.canParse(url) ? fileURLToPath(url) : url;

/** Returns one line: the part of the text in which the words stand. The heading is shown above it. */
function passageText(markdown: string, query: string): string {
  const text = plainText(markdown.replace(/^#{1,6} [^\n]*\n+/, '')).replaceAll(/\s*\n\s*/g, ' ');
  return passageOf(text, query)
    .map(({ text: part, isMatch }) =>
      isMatch ? styleText(['bold', 'yellow'], plain(part)) : plain(part),
    )
    .join('');
}
