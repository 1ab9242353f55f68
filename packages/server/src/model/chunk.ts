/** A chunk is a piece of an entity, small enough to embed, as the index stores it. */
import type { Vector } from './vector.ts';

/** A piece is a part of the text of an entity, before it has words and a vector. */
export interface Piece {
  /** This is the Markdown that a search shows. */
  readonly text: string;
  /** These are the titles of the sections around the piece, the outermost first: `Install > Linux`. */
  readonly heading: string | null;
  /** This is the page on which the piece begins, counted from 1; null for a document without pages. */
  readonly page: number | null;
  /**
   * The piece begins at this page, slide, sheet or time of the document, such as `page 12`, `slide 3`, `sheet Budget` or
   * `time 00:12:04`; null for a document without such parts.
   */
  readonly place: string | null;
  /** The piece begins in this line of the text, counted from 1. */
  readonly line: number;
}

export interface Chunk extends Piece {
  /** This is the row id of the chunk's entity. */
  readonly entity: string;
  /** This is the position of the chunk among the chunks of its entity, from 0. */
  readonly index: number;
  /**
   * This is the SHA-256 (hex) of the embedding model, TERMS_VERSION and the embedded text: chunks with equal hashes
   * have the same vector.
   */
  readonly textHash: string;
  /**
   * If false, the text of the entity begins with its name, so `terms` does not begin with the words of the name
   * (title.ts).
   */
  readonly isTitled: boolean;
  /** These are the stems of title, heading and text, without stop words, as the index of words stores them. */
  readonly terms: readonly string[];
  readonly vector: Vector;
}

/** Returns the id that callers of the API see: `<entityId>__chunk_<index>`. */
export const chunkId = (entityId: string, index: number) => `${entityId}__chunk_${index}`;
