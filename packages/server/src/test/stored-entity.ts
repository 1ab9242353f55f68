/** Rows of entities and recipes for tests of the pipeline. */
import { type Recipe, recipeOf } from '../syncs/pipeline/recipe.ts';
import type { StoredEntity } from '../syncs/pipeline/store.ts';

/** The recipe of entities that are searchable and listed, without transformers. */
export const recipe = (over: Partial<Recipe> = {}): Recipe => ({
  ...recipeOf('a model', { is_searchable: true, is_listable: true }, null),
  ...over,
});

export const storedEntity = (over: Partial<StoredEntity> = {}): StoredEntity => ({
  id: 'row',
  entity_id: 'a',
  entity_type: 'Page',
  hash: 'h1',
  ...recipe(),
  content_hash: null,
  failed_attempt: null,
  is_damaged: false,
  version: 'v1',
  partition: '',
  parent: null,
  below_version: null,
  generation: 4,
  sync_job_id: 'earlier',
  is_listed: true,
  source_hash: null,
  origin: null,
  is_hidden: false,
  has_secret: false,
  viewers: null,
  is_public: false,
  source_created_at: null,
  source_updated_at: 1000,
  created_at: 1,
  modified_at: 1,
  ...over,
});
