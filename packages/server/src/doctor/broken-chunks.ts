/** Finds entities whose stored chunks differ from the chunks that would be made from their stored records. */
import type { Db } from '../db/schema.ts';
import type { Entity } from '../model/entity.ts';
import { termNumbers } from '../model/terms.ts';
import { hasTitle, indexTerms } from '../model/title.ts';
import { cut } from '../syncs/pipeline/chunks.ts';
import { chunkVersion } from '../syncs/pipeline/recipe.ts';
import type { ReadableRecord } from '../syncs/pipeline/stored-records.ts';
import { pieces, type StoredPiece } from './pieces-store.ts';

export interface BrokenChunksOptions {
  readonly model: string;
  /** These are row ids of entities that count as damaged without a check. */
  readonly collectionId: string;
  readonly suspects: ReadonlySet<string>;
}

/**
 * Returns the records whose chunks are damaged. The chunks of an older version cannot be compared, because the present
 * version would cut the text differently. For such an entity the function only checks that the positions have no gap
 * and that each chunk has its text. So a repair cannot replace a reindex.
 */
export async function withBrokenChunks(
  db: Db,
  records: readonly ReadableRecord[],
  { model, collectionId, suspects }: BrokenChunksOptions,
): Promise<ReadableRecord[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ stored }) => stored.id);
  const chunks = Map.groupBy(await pieces(db, collectionId, ids), ({ entity }) => entity);
  return records.filter(({ stored, entity }) => {
    const storedPieces = chunks.get(stored.id) ?? [];
    if (suspects.has(stored.id)) return true;
    if (!stored.is_searchable) return storedPieces.length > 0;
    if (stored.chunk_version !== chunkVersion(model)) return !isComplete(storedPieces);
    return !matchEntity(storedPieces, entity, model);
  });
}

const isComplete = (storedPieces: readonly StoredPiece[]): boolean =>
  storedPieces.length > 0 &&
  storedPieces.every(({ position, text }, i) => position === i && text !== null);

function matchEntity(storedPieces: readonly StoredPiece[], entity: Entity, model: string): boolean {
  const expected = cut(entity, model);
  const isTitled = hasTitle(entity);
  return (
    storedPieces.length === expected.length &&
    expected.every(({ piece, position, textHash }, i) => {
      const stored = storedPieces[i];
      return (
        stored?.position === position &&
        stored.text_hash === textHash &&
        stored.text === piece.text &&
        stored.heading === piece.heading &&
        stored.page === piece.page &&
        stored.place === piece.place &&
        stored.line === piece.line &&
        hasTerms(stored, {
          isTitled,
          terms: indexTerms({ name: entity.name, ...piece }, isTitled),
        })
      );
    })
  );
}

function hasTerms(
  { length, terms, is_titled }: StoredPiece,
  expected: { readonly isTitled: boolean; readonly terms: readonly string[] },
): boolean {
  if (length !== expected.terms.length || terms === null) return false;
  return (
    is_titled === expected.isTitled && Buffer.from(termNumbers(expected.terms).buffer).equals(terms)
  );
}
