/**
 * This service implements what a caller may do with the API keys of an organization. A key can neither make nor rotate
 * a key that reaches further or lasts longer than itself. A key may delete itself. The service refuses a deletion only
 * when it would leave an organization without a key that can administer it.
 */
import type { Kysely } from 'kysely';
import { act } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import { lockAccount } from '../db/account.ts';
import type { DatabaseKind } from '../db/connect.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { conflict, forbidden, invalid, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { instant, instantOrNull, must, newId } from '../util.ts';
import type { ApiKey, ApiKeyWithValue, NewApiKey } from './key-schema.ts';
import * as store from './key-store.ts';
import { makeKey } from './make-key.ts';
import { lockAll } from './store.ts';

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys({ db, kind }: { db: Kysely<Schema>; kind: DatabaseKind }) {
  /**
   * Locks the key's organization until the transaction ends, or all organizations when the key may be the last admin
   * key of several. Returns the key.
   */
  async function lockKey(tx: Tx, ctx: Ctx, id: string): Promise<store.KeyRow> {
    const found = await store.find(tx, ctx.organization.id, id);
    if (found?.all_organizations) await lockAll(tx, kind);
    else await lockOrganization(tx, ctx.organization.id);
    // Another request may have deleted the key before the lock was taken.
    const row = found && (await store.find(tx, ctx.organization.id, id));
    if (!row) throw notFound('API key', id);
    return row;
  }

  async function show(rows: readonly store.KeyRow[], organizationId: string): Promise<ApiKey[]> {
    const ids = rows.flatMap((row) => row.collection_ids ?? []);
    const names = await store.collectionNames(db, organizationId, ids);
    return rows.map((row) => toApiKey(row, names));
  }

  const showOne = async (ctx: Ctx, row: store.KeyRow): Promise<ApiKey> =>
    must((await show([row], ctx.organization.id))[0]);

  /**
   * Returns the ids of the collections to which the key is limited, or null when it is not limited. The database holds
   * ids and not names, because another collection may get the name later.
   */
  async function limitOf(
    ctx: Ctx,
    { role, collections }: Pick<NewApiKey, 'role' | 'collections'>,
  ): Promise<string[] | null> {
    if (!collections) return null;
    if (role === 'admin')
      throw invalid('an admin key reaches all of its organization: choose another role', {
        loc: ['body', 'collections'],
      });
    const found = await store.collectionsNamed(db, ctx.organization.id, collections);
    const names = new Set(found.map((row) => row.readable_id));
    const unknown = collections.find((name) => !names.has(name));
    if (unknown !== undefined) throw notFound('collection', unknown);
    return found.map(({ id }) => id);
  }

  return {
    async create(ctx: Ctx, input: NewApiKey): Promise<ApiKeyWithValue> {
      const now = Date.now();
      const expiresAt = input.expires_at ? Date.parse(input.expires_at) : null;
      if (expiresAt !== null && expiresAt <= now)
        throw invalid('expires_at must lie in the future', { loc: ['body', 'expires_at'] });
      if (input.all_organizations && input.role !== 'admin')
        throw invalid('only an admin key reaches several organizations', {
          loc: ['body', 'all_organizations'],
        });
      const wanted = { all_organizations: input.all_organizations, expires_at: expiresAt };
      refuseMore(ctx, wanted);
      const limit = await limitOf(ctx, input);
      const { key, hash } = makeKey();
      const id = newId();
      const row = await act(db, ctx, async (tx, on) => {
        if (wanted.all_organizations) await needReach(tx, ctx);
        if (!(await lockOrganization(tx, ctx.organization.id)))
          throw notFound('organization', ctx.organization.id);
        await store.insert(tx, {
          ...wanted,
          id,
          organization_id: ctx.organization.id,
          user_id: ctx.account.id,
          name: input.name,
          role: input.role,
          search_as: input.search_as,
          collection_ids: limit && JSON.stringify(limit),
          hash,
          created_at: now,
        });
        const { name, role, collections } = input;
        on({ id, name, details: { role, ...wanted, collections } });
        return must(await store.find(tx, ctx.organization.id, id));
      });
      return { ...(await showOne(ctx, row)), key };
    },

    async list(ctx: Ctx, page: Page): Promise<Listed<ApiKey>> {
      const { total, rows } = await store.list(db, ctx.organization.id, page);
      return { total, rows: await show(rows, ctx.organization.id) };
    },

    /** The old value stops working with the commit. From then on the key belongs to the account that rotates it. */
    async rotate(ctx: Ctx, id: string): Promise<ApiKeyWithValue> {
      const { key, hash } = makeKey();
      const row = await act(db, ctx, async (tx, on) => {
        if (ctx.allOrganizations) await needReach(tx, ctx);
        const before = await lockKey(tx, ctx, id);
        if (before.expires_at !== null && before.expires_at <= Date.now())
          throw conflict('this key has expired, and so would its new value; make another key');
        refuseMore(ctx, before);
        const others = (await store.onlyAdministeredBy(tx, { keyId: id })).filter(
          (organizationId) => organizationId !== ctx.organization.id,
        );
        if (before.user_id !== ctx.account.id && others.length > 0) throw conflict(LAST_ELSEWHERE);
        await store.replaceValue(tx, ctx.organization.id, { id, hash, user_id: ctx.account.id });
        on({ id, name: before.name });
        return must(await store.find(tx, ctx.organization.id, id));
      });
      return { ...(await showOne(ctx, row)), key };
    },

    async remove(ctx: Ctx, id: string): Promise<ApiKey> {
      const row = await act(db, ctx, async (tx, on) => {
        const row = await lockKey(tx, ctx, id);
        const orphaned = await store.onlyAdministeredBy(tx, { keyId: id });
        if (orphaned.includes(ctx.organization.id))
          throw conflict('this is the last admin key of the organization; make another one first');
        if (orphaned.length > 0) throw conflict(LAST_ELSEWHERE);
        await store.remove(tx, ctx.organization.id, id);
        on({ id, name: row.name });
        return row;
      });
      return showOne(ctx, row);
    },
  };
}

/** The message does not name the organization, because the caller may not be allowed to reach it. */
const LAST_ELSEWHERE =
  'this key is the only one that administers another organization of its account; make an admin key there first';

const NO_REACH = 'only a key with all_organizations may make or rotate another one';

/** Throws a 403 when the key would reach further or last longer than the caller's own key. */
function refuseMore(ctx: Ctx, key: Pick<store.KeyRow, 'all_organizations' | 'expires_at'>): void {
  if (key.all_organizations && !ctx.allOrganizations) throw forbidden(NO_REACH);
  if (ctx.expiresAt !== null && (key.expires_at === null || key.expires_at > ctx.expiresAt))
    throw forbidden(
      `your key expires at ${instant(ctx.expiresAt)}; it may not make or rotate one that lasts longer`,
    );
}

/**
 * Throws a 403 when the caller's key has lost `all_organizations` since the request came. The session of a person is
 * looked at by `act`.
 */
async function needReach(tx: Tx, { key, account }: Ctx): Promise<void> {
  if (key === undefined) return;
  await lockAccount(tx, account.id);
  if (!(await store.reachesAll(tx, key.id))) throw forbidden(NO_REACH);
}

const toApiKey = (row: store.KeyRow, names: ReadonlyMap<string, string>): ApiKey => ({
  id: row.id,
  name: row.name,
  role: row.role,
  all_organizations: row.all_organizations,
  search_as: row.search_as,
  collections: row.collection_ids?.flatMap((id) => names.get(id) ?? []).toSorted() ?? null,
  expires_at: instantOrNull(row.expires_at),
  last_used_at: instantOrNull(row.last_used_at),
  created_at: instant(row.created_at),
  created_by_email: row.created_by_email,
});
