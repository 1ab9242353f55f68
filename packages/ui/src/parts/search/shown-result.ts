/** Says where a result stands, which part of it is shown, and where its record is. */
import { type Piece, passageOf, plainText } from 'quarry-text/passage';
import type { Answer, Result } from './use-answer.ts';

/** The heading is shown above the passage. */
const withoutHeading = (markdown: string): string => markdown.replace(/^#{1,6} [^\n]*\n+/, '');

const inOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');

export const passageOfResult = ({ md_content }: Result, query: string): Piece[] =>
  passageOf(inOneLine(plainText(withoutHeading(md_content))), query);

/** Returns the names from the root of the source to the record, and the headings below it. */
export function placeOf({ breadcrumbs, metadata }: Result): string[] {
  const headings = metadata.heading?.split(' > ') ?? [];
  return [...breadcrumbs, ...headings.slice(1)];
}

export const isWebAddress = (url: string): boolean => /^https?:/.test(url);

/** Returns true for a source that was searched live. The service stores nothing of it, so its results have no page here. */
export const isLive = (source: string, { federated = [] }: Pick<Answer['metadata'], 'federated'>) =>
  federated.some(({ source_name }) => source_name === source);

const CHUNK = /__chunk_(\d+)$/;

/** Returns the query of the address of the record, at the passage that was found for these words. */
export const recordSearchOf = ({ entity_id, metadata }: Result, query: string) => ({
  id: `${metadata.source_connection_id}:${entity_id.replace(CHUNK, '')}`,
  at: CHUNK.exec(entity_id)?.[1],
  q: query,
});
