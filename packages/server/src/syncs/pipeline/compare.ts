/** Compares a record with its stored row. */
import { isCurrentExtract, type OptionalKinds } from '../../documents/kinds.ts';
import type { Upsert } from '../../sources/items.ts';
import { datesOf, type SourceRecord, type Touch } from './decision.ts';
import { isSameRecipe, keptRecipe, type Recipe } from './recipe.ts';
import type { StoredEntity } from './store.ts';

/** Records are compared and counted by these properties of the current attempt of a job. */
export interface SyncAttempt {
  readonly jobId: string;
  /** This is the generation of the current pull. */
  readonly generation: number;
  /** This is the generation of the job's first pull. */
  readonly firstGeneration: number;
  /**
   * Returns the recipe for a record of this type. It is the type that the source gives; transformers may change it
   * later.
   */
  readonly recipe: (type: string) => Recipe;
  /** This names the attempt. A record that its transformers failed is not tried again in the same attempt. */
  readonly attempt: string;
  /** Files of these kinds are read too. */
  readonly optional?: OptionalKinds | undefined;
}

/** This record has its whole text. */
export interface ExtractedUpsert extends Upsert {
  /** This names the converters that have made the text. */
  readonly extractVersion: string;
  /** This names the content of the file of which the text was extracted (`Extracted`). */
  readonly contentHash: string | null;
}

/** This record must be processed again. */
export interface Stale extends SourceRecord {
  readonly stored: StoredEntity | undefined;
  /** The rows of the record get this recipe after it has passed the transformers. */
  readonly recipe: Recipe;
  readonly version: string | null;
  readonly partition: string;
  readonly parent: string | null;
  readonly contentHash: string | null;
}

export function compare(
  { entity, version, partition, parent: above, extractVersion, contentHash }: ExtractedUpsert,
  { hash, stored }: Pick<Stale, 'hash' | 'stored'>,
  by: SyncAttempt,
): Stale | Touch {
  const parent = above ?? null;
  const recipe = { ...by.recipe(entity.type), extract_version: extractVersion };
  const isUnchanged =
    stored !== undefined &&
    stored.origin === null &&
    (stored.source_hash ?? stored.hash) === hash &&
    isUpToDate(stored, recipe, by);
  if (!isUnchanged)
    return { entity, hash, stored, recipe, version, partition, parent, contentHash };
  const place = { generation: by.generation, version, partition, parent };
  return { kind: 'touch', stored, ...place, contentHash, ...datesOf(entity) };
}

type StubVersion = { version: string; type: string; isAgain?: boolean };

/** Returns true when the record of the stub is unchanged and has been processed as it would be now. */
export const isUnchangedStub = (
  stub: StubVersion,
  stored: StoredEntity | undefined,
  by: SyncAttempt,
): stored is StoredEntity =>
  hasSameSource(stub, stored, by) &&
  isSameRecipe(stored, keptRecipe(by.recipe(stub.type), stored, by.optional));

/**
 * Returns true when the record of the stub is stored as its source would give it, so that the source need not be asked
 * for it, although the stored record must be processed again.
 */
export const hasSameSource = (
  stub: StubVersion,
  stored: StoredEntity | undefined,
  by: SyncAttempt,
): stored is StoredEntity =>
  stored !== undefined &&
  !stub.isAgain &&
  stored.origin === null &&
  stored.version === stub.version &&
  // A transformer may have given the entity another type.
  (stored.source_hash !== null || stored.entity_type === stub.type) &&
  isCurrentExtract(stored.extract_version, by.optional) &&
  isWell(stored, by);

/**
 * Returns true when the stored record is as its source gave it, so that the source need not be asked for the record
 * while nothing has changed above it. Transformers may have given it another type, so their part of the recipe is not
 * compared: a sync begins with what they change (reprocess.ts).
 */
export const isWholeChild = (stored: StoredEntity, by: SyncAttempt): boolean => {
  const { chain, chain_version } = stored;
  const recipe = { ...by.recipe(stored.entity_type), chain, chain_version };
  return isUpToDate(stored, keptRecipe(recipe, stored, by.optional), by);
};

const isUpToDate = (stored: StoredEntity, recipe: Recipe, by: SyncAttempt): boolean =>
  isWell(stored, by) && isSameRecipe(stored, recipe);

/** A damaged record cannot be read, and a record that an earlier attempt failed is tried again. */
const isWell = (stored: StoredEntity, by: SyncAttempt): boolean =>
  !stored.is_damaged && (stored.failed_attempt === null || stored.failed_attempt === by.attempt);
