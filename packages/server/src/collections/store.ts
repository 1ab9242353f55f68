/** This file has the queries on collections. A deleted row counts as absent. */
import {
  type ExpressionBuilder,
  type Insertable,
  type NotNull,
  type Selectable,
  sql,
} from 'kysely';
import { contains } from '../db/contains.ts';
import { within } from '../db/reach.ts';
import type { CollectionTable, Db, Schema, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { Reach } from '../model/reach.ts';

export type CollectionRow = Selectable<CollectionTable>;

/** This is a collection with the facts that decide its status. */
export interface CollectionWithFacts extends CollectionRow {
  /** This counts the live connections. */
  readonly connections: number;
  /** This counts the connections whose newest job failed. */
  readonly failing: number;
  /** This counts the authenticated connections whose source is searched live. */
  readonly federated: number;
}

/** Returns undefined when the readable_id is taken. */
export const insert = (
  tx: Tx,
  row: Omit<Insertable<CollectionTable>, 'folded_name'>,
): Promise<CollectionRow | undefined> =>
  tx
    .insertInto('collections')
    .values({ ...row, folded_name: row.name.toLowerCase() })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'readable_id'])
        .where('deleted_at', 'is', null)
        .doNothing(),
    )
    .returningAll()
    .executeTakeFirst();

const selectLive = (db: Db, reach: Reach) =>
  db
    .selectFrom('collections')
    .where(within(reach, 'collections'))
    .where('collections.deleted_at', 'is', null);

const connectionsOf = (eb: ExpressionBuilder<Schema, 'collections'>) =>
  eb
    .selectFrom('connections')
    .whereRef('connections.collection_id', '=', 'collections.id')
    .where('connections.deleted_at', 'is', null);

interface FederatedSources {
  /** These are the short names of the sources that are searched live. */
  readonly federated: readonly string[];
}

const withFacts = (db: Db, reach: Reach, federated: readonly string[]) =>
  selectLive(db, reach)
    .selectAll('collections')
    .select((eb) => [
      connectionsOf(eb)
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .as('connections'),
      connectionsOf(eb)
        .where(
          (inner) =>
            inner
              .selectFrom('sync_jobs')
              .select('sync_jobs.status')
              .whereRef('sync_jobs.connection_id', '=', 'connections.id')
              .orderBy('sync_jobs.id', 'desc')
              .limit(1),
          '=',
          'FAILED',
        )
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .as('failing'),
      connectionsOf(eb)
        .where((inner) =>
          federated.length === 0
            ? inner.lit(false)
            : inner('connections.short_name', 'in', federated),
        )
        .where('connections.authenticated_at', 'is not', null)
        .where('connections.refused_at', 'is', null)
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .as('federated'),
    ])
    .$narrowType<{ connections: NotNull; failing: NotNull; federated: NotNull }>();

/**
 * Returns the newest collection first. `search` is a part of the name or of the readable_id; upper and lower case do not
 * matter.
 */
export async function list(
  db: Db,
  reach: Reach,
  { federated, skip, limit, search }: Page & FederatedSources & { search: string | undefined },
): Promise<Listed<CollectionWithFacts>> {
  const matching = (eb: ExpressionBuilder<Schema, 'collections'>) =>
    search === undefined
      ? eb.lit(true)
      : eb.or([
          contains(sql.ref('collections.folded_name'), search.toLowerCase()),
          contains(sql.ref('collections.readable_id'), search.toLowerCase()),
        ]);
  const { total } = await selectLive(db, reach)
    .where(matching)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await withFacts(db, reach, federated)
    .where(matching)
    .orderBy('collections.created_at', 'desc')
    .orderBy('collections.id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** A tool server with more collections than this would be useless. */
const MAX_NAMES = 10_000;

export const names = (
  db: Db,
  reach: Reach,
): Promise<readonly Pick<CollectionRow, 'readable_id' | 'name'>[]> =>
  selectLive(db, reach)
    .select(['collections.readable_id', 'collections.name'])
    .orderBy('collections.readable_id')
    .limit(MAX_NAMES)
    .execute();

export async function count(db: Db, reach: Reach): Promise<number> {
  const { total } = await selectLive(db, reach)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

export const find = (
  db: Db,
  reach: Reach,
  readableId: string,
): Promise<CollectionRow | undefined> =>
  selectLive(db, reach)
    .selectAll('collections')
    .where('collections.readable_id', '=', readableId)
    .executeTakeFirst();

/** Returns the collections with these names, each once and in no particular order. */
export const findAll = (
  db: Db,
  reach: Reach,
  readableIds: readonly string[],
): Promise<CollectionRow[]> =>
  selectLive(db, reach)
    .selectAll('collections')
    .where('collections.readable_id', 'in', readableIds)
    .execute();

/** Returns the newest collections, and how many exist. */
export async function newest(db: Db, reach: Reach, limit: number): Promise<Listed<CollectionRow>> {
  const rows = await selectLive(db, reach)
    .selectAll('collections')
    .orderBy('collections.created_at', 'desc')
    .orderBy('collections.id', 'desc')
    .limit(limit)
    .execute();
  return { rows, total: rows.length < limit ? rows.length : await count(db, reach) };
}

export const findWithFacts = (
  db: Db,
  reach: Reach,
  { federated, readableId }: FederatedSources & { readonly readableId: string },
): Promise<CollectionWithFacts | undefined> =>
  withFacts(db, reach, federated)
    .where('collections.readable_id', '=', readableId)
    .executeTakeFirst();

/**
 * Locks the row until the transaction ends, so that two changes of one collection wait for each other. Returns
 * undefined when the collection has been deleted.
 */
export const lock = (tx: Tx, id: string): Promise<CollectionRow | undefined> =>
  tx
    .updateTable('collections')
    .set({ modified_at: sql`modified_at` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** Changes the collection. Its `modified_at` is always later than before, even within one millisecond. */
export const update = (
  tx: Tx,
  id: string,
  changes: { name?: string; sync_config?: string | null; modified_by_email: string },
) => {
  const now = Date.now();
  return tx
    .updateTable('collections')
    .set({
      ...changes,
      ...(changes.name !== undefined && { folded_name: changes.name.toLowerCase() }),
      modified_at: sql`case when modified_at >= ${now} then modified_at + 1 else cast(${now} as bigint) end`,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow();
};

/** After the commit, nothing in the collection can be reached. Returns undefined when it was already deleted. */
export const markDeleted = (tx: Tx, id: string): Promise<CollectionRow | undefined> =>
  tx
    .updateTable('collections')
    .set({ deleted_at: Date.now() })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export async function markAllDeleted(tx: Tx, organizationId: string): Promise<void> {
  await tx
    .updateTable('collections')
    .set({ deleted_at: Date.now() })
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .execute();
}

export async function markConnectionsDeleted(
  tx: Tx,
  of: { readonly collectionId: string } | { readonly organizationId: string },
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ deleted_at: Date.now(), next_run_at: null })
    .where((eb) =>
      'collectionId' in of
        ? eb('collection_id', '=', of.collectionId)
        : eb('organization_id', '=', of.organizationId),
    )
    .where('deleted_at', 'is', null)
    .execute();
}
