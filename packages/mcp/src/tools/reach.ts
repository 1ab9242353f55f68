/** A person reaches several collections, and this is one of them. */
import { type Api, ApiError } from '../api.ts';

export interface ReachableCollection {
  /**
   * Tools call the collection by this name: it is the readable_id, with more behind it where several collections
   * have the same one.
   */
  readonly handle: string;
  /** The collection is named by its readable_id. */
  readonly collection: string;
  readonly name: string;
  readonly api: Api;
}

/** Throws the error that the API would give for an unknown collection. */
export function reachOf(
  reaches: readonly ReachableCollection[],
  handle: string,
): ReachableCollection {
  const reach = reaches.find((one) => one.handle === handle);
  if (!reach)
    throw new ApiError(
      404,
      `collection '${handle}' does not exist: get-config lists the existing ones`,
    );
  return reach;
}
