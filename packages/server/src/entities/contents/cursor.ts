/**
 * A cursor says where a page ended: all pages go through the connections in order, then their entities, then their
 * chunks. A page that takes too long may end at a record that its reader must not know of, so cursors are sealed, and
 * padded so that their length does not tell that of an id.
 */
import { invalid } from '../../errors.ts';
import type { Vault } from '../../secrets.ts';

/** A greater number is an error on PostgreSQL, whose column holds no greater one. */
export const LAST_POSITION = 2 ** 31 - 1;

export interface ContentsCursor {
  readonly connection: string;
  readonly entity: string;
  /** It is the position of a chunk, or -1 before the first one. */
  readonly position: number;
}

export interface Cursors {
  write(cursor: ContentsCursor): string;
  /** `part` of the request has the text as `after`. Throws a 422 for anything that was not written for this collection. */
  read(text: string | undefined, part: 'query' | 'body'): ContentsCursor | undefined;
}

/** The length of what is sealed is a multiple of so many bytes. */
const PADDED = 64;

export function cursorsOf(vault: Pick<Vault, 'seal' | 'open'>, collectionId: string): Cursors {
  const row = `cursor of ${collectionId}`;
  return {
    write({ connection, entity, position }) {
      const place = [connection, entity, position];
      const { length } = Buffer.from(JSON.stringify(place));
      return vault.seal([...place, ' '.repeat(PADDED - (length % PADDED))], row);
    },
    read(text, part) {
      if (text === undefined) return undefined;
      try {
        const [connection, entity, position] = vault.open(text, row) as [string, string, number];
        return { connection, entity, position };
      } catch {
        // Whatever the vault does not open was not written here; the reader can do nothing else about it.
        throw invalid(
          'after is not what a page of this collection has given as next: begin again without it',
          { loc: [part, 'after'] },
        );
      }
    },
  };
}
