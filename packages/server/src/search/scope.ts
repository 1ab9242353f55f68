/**
 * Finds out for every look at the data what a search may see: living connections and the groups of the asker.
 * Every path to the data begins here, in the snapshot of its look, so that a deletion or a lost membership counts
 * for the next look, however long a request takes.
 */
import type { Db } from '../db/schema.ts';
import type { SearchIndex } from '../engines/ports.ts';
import { everything, type Filter } from '../model/filter.ts';
import type { Names } from './interpret.ts';
import * as store from './store.ts';

/** A scope is all that a search may see. */
export interface SearchScope extends store.SearchedCollection {
  readonly live: readonly string[];
  readonly filter: Filter;
  /** The list holds the principals and their groups. */
  readonly principals: readonly string[] | null;
}

export interface Asker {
  readonly organizationId: string;
  readonly collection: { readonly id: string };
  /**
   * The search is on behalf of these principals, whose groups are not yet expanded; null means that access control
   * does not apply.
   */
  readonly principals: readonly string[] | null;
}

export interface AskerView {
  readonly connections: readonly { readonly id: string; readonly short_name: string }[];
  scope(filter: Filter): SearchScope;
}

export async function openView(db: Db, asker: Asker): Promise<AskerView> {
  const { organizationId, collection } = asker;
  const place = { organizationId, collectionId: collection.id };
  const connections = await store.liveConnections(db, place);
  const live = connections.map(({ id }) => id);
  const principals = await expandPrincipals(db, asker);
  return {
    connections,
    scope: (filter) => ({ ...place, live, principals, filter }),
  };
}

/** Returns the sources and types of which the asker may see something, each once and in order. */
export async function namesOf(
  index: Pick<SearchIndex, 'kinds'>,
  db: Db,
  { connections, scope }: AskerView,
): Promise<Names> {
  const { collectionId, live, principals } = scope(everything);
  const kinds = await index.kinds(db, collectionId, { live, principals });
  const seen = new Set(kinds.map(({ connectionId }) => connectionId));
  // A source that is searched live has no entities here, and is asked only for askers without principals.
  const sources = connections.filter(({ id }) => principals === null || seen.has(id));
  return {
    sources: inOrder(sources.map(({ short_name }) => short_name)),
    types: inOrder(kinds.map(({ entityType }) => entityType)),
  };
}

const inOrder = (names: readonly string[]): string[] => [...new Set(names)].toSorted();

/** Returns the principals with their groups; null means that access control does not apply. */
export async function expandPrincipals(
  db: Db,
  { organizationId, principals }: Asker,
): Promise<readonly string[] | null> {
  if (principals === null || principals.length === 0) return principals;
  return [...new Set([...principals, ...(await store.groupsOf(db, organizationId, principals))])];
}
