/**
 * Decides which weights the built-in reranker uses for a collection: the collection's own weights, which `quarry eval
 * --fit` has stored, or the default weights. They are read in the snapshot of each look, so that a change takes effect
 * in the next search of every thread and process.
 */
import type { Logger } from 'pino';
import type { Db } from '../db/schema.ts';
import type { OwnWeights } from '../model/own-weights.ts';
import { FEATURES, type RerankWeights } from './rank.ts';
import type { SearchedCollections } from './store.ts';
import { type SearchedCollection, storedWeights } from './weights-store.ts';

/** Returns `defaults` when the collection has no weights of its own, or when they are outdated. */
export type WeightsFor = (
  db: Db,
  searched: SearchedCollection,
  defaults: RerankWeights,
) => Promise<RerankWeights>;

/**
 * Returns the weights of a search. Several collections have the default weights, because scores by the own weights of
 * one collection could not be compared with those of another.
 */
export async function weightsOfAll(
  { weightsFor, defaults }: { readonly weightsFor: WeightsFor; readonly defaults: RerankWeights },
  db: Db,
  { organizationId, collectionIds }: SearchedCollections,
): Promise<RerankWeights> {
  const [collectionId, ...others] = collectionIds;
  return collectionId === undefined || others.length > 0
    ? defaults
    : weightsFor(db, { organizationId, collectionId }, defaults);
}

export interface CollectionWeights {
  /** Searches of the collection use these weights. */
  readonly used: RerankWeights;
  readonly own: OwnWeights | null;
  /** Searches ignore the own weights for this reason; null where they do not. */
  readonly outdated: string | null;
}

export async function collectionWeights(
  db: Db,
  searched: SearchedCollection,
  defaults: RerankWeights,
): Promise<CollectionWeights> {
  const { own = null, embedder } = (await storedWeights(db, searched)) ?? {};
  if (own === null) return { used: defaults, own, outdated: null };
  const outdated = outdatedBecause(own, embedder);
  return { used: outdated === null ? inOrder(own.weights) : defaults, own, outdated };
}

/** PostgreSQL does not keep the order of names, but sums of scores depend on it in their last bits. */
const inOrder = (weights: OwnWeights['weights']): RerankWeights =>
  Object.fromEntries(FEATURES.map((name) => [name, weights[name]])) as RerankWeights;

function outdatedBecause({ weights, embedder }: OwnWeights, current?: string): string | null {
  const names: readonly string[] = FEATURES;
  const added = names.filter((name) => !Object.hasOwn(weights, name));
  const removed = Object.keys(weights).filter((name) => !names.includes(name));
  if (added.length > 0) return `the reranker has got ${added.join(', ')} since then`;
  if (removed.length > 0) return `the reranker does not have ${removed.join(', ')} any more`;
  return embedder === current
    ? null
    : `they were fitted with the embedder ${embedder}, and the collection has ${current}`;
}

/** The warning about outdated weights is written once, and not by every search. */
export function createWeightsFor(log: Pick<Logger, 'warn'>): WeightsFor {
  const warned = new Set<string>();
  return async (db, searched, defaults) => {
    const { used, own, outdated } = await collectionWeights(db, searched, defaults);
    const { collectionId } = searched;
    const key = `${collectionId} ${own?.fittedAt} ${outdated}`;
    if (outdated !== null && !warned.has(key)) {
      warned.add(key);
      log.warn(
        { collection_id: collectionId, reason: outdated },
        'the own weights of a collection are outdated, and its searches use the default ones: fit them again with quarry eval --fit, or remove them with --reset-weights',
      );
    }
    return used;
  };
}
