/**
 * A recipe names everything that makes chunks of an entity. An entity is unchanged only if its hash
 * and its recipe stand; a new version of any part re-processes what it concerns at the next full sync.
 */
import type { SyncConfig } from '../db/schema.ts';
import { EXTRACT_VERSION } from '../documents/extract.ts';
import { SPLIT_VERSION } from '../documents/split.ts';
import { TERMS_VERSION } from '../model/terms.ts';

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

/**
 * The recipe of an entity whose chunks were made anew from what is stored of it: its text was extracted
 * when it was, and what the collection wants of it is decided at the next full sync.
 */
export function remadeRecipe(recipe: string, embeddingModel: string): string {
  const parts = recipe.split(' ');
  return [parts[0], SPLIT_VERSION, TERMS_VERSION, embeddingModel, ...parts.slice(-2)].join(' ');
}

export const wantsChunks = (recipe: string): boolean => recipe.split(' ').at(-2) === 'vectors';

const UNREADABLE = 'unreadable';

/** Of an entity whose stored record is damaged: no other recipe is equal, so a full sync renews it. */
export const unreadableRecipe = (recipe: string): string =>
  [UNREADABLE, ...recipe.split(' ').slice(1)].join(' ');

export const isReadable = (recipe: string): boolean => !recipe.startsWith(`${UNREADABLE} `);
