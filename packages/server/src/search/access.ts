/**
 * Decides what an asker may see. For each snapshot, `readView` reads which connections exist and to which groups the
 * asker belongs, so that a deletion or a lost membership during a request takes effect in the next snapshot of that
 * request. `visibleRows` then reads the rows that the index found, and checks each of them once more.
 */
import type { ChunkOfCollection } from '../db/each-collection.ts';
import type { Db } from '../db/schema.ts';
import type { ConnectionEntityType, SearchIndex } from '../engines/ports.ts';
import { everything, type Filter } from '../model/filter.ts';
import { filterMatches } from '../model/filter-matches.ts';
import type { Caused } from '../telemetry/trace.ts';
import { groupsOf } from './groups-store.ts';
import type { Names } from './interpret.ts';
import { idOf, maySee, toMatchable } from './read.ts';
import * as store from './store.ts';

/** A scope says what a search may return. */
export interface SearchScope extends store.SearchedCollections {
  /** These are the ids of the collections' live connections. */
  readonly live: readonly string[];
  readonly filter: Filter;
  /** These are the asker's principals and their groups; null means that access control does not apply. */
  readonly principals: readonly string[] | null;
}

export interface Asker extends Caused {
  readonly organizationId: string;
  /** The list has no id twice. */
  readonly collectionIds: readonly string[];
  /**
   * The search is on behalf of these principals, whose groups are not yet expanded; null means that access control
   * does not apply.
   */
  readonly principals: readonly string[] | null;
}

export interface AskerView {
  readonly connections: readonly {
    readonly id: string;
    readonly short_name: string;
    readonly collection_id: string;
  }[];
  scope(filter: Filter): SearchScope;
}

export async function readView(db: Db, asker: Asker): Promise<AskerView> {
  const { organizationId, collectionIds } = asker;
  const searched = { organizationId, collectionIds };
  const connections = await store.liveConnections(db, searched);
  const live = connections.map(({ id }) => id);
  const principals = await expandPrincipals(db, asker);
  return {
    connections,
    scope: (filter) => ({ ...searched, live, principals, filter }),
  };
}

/** Returns the ids of the connections of which the asker may see something. */
export async function seenConnections(
  index: Pick<SearchIndex, 'kinds'>,
  db: Db,
  view: AskerView,
): Promise<ReadonlySet<string>> {
  const kinds = await kindsOf(index, db, view);
  return new Set(kinds.map(({ connectionId }) => connectionId));
}

/** Returns the sources and types of which the asker may see something, each once and in order. */
export async function namesOf(
  index: Pick<SearchIndex, 'kinds'>,
  db: Db,
  view: AskerView,
): Promise<Names> {
  const { connections } = view;
  const { principals } = view.scope(everything);
  const kinds = await kindsOf(index, db, view);
  const seen = new Set(kinds.map(({ connectionId }) => connectionId));
  // A federated source stores no entities. It is searched only when access control does not apply (null).
  const sources = connections.filter(({ id }) => principals === null || seen.has(id));
  return {
    sources: sortedUnique(sources.map(({ short_name }) => short_name)),
    types: sortedUnique(kinds.map(({ entityType }) => entityType)),
  };
}

async function kindsOf(
  index: Pick<SearchIndex, 'kinds'>,
  db: Db,
  { connections, scope }: AskerView,
): Promise<readonly ConnectionEntityType[]> {
  const { collectionIds, principals } = scope(everything);
  const kinds: ConnectionEntityType[] = [];
  for (const id of collectionIds) {
    const own = connections.filter(({ collection_id }) => collection_id === id);
    const live = own.map((connection) => connection.id);
    kinds.push(...(await index.kinds(db, id, { live, principals })));
  }
  return kinds;
}

const sortedUnique = (names: readonly string[]): string[] => [...new Set(names)].toSorted();

/** Returns the principals with their groups; null means that access control does not apply. */
export async function expandPrincipals(
  db: Db,
  { organizationId, principals }: Asker,
): Promise<readonly string[] | null> {
  if (principals === null || principals.length === 0) return principals;
  return [...new Set([...principals, ...(await groupsOf(db, organizationId, principals))])];
}

/** Reads rows and drops those that fail the access check or the filter, both of which the index has applied before. */
export async function visibleRows(
  db: Db,
  scope: SearchScope,
  asked: readonly ChunkOfCollection[],
): Promise<store.ChunkRow[]> {
  if (asked.length === 0) return [];
  const rows = await store.chunks(db, scope, asked);
  const principals = scope.principals && new Set(scope.principals);
  return rows.filter(
    (row) => maySee(principals, row) && filterMatches(toMatchable(row), scope.filter),
  );
}

/** Returns the items whose rows the asker may see, each with its row. A row of a federated source is complete already. */
export async function withRows<Item extends { readonly row: store.ChunkHead }>(
  db: Db,
  scope: SearchScope,
  items: readonly Item[],
): Promise<(Item & { readonly row: store.ChunkRow })[]> {
  const asked = items.flatMap(({ row }) => (isFederated(row) ? [] : [row]));
  const rows = new Map((await visibleRows(db, scope, asked)).map((row) => [row.n, row]));
  return items.flatMap((item) => {
    const row = isFederated(item.row) ? item.row : rows.get(item.row.n);
    return row ? [{ ...item, row }] : [];
  });
}

/**
 * Returns those of the items from an earlier snapshot that may still be shown, with their rows as they are now. `isWhole`
 * is true when no item was dropped. A chunk that was written again has another number, so it is found by its position in
 * its record. If its text has changed, the item is dropped. A row of a federated source stays as long as its connection
 * exists.
 */
export async function stillVisible<Item extends { readonly row: store.ChunkRow }>(
  db: Db,
  scope: SearchScope,
  items: readonly Item[],
): Promise<{ items: Item[]; isWhole: boolean }> {
  const places = items.flatMap(({ row }) => (isFederated(row) ? [] : [row]));
  const asked = await store.chunksAt(db, places);
  const now = new Map((await visibleRows(db, scope, asked)).map((row) => [keyOf(row), row]));
  const still = items.flatMap((item) => {
    if (item.row.n < 0) return scope.live.includes(item.row.connection_id) ? [item] : [];
    const row = now.get(keyOf(item.row));
    return row?.text === item.row.text ? [{ ...item, row }] : [];
  });
  return { items: still, isWhole: still.length === items.length };
}

/** The key names the connection, because records of two connections may have the same id. */
export const keyOf = (row: store.ChunkPlace): string =>
  JSON.stringify([row.connection_id, idOf(row)]);

/** A row of a federated source has no number in the index, and is complete. */
const isFederated = (row: store.ChunkHead): row is store.ChunkRow => row.n < 0;
