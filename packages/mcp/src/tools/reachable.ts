/** The tools of an account act on one of the collections that the account reaches. */
import { type Api, ApiError } from '../api.ts';

export interface ReachableCollection {
  /**
   * The tools name the collection by this handle. It is the readable_id; when several collections have the same
   * readable_id, it ends with a hash.
   */
  readonly handle: string;
  /** This is the readable_id of the collection. */
  readonly collection: string;
  readonly name: string;
  readonly api: Api;
}

/** Finds the collection with this handle. For an unknown handle, throws the same error as the API. */
export function findReachable(
  reachable: readonly ReachableCollection[],
  handle: string,
): ReachableCollection {
  const target = reachable.find((one) => one.handle === handle);
  if (!target)
    throw new ApiError(
      404,
      `collection '${handle}' does not exist: get-config lists the existing ones`,
    );
  return target;
}
