/** Where a page ended: all pages go through the connections in order, then their entities, then their chunks. */
import { invalid } from '../errors.ts';
import { storableText } from '../model/storable.ts';

/** What the column of PostgreSQL holds; a number beyond it is an error there. */
export const LAST_POSITION = 2 ** 31 - 1;

export interface Cursor {
  readonly connection: string;
  readonly entity: string;
  /** Of the chunk; -1 before the first one. */
  readonly position: number;
}

export const writeCursor = ({ connection, entity, position }: Cursor): string =>
  Buffer.from(JSON.stringify([connection, entity, position])).toString('base64url');

/** `part` of the request has it as `after`. */
export function readCursor(text: string | undefined, part: 'query' | 'body'): Cursor | undefined {
  if (text === undefined) return undefined;
  const parts = parse(text);
  if (Array.isArray(parts)) {
    const [connection, entity, position] = parts;
    const isOurs = typeof connection === 'string' && typeof entity === 'string';
    const isStorable = isOurs && storableText(entity) === entity;
    if (isStorable && Number.isInteger(position) && position >= -1 && position <= LAST_POSITION)
      return { connection, entity, position };
  }
  throw invalid('after is not what a page has given as next', { loc: [part, 'after'] });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    // The caller says what is wrong with it.
    return undefined;
  }
}
