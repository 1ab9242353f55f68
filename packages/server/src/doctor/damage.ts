/** Finds entities whose chunks differ from the chunks that their records give. */
import type { Db } from '../db/schema.ts';
import type { Entity } from '../model/entity.ts';
import { indexTerms, termNumbers } from '../model/terms.ts';
import { cut } from '../syncs/pipeline/prepare.ts';
import { remadeRecipe, wantsChunks } from '../syncs/pipeline/recipe.ts';
import { pieces, type StoredPiece } from './remake-store.ts';

/**
 * Returns the row ids of these entities. Today's code cuts chunks of an older recipe differently, so for such
 * entities it only checks that the positions have no gap and each chunk has its text: a repair does not replace a
 * reindex.
 */
export async function damagedOf(
  db: Db,
  records: readonly { readonly row: string; readonly recipe: string; readonly entity: Entity }[],
  suspects: ReadonlySet<string>,
  model: string,
): Promise<Set<string>> {
  const stored = Map.groupBy(
    records.length === 0
      ? []
      : await pieces(
          db,
          records.map(({ row }) => row),
        ),
    (piece) => piece.entity,
  );
  const isDamaged = ({ row, recipe, entity }: (typeof records)[number]) => {
    const there = stored.get(row) ?? [];
    if (suspects.has(row)) return true;
    if (!wantsChunks(recipe)) return there.length > 0;
    if (remadeRecipe(recipe, model) !== recipe) return !isWhole(there);
    return !isOf(there, entity, model);
  };
  return new Set(records.filter(isDamaged).map(({ row }) => row));
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
