/** This file has the queries on API keys. */
import { type Insertable, type Kysely, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { ApiKeyTable, Db, Schema, Tx } from '../db/schema.ts';
import type { KeyDirectory } from '../http/auth.ts';
import type { Listed, Page } from '../http/lists.ts';
import { sha256 } from '../model/hash.ts';
import { chunked } from '../util.ts';

/** One query asks for at most this many ids, because a page of keys may name more ids than one statement can bind. */
const IDS_PER_QUERY = 10_000;

export const insert = (tx: Tx, row: Insertable<ApiKeyTable>) =>
  tx.insertInto('api_keys').values(row).execute();

const keysOf = (db: Db, organizationId: string) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .where('api_keys.organization_id', '=', organizationId)
    .select([
      'api_keys.id',
      'api_keys.name',
      'api_keys.role',
      'api_keys.user_id',
      'api_keys.all_organizations',
      'api_keys.search_as',
      'api_keys.collection_ids',
      'api_keys.expires_at',
      'api_keys.last_used_at',
      'api_keys.created_at',
      'users.email as created_by_email',
    ]);

export const find = (db: Db, organizationId: string, id: string) =>
  keysOf(db, organizationId).where('api_keys.id', '=', id).executeTakeFirst();
export type KeyRow = NonNullable<Awaited<ReturnType<typeof find>>>;

/** Returns a page of keys, the newest first. */
export async function list(db: Db, organizationId: string, page: Page): Promise<Listed<KeyRow>> {
  const { total } = await db
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await keysOf(db, organizationId)
    .orderBy('api_keys.created_at', 'desc')
    .orderBy('api_keys.id', 'desc')
    .offset(page.skip)
    .limit(page.limit)
    .execute();
  return { total: Number(total), rows };
}

const existing = (db: Db, organizationId: string) =>
  db
    .selectFrom('collections')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .select(['id', 'readable_id']);

export const collectionsNamed = (db: Db, organizationId: string, readableIds: readonly string[]) =>
  existing(db, organizationId).where('readable_id', 'in', readableIds).execute();

/** Returns a map from the id of each collection that still exists to its readable_id. */
export async function collectionNames(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const some of chunked([...new Set(ids)], IDS_PER_QUERY))
    for (const { id, readable_id } of await existing(db, organizationId)
      .where('id', 'in', some)
      .execute())
      names.set(id, readable_id);
  return names;
}

/** The account that rotates the key learns its new value, so the key then belongs to that account. */
export async function replaceValue(
  tx: Tx,
  organizationId: string,
  { id, ...value }: { readonly id: string; readonly hash: string; readonly user_id: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('api_keys')
    .set(value)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function reachesAll(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('all_organizations')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.all_organizations ?? false;
}

/** The keys of the account then reach only their own organizations. Returns how many have reached others before. */
export async function limitToOwnOrganization(tx: Tx, userId: string): Promise<number> {
  const result = await tx
    .updateTable('api_keys')
    .set({ all_organizations: false })
    .where('user_id', '=', userId)
    .where('all_organizations', '=', true)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

export const remove = (tx: Tx, organizationId: string, id: string) =>
  tx
    .deleteFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();

/** Selects one row for each pair of a valid admin key and an organization that the key administers. */
const administering = (db: Db) =>
  db
    .selectFrom('api_keys')
    // A key has no more rights than its account has in the organization to which the key belongs.
    .innerJoin('memberships as home', (join) =>
      join
        .onRef('home.user_id', '=', 'api_keys.user_id')
        .onRef('home.organization_id', '=', 'api_keys.organization_id'),
    )
    .innerJoin('memberships as target', 'target.user_id', 'api_keys.user_id')
    .innerJoin('organizations', 'organizations.id', 'target.organization_id')
    .where('organizations.deleted_at', 'is', null)
    .where('api_keys.role', '=', 'admin')
    .where('home.role', '=', 'admin')
    .where('target.role', '=', 'admin')
    .where((eb) =>
      eb.or([
        eb('api_keys.all_organizations', '=', true),
        eb('target.organization_id', '=', eb.ref('api_keys.organization_id')),
      ]),
    )
    .where((eb) =>
      eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', Date.now())]),
    );

export async function isAdministered(db: Db, organizationId: string): Promise<boolean> {
  const row = await administering(db)
    .where('target.organization_id', '=', organizationId)
    .select('api_keys.id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the ids of the organizations that only this key, or only the keys of this organization (and of this account
 * in it), can administer. Without these keys, they would have no admin key.
 */
export async function onlyAdministeredBy(
  db: Db,
  which:
    | { readonly keyId: string }
    | { readonly organizationId: string; readonly accountId?: string },
): Promise<string[]> {
  const isGiven =
    'keyId' in which
      ? sql`api_keys.id = ${which.keyId}`
      : which.accountId === undefined
        ? sql`api_keys.organization_id = ${which.organizationId}`
        : sql`api_keys.organization_id = ${which.organizationId} and api_keys.user_id = ${which.accountId}`;
  const rows = await administering(db)
    .select('target.organization_id')
    .groupBy('target.organization_id')
    .having(sql`min(case when ${isGiven} then 1 else 0 end)`, '=', 1)
    .execute();
  return rows.map((row) => row.organization_id);
}

/** Finds one row through the unique index on the hash, so the query does not become slower with the number of keys. */
export const byHash = (db: Db, hash: string) =>
  db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'api_keys.organization_id')
        .onRef('memberships.user_id', '=', 'api_keys.user_id'),
    )
    .where('api_keys.hash', '=', hash)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'api_keys.id',
      'api_keys.name',
      'api_keys.role',
      'api_keys.all_organizations',
      'api_keys.search_as',
      'api_keys.collection_ids',
      'api_keys.expires_at',
      'api_keys.last_used_at',
      'memberships.role as membership',
      'users.id as user_id',
      'users.email',
      'organizations.id as organization_id',
      'organizations.feature_flags',
      'organizations.quotas',
    ]);

/** Returns true when the key is valid now. */
export async function authenticates(db: Db, key: string): Promise<boolean> {
  const row = await byHash(db, sha256(key)).executeTakeFirst();
  return row !== undefined && (row.expires_at === null || row.expires_at > Date.now());
}

export const keyDirectory = (db: Kysely<Schema>): KeyDirectory => ({
  async find(hash) {
    const row = await byHash(db, hash).executeTakeFirst();
    return (
      row && {
        id: row.id,
        name: row.name,
        role: row.role,
        membership: row.membership,
        allOrganizations: row.all_organizations,
        searchAs: row.search_as,
        collections: row.collection_ids,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
        account: { id: row.user_id, email: row.email },
        organization: toOrganization(row.organization_id, row),
      }
    );
  },

  async administered(accountId, organizationId) {
    const row = await db
      .selectFrom('organizations')
      .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
      .where('organizations.id', '=', organizationId)
      .where('organizations.deleted_at', 'is', null)
      .where('memberships.user_id', '=', accountId)
      .where('memberships.role', '=', 'admin')
      .select(['organizations.feature_flags', 'organizations.quotas'])
      .executeTakeFirst();
    return row && toOrganization(organizationId, row);
  },

  async noteUse(keyId, at) {
    // A write without a transaction would be given up while it waits for a standby (db/deadline.ts).
    await db
      .transaction()
      .execute((tx) =>
        tx.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', keyId).execute(),
      );
  },
});

export const toOrganization = (
  id: string,
  row: { feature_flags: string[]; quotas: Record<string, number | null> },
): Ctx['organization'] => ({ id, features: new Set(row.feature_flags), quotas: row.quotas });
