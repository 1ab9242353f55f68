/**
 * A recipe names everything that makes chunks of an entity. An entity is unchanged only if its hash and its recipe
 * are unchanged. A new version of any part makes the next full sync process the affected entities again. New
 * transformers make the next sync of any kind process the stored records again (reprocess.ts).
 */
import type { SyncConfig } from '../../db/schema.ts';
import { EXTRACT_VERSION } from '../../documents/extract.ts';
import { SPLIT_VERSION } from '../../documents/split.ts';
import { TERMS_VERSION } from '../../model/terms.ts';
import type { Via } from '../../transformers/chain.ts';

export interface Handlers {
  /** Chunks, words and vectors are made, so that a search finds the entities. */
  readonly vectors: boolean;
  /** GET /v1/entities lists the entities. */
  readonly metadata: boolean;
}

export const handlersOf = (config: SyncConfig | null): Handlers => ({
  vectors: config?.handlers.enable_vector_handlers ?? true,
  metadata: config?.handlers.enable_metadata_handlers ?? true,
});

export const recipeOf = (embeddingModel: string, handlers: Handlers): string =>
  [
    EXTRACT_VERSION,
    SPLIT_VERSION,
    TERMS_VERSION,
    embeddingModel,
    handlers.vectors ? 'vectors' : 'no-vectors',
    handlers.metadata ? 'listed' : 'unlisted',
  ].join(' ');

/** A recipe without transformers does not have this part. */
const VIA = / via:([0-9a-f]+):(?:!(\S+):)?([0-9a-f]+)$/;

export const withVia = (recipe: string, via: Via | null): string =>
  via === null ? withoutVia(recipe) : `${withoutVia(recipe)} via:${via.ids}:${via.digest}`;

/** Returns the recipe of an entity that its transformers have failed in this attempt of a job. */
export const asFailed = (recipe: string, attempt: string): string =>
  recipe.replace(VIA, (_, ids, __, digest) => ` via:${ids}:!${attempt}:${digest}`);

export const hasFailed = (recipe: string): boolean => VIA.exec(recipe)?.[2] !== undefined;

/** Returns true when an entity has passed these transformers in these versions, or was failed by them. */
export const wentThrough = (recipe: string, via: Via | null): boolean => {
  const [, ids = null, , digest = null] = VIA.exec(recipe) ?? [];
  return ids === (via?.ids ?? null) && digest === (via?.digest ?? null);
};

/** Returns true when what is shown of an entity has passed all of these transformers, in whatever versions. */
export const hasPassed = (recipe: string, via: Via): boolean => VIA.exec(recipe)?.[1] === via.ids;

const withoutVia = (recipe: string): string => recipe.replace(VIA, '');

/**
 * Returns the recipe of an entity whose chunks were made again from its stored record. The part for the extraction
 * stays, because the text was not extracted again. The parts for the handlers stay, because the next full sync
 * decides them.
 */
export function remadeRecipe(recipe: string, embeddingModel: string): string {
  const [via = ''] = VIA.exec(recipe) ?? [];
  const parts = withoutVia(recipe).split(' ');
  const remade = [parts[0], SPLIT_VERSION, TERMS_VERSION, embeddingModel, ...parts.slice(-2)];
  return remade.join(' ') + via;
}

export const wantsChunks = (recipe: string): boolean =>
  withoutVia(recipe).split(' ').at(-2) === 'vectors';

export const wantsListing = (recipe: string): boolean =>
  withoutVia(recipe).split(' ').at(-1) === 'listed';

const UNREADABLE = 'unreadable';

/**
 * Returns the recipe of an entity whose stored record is damaged. No other recipe equals it, so a full sync renews
 * the entity.
 */
export const unreadableRecipe = (recipe: string): string =>
  [UNREADABLE, ...recipe.split(' ').slice(1)].join(' ');

export const isReadable = (recipe: string): boolean => !recipe.startsWith(`${UNREADABLE} `);
