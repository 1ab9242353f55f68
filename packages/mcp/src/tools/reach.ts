/** A collection as one of several that somebody reaches. */
import { type Api, ApiError } from '../api.ts';

export interface ReachableCollection {
  /** How tools name it: its readable_id, with more behind it where several have the same. */
  readonly handle: string;
  /** readable_id. */
  readonly collection: string;
  readonly name: string;
  readonly api: Api;
}

/** Throws what the API would say. */
export function reachOf(
  reaches: readonly ReachableCollection[],
  handle: string,
): ReachableCollection {
  const reach = reaches.find((one) => one.handle === handle);
  if (!reach)
    throw new ApiError(
      404,
      `collection '${handle}' does not exist: get-config lists those that there are`,
    );
  return reach;
}
