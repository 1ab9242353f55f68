/**
 * A cursor is the position after a page: a connection, an entity of that connection and a chunk of that entity. Pages
 * visit the rows in the order of these three. A page that runs out of time ends at the last row that it has visited,
 * even if the caller has no access to that row. So cursors are encrypted, and padded so that their length hides the
 * length of an id.
 */
import { invalid } from '../../errors.ts';
import type { Vault } from '../../secrets.ts';

/** PostgreSQL refuses a greater number, because the column `chunks.position` is a 32-bit integer. */
export const MAX_POSITION = 2 ** 31 - 1;

export interface ContentsCursor {
  readonly connection: string;
  readonly entity: string;
  /** This is the position of a chunk, or -1 after a page that visits entities instead of chunks. */
  readonly position: number;
  /** This many rows that the caller may see were visited so far; it is missing where nobody asks for it. */
  readonly seen?: number | null;
}

export interface Cursors {
  write(cursor: ContentsCursor): string;
  /**
   * Decrypts the cursor that a caller has sent as `after`. `part` is the part of the request that has `after`; an error
   * names it. Throws a 422 for a text that is not a cursor of this collection.
   */
  read(text: string | undefined, part: 'query' | 'body'): ContentsCursor | undefined;
}

/** The length of a cursor before its encryption grows in steps of this many bytes. */
const PADDED_BYTES = 64;

export function cursorsOf(
  vault: Pick<Vault, 'seal' | 'open'>,
  collectionIds: readonly string[],
): Cursors {
  /** A cursor of another collection cannot be decrypted with this text. */
  const boundTo = `cursor of ${collectionIds.join(' ')}`;
  return {
    write({ connection, entity, position, seen = null }) {
      const place = [connection, entity, position, seen];
      const { length } = Buffer.from(JSON.stringify(place));
      const padding = ' '.repeat(PADDED_BYTES - (length % PADDED_BYTES));
      return String(vault.seal([...place, padding], boundTo));
    },
    read(text, part) {
      if (text === undefined) return undefined;
      try {
        const [connection, entity, position, seen] = vault.open(text, boundTo) as [
          string,
          string,
          number,
          unknown,
        ];
        // A cursor of an earlier version has no number here.
        return { connection, entity, position, ...(typeof seen === 'number' && { seen }) };
      } catch {
        throw invalid(
          "'after' is not the 'next' of an earlier page of this collection: begin again without it",
          { loc: [part, 'after'] },
        );
      }
    },
  };
}
