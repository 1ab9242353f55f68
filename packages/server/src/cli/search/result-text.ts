/** Puts a result of a search into lines for a terminal. */
import { styleText } from 'node:util';
import { passageOf, plainText } from '#quarry-text/passage';
import { ago } from '#quarry-text/time';
import { plain } from '../live-line.ts';
import type { OriginalOf } from './originals.ts';
import type { ListedResult } from './search.ts';

export interface ShownResults {
  readonly query: string;
  readonly originalOf: OriginalOf;
  readonly now: number;
}

/** Returns lines, each with a line end. Matching words are bold where standard output shows that. */
export function resultText(
  result: ListedResult,
  number: number,
  { query, originalOf, now }: ShownResults,
): string {
  const { md_content, metadata, breadcrumbs, collection } = result;
  const original = originalOf(result);
  const { name, heading, place: part, updated_at } = metadata;
  const place = [
    ...(collection ? [collection.readable_id] : []),
    ...breadcrumbs,
    ...(heading === null ? [] : [heading]),
    ...(part === null ? [] : [part]),
    ...(updated_at === null ? [] : [ago(Date.parse(updated_at), now)]),
  ];
  return [
    `${number}. ${styleText('bold', plain(name))}  ${styleText('dim', plain(place.join(' › ')))}`,
    ...(original === undefined ? [] : [`   ${styleText('cyan', plain(original))}`]),
    `   ${passageText(md_content, query)}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns one line: the part of the text in which the words stand. The heading is shown above it. */
function passageText(markdown: string, query: string): string {
  const text = plainText(markdown.replace(/^#{1,6} [^\n]*\n+/, '')).replaceAll(/\s*\n\s*/g, ' ');
  return passageOf(text, query)
    .map(({ text: part, isMatch }) =>
      isMatch ? styleText(['bold', 'yellow'], plain(part)) : plain(part),
    )
    .join('');
}
