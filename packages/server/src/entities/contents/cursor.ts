/**
 * A cursor is the position after a page: a connection, an entity of that connection and a chunk of that entity. Pages
 * go through all of them in order. A page that takes too long may end at a record that the caller may not see. So
 * cursors are encrypted, and padded so that their length does not reveal the length of an id.
 */
import { invalid } from '../../errors.ts';
import type { Vault } from '../../secrets.ts';

/** PostgreSQL refuses a greater number, because the column is a 32-bit integer. */
export const LAST_POSITION = 2 ** 31 - 1;

export interface ContentsCursor {
  readonly connection: string;
  readonly entity: string;
  /** This is the position of a chunk, or -1 before the first one. */
  readonly position: number;
}

export interface Cursors {
  write(cursor: ContentsCursor): string;
  /**
   * Decrypts the cursor that a caller has sent as `after`. `part` is the part of the request; an error names it. Throws
   * a 422 for a text that is not a cursor of this collection.
   */
  read(text: string | undefined, part: 'query' | 'body'): ContentsCursor | undefined;
}

/** The length of the encrypted text is a multiple of this many bytes. */
const PADDED_BYTES = 64;

export function cursorsOf(vault: Pick<Vault, 'seal' | 'open'>, collectionId: string): Cursors {
  const row = `cursor of ${collectionId}`;
  return {
    write({ connection, entity, position }) {
      const place = [connection, entity, position];
      const { length } = Buffer.from(JSON.stringify(place));
      return vault.seal([...place, ' '.repeat(PADDED_BYTES - (length % PADDED_BYTES))], row);
    },
    read(text, part) {
      if (text === undefined) return undefined;
      try {
        const [connection, entity, position] = vault.open(text, row) as [string, string, number];
        return { connection, entity, position };
      } catch {
        // The vault decrypts only cursors of this collection.
        throw invalid(
          'after is not a value of next from a page of this collection: begin again without it',
          { loc: [part, 'after'] },
        );
      }
    },
  };
}
