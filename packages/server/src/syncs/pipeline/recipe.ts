/**
 * A recipe names everything that makes chunks of an entity. An entity is unchanged only if its hash
 * and its recipe stand; a new version of any part re-processes what it concerns at the next full sync,
 * and new transformers what is stored, at the next sync of any kind (reprocess.ts).
 */
import type { SyncConfig } from '../../db/schema.ts';
import { EXTRACT_VERSION } from '../../documents/extract.ts';
import { SPLIT_VERSION } from '../../documents/split.ts';
import { TERMS_VERSION } from '../../model/terms.ts';
import type { Via } from '../../transformers/chain.ts';

export interface Handlers {
  /** Chunks, words and vectors are made, so that a search finds the entities. */
  readonly vectors: boolean;
  /** GET /v1/entities lists them. */
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

/** Without transformers a recipe says nothing of them. */
const VIA = / via:([0-9a-f]+):(?:!(\S+):)?([0-9a-f]+)$/;

export const withVia = (recipe: string, via: Via | null): string =>
  via === null ? withoutVia(recipe) : `${withoutVia(recipe)} via:${via.ids}:${via.digest}`;

/** Of an entity that its transformers have failed in this attempt of a job. */
export const asFailed = (recipe: string, attempt: string): string =>
  recipe.replace(VIA, (_, ids, __, digest) => ` via:${ids}:!${attempt}:${digest}`);

export const hasFailed = (recipe: string): boolean => VIA.exec(recipe)?.[2] !== undefined;

/** True when an entity has passed these transformers, or was failed by them: in these versions. */
export const wentThrough = (recipe: string, via: Via | null): boolean => {
  const [, ids = null, , digest = null] = VIA.exec(recipe) ?? [];
  return ids === (via?.ids ?? null) && digest === (via?.digest ?? null);
};

/** True when what is shown of an entity has passed all of these transformers, in whatever versions. */
export const hasPassed = (recipe: string, via: Via): boolean => VIA.exec(recipe)?.[1] === via.ids;

const withoutVia = (recipe: string): string => recipe.replace(VIA, '');

/**
 * The recipe of an entity whose chunks were made anew from what is stored of it: its text was extracted
 * when it was, and what the collection wants of it is decided at the next full sync.
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

/** Of an entity whose stored record is damaged: no other recipe is equal, so a full sync renews it. */
export const unreadableRecipe = (recipe: string): string =>
  [UNREADABLE, ...recipe.split(' ').slice(1)].join(' ');

export const isReadable = (recipe: string): boolean => !recipe.startsWith(`${UNREADABLE} `);
