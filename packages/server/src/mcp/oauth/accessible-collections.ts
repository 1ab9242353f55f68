/** Gives each collection of an account the name by which the tools address it. */
import type { FastifyRequest } from 'fastify';
import type { ReachableCollection } from '#quarry-mcp';
import { shown } from '../../errors.ts';
import type { App } from '../../http/server.ts';
import { sha256 } from '../../model/hash.ts';
import { must } from '../../util.ts';
import { apiAs, type CallingRequest } from '../own-api.ts';
import { McpRefusal } from '../refusal.ts';
import type { ReachedCollection } from './resource.ts';

const HASH_CHARACTERS = 6;

/**
 * A readable_id is unique only in its organization. When several collections of an account have the same readable_id, a
 * hash of the organization's id is appended to each, after a character that no readable_id contains. So every name is
 * unique. `found` must be ordered by readable_id.
 */
export function toReachableCollections(
  app: App,
  req: CallingRequest & Pick<FastifyRequest, 'ctx'>,
  found: readonly ReachedCollection[],
): ReachableCollection[] {
  const ids = found.map(({ readable_id }) => readable_id);
  const twice = new Set(ids.filter((id, i) => id === ids[i - 1]));
  const organizations = new Map(found.map(({ organization }) => [organization.id, organization]));
  const apiOf = new Map(
    [...organizations].map(([id, organization]) => [
      id,
      apiAs(app, req, { ...req.ctx, organization }),
    ]),
  );
  return found.map(({ readable_id: id, name, organization }) => ({
    handle: twice.has(id) ? `${id}_${sha256(organization.id).slice(0, HASH_CHARACTERS)}` : id,
    collection: id,
    name,
    api: must(apiOf.get(organization.id)),
  }));
}

/** Returns the collection with the wanted name, or all collections when the caller has named none. */
export function onlyWanted(
  reachable: readonly ReachableCollection[],
  wanted: string | null,
): readonly ReachableCollection[] {
  if (wanted === null) return reachable;
  const some = reachable.filter(({ handle, collection }) => [handle, collection].includes(wanted));
  if (some.length === 0)
    throw new McpRefusal(
      400,
      `your account reaches no collection '${shown(wanted)}': leave out X-Collection-Readable-ID to reach all of its collections`,
      { code: 'invalidParams' },
    );
  return some;
}
