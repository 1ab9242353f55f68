/** The tools of a caller act on one of the collections that the caller reaches. */
import { z } from 'zod';
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
  /** Collections of one organization have the same API, which searches them together. */
  readonly api: Api;
}

const Listed = z.array(z.object({ readable_id: z.string(), name: z.string() }));
const PAGE = 1000;

/** Asks the API for all collections that its caller reaches. */
export async function reachedThrough(
  api: Api,
  signal: AbortSignal,
): Promise<ReachableCollection[]> {
  const all: ReachableCollection[] = [];
  for (let read = PAGE; read === PAGE; ) {
    const path = `/v1/collections?skip=${all.length}&limit=${PAGE}`;
    const page = Listed.parse(await api({ method: 'GET', path }, signal));
    all.push(
      ...page.map(({ readable_id, name }) => ({
        ...{ handle: readable_id, collection: readable_id, name, api },
      })),
    );
    read = page.length;
  }
  return all.sort((a, b) => (a.handle < b.handle ? -1 : 1));
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
