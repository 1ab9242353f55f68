/** Derives from a document alone what must be stored of it. */
import { embeddedText, split } from '../../../documents/split.ts';
import type { Entity } from '../../../model/entity.ts';
import { termNumbers } from '../../../model/terms.ts';
import { indexTerms } from '../../../model/title.ts';
import { quantize } from '../../../model/vector.ts';
import { embedding } from '../embedder.ts';
import type { ChunkRow, EntityRow } from './observe.ts';

interface Expected {
  readonly text: string;
  readonly heading: string | null;
  /** Counts the terms of the chunk. */
  readonly length: number;
  readonly scale: number;
  readonly vector: Uint8Array;
  /** These are the bytes of `termNumbers`. */
  readonly terms: Uint8Array;
}

const known = new WeakMap<Entity, readonly Expected[]>();

export function expectedChunks(entity: Entity): readonly Expected[] {
  let chunks = known.get(entity);
  if (!chunks) {
    chunks = split(entity).map((piece) => {
      const vector = quantize(embedding(embeddedText(entity.name, piece)));
      const terms = indexTerms({ name: entity.name, ...piece });
      return {
        text: piece.text,
        heading: piece.heading,
        length: terms.length,
        scale: vector.scale,
        vector: new Uint8Array(vector.values.buffer),
        terms: new Uint8Array(termNumbers(terms).buffer),
      };
    });
    known.set(entity, chunks);
  }
  return chunks;
}

const columns = new WeakMap<Entity, [keyof EntityRow, EntityRow[keyof EntityRow]][]>();

function expectedColumns(entity: Entity) {
  let expected = columns.get(entity);
  if (!expected) {
    const row: Partial<EntityRow> = {
      entity_type: entity.type,
      name: entity.name,
      url: entity.url ?? null,
      breadcrumbs: JSON.stringify(entity.breadcrumbs ?? []),
      source_created_at: entity.createdAt?.getTime() ?? null,
      source_updated_at: entity.updatedAt?.getTime() ?? null,
      viewers: entity.access?.viewers ? JSON.stringify(entity.access.viewers) : null,
      is_public: entity.access?.isPublic ? 1 : 0,
      metadata: JSON.stringify(entity.fields),
    };
    expected = Object.entries(row) as [keyof EntityRow, EntityRow[keyof EntityRow]][];
    columns.set(entity, expected);
  }
  return expected;
}

/** Returns the columns that differ from the document. */
export const wrongColumns = (row: EntityRow, entity: Entity): string[] =>
  expectedColumns(entity).flatMap(([column, value]) => (row[column] === value ? [] : [column]));

/**
 * Returns all that a search result shows of a row besides its times and its text. `metadata` has the revision
 * of the text.
 */
export const contentOf = (row: EntityRow): string =>
  JSON.stringify([
    row.entity_type,
    row.name,
    row.url,
    row.breadcrumbs,
    row.viewers,
    row.is_public,
    row.metadata,
  ]);

/** Returns what is wrong with the stored chunks of a document, or undefined. */
export function wrongChunks(entity: Entity, chunks: readonly ChunkRow[]): string | undefined {
  const expected = expectedChunks(entity);
  if (chunks.length !== expected.length)
    return `${chunks.length} chunks instead of ${expected.length}`;
  for (const [i, chunk] of chunks.entries()) {
    const right = expected[i]!;
    if (chunk.position !== i) return `chunk ${i} is at ${chunk.position}`;
    if (chunk.text !== right.text || chunk.heading !== right.heading)
      return `the text of chunk ${i}`;
    if (chunk.length !== right.length) return `the length of chunk ${i}`;
    if (chunk.scale !== right.scale || Buffer.compare(chunk.vector!, right.vector) !== 0)
      return `the vector of chunk ${i}`;
    if (chunk.terms === null || Buffer.compare(chunk.terms, right.terms) !== 0)
      return `the words of chunk ${i}`;
  }
  return undefined;
}
