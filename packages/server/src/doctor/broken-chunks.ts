/** Finds entities whose chunks differ from the chunks that their records give. */
import type { Db } from '../db/schema.ts';
import type { Entity } from '../model/entity.ts';
import { indexTerms, termNumbers } from '../model/terms.ts';
import { cut } from '../syncs/pipeline/chunks.ts';
import { chunkVersion } from '../syncs/pipeline/recipe.ts';
import type { ReadableRecord } from '../syncs/pipeline/stored-records.ts';
import { pieces, type StoredPiece } from './pieces-store.ts';

export interface BrokenChunksOptions {
  readonly model: string;
  /** These row ids of entities count as damaged, whatever their chunks look like. */
  readonly suspects: ReadonlySet<string>;
}

/**
 * Returns the records whose chunks are damaged. If an older version made the chunks, the present code would cut the
 * text differently. For such an entity the function only checks that the positions have no gap and that each chunk has
 * its text. So a repair does not replace a reindex.
 */
export async function withBrokenChunks(
  db: Db,
  records: readonly ReadableRecord[],
  { model, suspects }: BrokenChunksOptions,
): Promise<ReadableRecord[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ stored }) => stored.id);
  const chunks = Map.groupBy(await pieces(db, ids), ({ entity }) => entity);
  return records.filter(({ stored, entity }) => {
    const there = chunks.get(stored.id) ?? [];
    if (suspects.has(stored.id)) return true;
    if (!stored.is_searchable) return there.length > 0;
    if (stored.chunk_version !== chunkVersion(model)) return !isWhole(there);
    return !isOf(there, entity, model);
  });
}
const isWhole = (there: readonly StoredPiece[]): boolean =>
  there.length > 0 && there.every(({ position, text }, i) => position === i && text !== null);

function isOf(there: readonly StoredPiece[], entity: Entity, model: string): boolean {
  const expected = cut(entity, model);
  return (
    there.length === expected.length &&
    expected.every(({ piece, position, textHash }, i) => {
      const stored = there[i];
      return (
        stored?.position === position &&
        stored.text_hash === textHash &&
        stored.text === piece.text &&
        stored.heading === piece.heading &&
        stored.page === piece.page &&
        hasTerms(stored, indexTerms({ name: entity.name, ...piece }))
      );
    })
  );
}

function hasTerms({ length, terms }: StoredPiece, expected: readonly string[]): boolean {
  if (length !== expected.length) return false;
  return terms === null || Buffer.from(termNumbers(expected).buffer).equals(terms);
}
