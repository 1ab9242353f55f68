/** A chunk is a piece of an entity, small enough to embed, as the index stores it. */
import type { Vector } from './vector.ts';

/** A text is split into pieces. */
export interface Piece {
  /** This is the Markdown that a search shows. */
  readonly text: string;
  /** These are the titles of the sections around the piece, the outermost first: `Install > Linux`. */
  readonly heading: string | null;
  /** This is the page on which the piece begins, counted from 1; null for a document without pages. */
  readonly page: number | null;
}

export interface Chunk extends Piece {
  /** This is the row id of the chunk's entity. */
  readonly entity: string;
  /** The first chunk of an entity has index 0. */
  readonly index: number;
  /** This is the SHA-256 (hex) of the text that was embedded: chunks with equal hashes share a vector. */
  readonly textHash: string;
  /** If false, the text begins with the name, so that `terms` has the words of the name only once (title.ts). */
  readonly isTitled: boolean;
  /** These are the stems of title, heading and text, without stop words. The index of words holds them. */
  readonly terms: readonly string[];
  readonly vector: Vector;
}

/** Returns the id that callers of the API see: `<entityId>__chunk_<index>`. */
export const chunkId = (entityId: string, index: number) => `${entityId}__chunk_${index}`;
