/** What must be stored of a document, worked out from the document alone. */
import { embeddedText, split } from '../../../documents/split.ts';
import type { Entity } from '../../../model/entity.ts';
import { indexTerms } from '../../../model/terms.ts';
import { quantize } from '../../../model/vector.ts';
import { embedding } from '../embedder.ts';
import type { ChunkRow, EntityRow } from './observe.ts';

interface Expected {
  readonly text: string;
  readonly heading: string | null;
  /** Sorted. */
  readonly terms: readonly string[];
  readonly scale: number;
  readonly vector: Uint8Array;
}

const known = new WeakMap<Entity, readonly Expected[]>();

export function expectedChunks(entity: Entity): readonly Expected[] {
  let chunks = known.get(entity);
  if (!chunks) {
    chunks = split(entity).map((piece) => {
      const vector = quantize(embedding(embeddedText(entity.name, piece)));
      return {
        text: piece.text,
        heading: piece.heading,
        terms: indexTerms({ name: entity.name, ...piece }).toSorted(),
        scale: vector.scale,
        vector: new Uint8Array(vector.values.buffer),
      };
    });
    known.set(entity, chunks);
  }
  return chunks;
}

/** The columns that differ from the document. */
export function wrongColumns(row: EntityRow, entity: Entity): string[] {
  const expected: Partial<EntityRow> = {
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
  return (Object.keys(expected) as (keyof EntityRow)[]).filter(
    (column) => row[column] !== expected[column],
  );
}

/** What is wrong with the stored chunks of a document, or undefined. */
export function wrongChunks(
  entity: Entity,
  chunks: readonly ChunkRow[],
  words: ReadonlyMap<number, readonly string[]>,
): string | undefined {
  const expected = expectedChunks(entity);
  if (chunks.length !== expected.length)
    return `${chunks.length} chunks instead of ${expected.length}`;
  for (const [i, chunk] of chunks.entries()) {
    const right = expected[i]!;
    const terms = words.get(chunk.n) ?? [];
    if (chunk.position !== i) return `chunk ${i} is at ${chunk.position}`;
    if (chunk.text !== right.text || chunk.heading !== right.heading)
      return `the text of chunk ${i}`;
    if (chunk.length !== right.terms.length) return `the length of chunk ${i}`;
    if (terms.length !== right.terms.length || terms.some((term, at) => term !== right.terms[at]))
      return `the words of chunk ${i}: ${terms}`;
    if (chunk.scale !== right.scale || Buffer.compare(chunk.vector!, right.vector) !== 0)
      return `the vector of chunk ${i}`;
  }
  return undefined;
}
