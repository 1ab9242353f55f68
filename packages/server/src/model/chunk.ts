/** A piece of an entity, small enough to embed, as the index stores it. */
import type { Vector } from './vector.ts';

/** What splitting makes of a text. */
export interface Piece {
  /** Markdown, as search shows it. */
  readonly text: string;
  /** Titles of the sections it stands in, outermost first: `Install > Linux`. */
  readonly heading: string | null;
  /** One-based page of a paged document on which it begins. */
  readonly page: number | null;
}

export interface Chunk extends Piece {
  /** Row id of the entity it belongs to. */
  readonly entity: string;
  /** Zero-based position in the entity. */
  readonly index: number;
  /** SHA-256 (hex) of what was embedded: equal hashes share a vector. */
  readonly textHash: string;
  /** What the word arm indexes: stems of name, heading and text, without stop words. */
  readonly terms: readonly string[];
  readonly vector: Vector;
}

/** The id that the outside sees: `<entityId>__chunk_<index>`. */
export const chunkId = (entityId: string, index: number) => `${entityId}__chunk_${index}`;
