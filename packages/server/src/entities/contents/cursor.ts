/**
 * A cursor says where a page ended. Pages go through the connections in order, in each through the entities, and in
 * each through the chunks. A page that takes too long may end at a record that the reader must not know of. So cursors
 * are encrypted, and padded so that their length does not reveal the length of an id.
 */
import { invalid } from '../../errors.ts';
import type { Vault } from '../../secrets.ts';

/** PostgreSQL rejects a greater number, because the column cannot hold it. */
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
   * Reads the cursor that the caller gave as `after` in this `part` of the request. Throws a 422 for a text that was
   * not written for this collection.
   */
  read(text: string | undefined, part: 'query' | 'body'): ContentsCursor | undefined;
}

/** The length of the sealed text is a multiple of this many bytes. */
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
        // The vault opens only cursors of this collection. With another text, the reader can only begin again.
        throw invalid(
          'after is not a value of next from a page of this collection: begin again without it',
          { loc: [part, 'after'] },
        );
      }
    },
  };
}
