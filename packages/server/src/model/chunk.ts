/** A chunk is a piece of an entity, small enough to embed, as the index stores it. */
import type { Vector } from './vector.ts';

/** Splitting a text gives pieces. */
export interface Piece {
  /** The text is Markdown, as a search shows it. */
  readonly text: string;
  /** The heading joins the titles of the sections around the piece, outermost first: `Install > Linux`. */
  readonly heading: string | null;
  /** The piece begins on this page of a paged document; the first page is 1. */
  readonly page: number | null;
}

export interface Chunk extends Piece {
  /** This is the row id of the chunk's entity. */
  readonly entity: string;
  /** The first chunk of an entity has index 0. */
  readonly index: number;
  /** This is the SHA-256 (hex) of the text that was embedded: chunks with equal hashes share a vector. */
  readonly textHash: string;
  /** The word arm indexes these stems of name, heading and text, without stop words. */
  readonly terms: readonly string[];
  readonly vector: Vector;
}

/** Returns the id that callers of the API see: `<entityId>__chunk_<index>`. */
export const chunkId = (entityId: string, index: number) => `${entityId}__chunk_${index}`;
