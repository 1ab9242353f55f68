/** Reads the weights that a collection has of its own. */
import type { Db } from '../db/schema.ts';
import type { OwnWeights } from '../model/own-weights.ts';

export interface SearchedCollection {
  readonly organizationId: string;
  readonly collectionId: string;
}

export interface StoredWeights {
  /** The collection uses the default weights when this is null. */
  readonly own: OwnWeights | null;
  /** This embedder has made the vectors of the collection. */
  readonly embedder: string;
}

/** Returns undefined when the organization does not have the collection. */
export const storedWeights = (
  db: Db,
  { organizationId, collectionId }: SearchedCollection,
): Promise<StoredWeights | undefined> =>
  db
    .selectFrom('collections')
    .select(['rerank_weights as own', 'embedding_model_name as embedder'])
    .where('id', '=', collectionId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
