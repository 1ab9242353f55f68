/** This file gives each collection of an account the name by which the tools know it. */
import type { ReachableCollection } from 'quarry-mcp';
import { shown } from '../../errors.ts';
import type { Identity } from '../../http/auth.ts';
import type { App } from '../../http/server.ts';
import { sha256 } from '../../model/hash.ts';
import { apiAs } from '../own-api.ts';
import { McpRefusal } from '../refusal.ts';
import type { Reached } from './resource.ts';

const HASH = 6;

/**
 * A readable_id is unique only in its organization. Where several collections of an account have the same one, each
 * of them gets the mark of its organization behind a character that no readable_id contains, so that no name is
 * ambiguous.
 */
export function toReaches(
  app: App,
  identity: Identity,
  found: readonly Reached[],
): ReachableCollection[] {
  const ids = found.map(({ readable_id }) => readable_id);
  const twice = new Set(ids.filter((id, i) => id === ids[i - 1]));
  return found.map(({ readable_id: id, name, organization }) => ({
    handle: twice.has(id) ? `${id}_${sha256(organization.id).slice(0, HASH)}` : id,
    collection: id,
    name,
    api: apiAs(app, { ...identity, organization }),
  }));
}

/** Gives the collections with the name that the caller wants, or all of them when the caller wants none. */
export function narrowed(
  reaches: readonly ReachableCollection[],
  wanted: string | null,
): readonly ReachableCollection[] {
  if (wanted === null) return reaches;
  const some = reaches.filter(({ handle, collection }) => [handle, collection].includes(wanted));
  if (some.length === 0)
    throw new McpRefusal(
      400,
      `your account reaches no collection '${shown(wanted)}': leave out X-Collection-Readable-ID to reach all of its collections`,
      { code: 'invalidParams' },
    );
  return some;
}
