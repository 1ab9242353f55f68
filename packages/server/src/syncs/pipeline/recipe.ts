/**
 * A recipe has the versions and settings that decide the row and the chunks of an entity. An entity is unchanged only
 * if its hash and its recipe are unchanged. A new version of any part makes the next full sync process the affected
 * entities again. New transformers make the next sync of any kind process the stored records again (reprocess.ts).
 *
 * The properties have the names of the columns, because a recipe is stored with each entity.
 */
import type { Selectable } from 'kysely';
import type { EntityTable, SyncConfig } from '../../db/schema.ts';
import { isCurrentExtract, type OptionalKinds, WITHOUT_PARSER } from '../../documents/kinds.ts';
import { SPLIT_VERSION } from '../../documents/split.ts';
import { TERMS_VERSION } from '../../model/terms.ts';
import { TITLE_VERSION } from '../../model/title.ts';
import type { ChainRecipe } from '../../transformers/chain.ts';

export const RECIPE = [
  'extract_version',
  'chunk_version',
  'is_searchable',
  'is_listable',
  'chain',
  'chain_version',
] as const;
export type Recipe = Pick<Selectable<EntityTable>, (typeof RECIPE)[number]>;

/** The `sync_config` of a collection decides these parts of a recipe. */
export type Handlers = Pick<Recipe, 'is_searchable' | 'is_listable'>;

export const handlersOf = (config: SyncConfig | null): Handlers => ({
  is_searchable: config?.handlers.enable_vector_handlers ?? true,
  is_listable: config?.handlers.enable_metadata_handlers ?? true,
});

/**
 * Names the versions of everything that makes chunks of a text: the splitting, the terms, the titles and the embedding
 * model.
 */
export const chunkVersion = (embeddingModel: string): string =>
  [SPLIT_VERSION, TERMS_VERSION, TITLE_VERSION, embeddingModel].join(' ');

/** Returns the recipe of a record that was given as text. A record whose text was extracted gets another version. */
export const recipeOf = (
  embeddingModel: string,
  handlers: Handlers,
  chainRecipe: ChainRecipe | null,
): Recipe => ({
  extract_version: WITHOUT_PARSER,
  chunk_version: chunkVersion(embeddingModel),
  ...handlers,
  ...chainColumns(chainRecipe),
});

/**
 * Returns the recipe of an entity whose chunks were made again from its stored record. The version of the extraction
 * stays, because the text was not extracted again. The handlers stay, because only a full sync changes them.
 */
export const remadeRecipe = (
  { extract_version, is_searchable, is_listable }: Recipe,
  embeddingModel: string,
  chainRecipe: ChainRecipe | null,
): Recipe => ({
  extract_version,
  chunk_version: chunkVersion(embeddingModel),
  is_searchable,
  is_listable,
  ...chainColumns(chainRecipe),
});

const chainColumns = (
  chainRecipe: ChainRecipe | null,
): Pick<Recipe, 'chain' | 'chain_version'> => ({
  chain: chainRecipe?.ids ?? null,
  chain_version: chainRecipe?.digest ?? null,
});

/**
 * Returns the recipe that a stored record would get now, if its text is not extracted again. Its version of the
 * extraction is empty when the text must be extracted again.
 */
export const keptRecipe = (
  recipe: Recipe,
  { extract_version }: Recipe,
  optional?: OptionalKinds,
): Recipe => ({
  ...recipe,
  extract_version: isCurrentExtract(extract_version, optional) ? extract_version : '',
});

/**
 * Returns the recipe of a record of which something was left out that need not be left out for ever. No transformers have
 * this version, so each pull works on the stored record again.
 */
export const incompleteRecipe = (recipe: Recipe): Recipe => ({
  ...recipe,
  chain_version: 'incomplete',
});

export const isSameRecipe = (a: Recipe, b: Recipe): boolean =>
  RECIPE.every((part) => a[part] === b[part]);

/** Returns true when an entity has passed these transformers in these versions, or was failed by them. */
export const hasSameChain = (recipe: Recipe, chainRecipe: ChainRecipe | null): boolean =>
  recipe.chain === (chainRecipe?.ids ?? null) &&
  recipe.chain_version === (chainRecipe?.digest ?? null);

/** Returns true when what is shown of an entity has passed all of these transformers, in whatever versions. */
export const hasPassed = (recipe: Recipe, chainRecipe: ChainRecipe): boolean =>
  recipe.chain === chainRecipe.ids;
