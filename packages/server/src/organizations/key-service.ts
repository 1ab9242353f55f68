/**
 * What one may do with the API keys of an organization. A key may delete itself; only what would leave
 * nobody to administer the organization is refused.
 */
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { instant, instantOrNull, must, newId } from '../util.ts';
import type { ApiKey, ApiKeyWithValue, NewApiKey } from './key-schema.ts';
import * as store from './key-store.ts';
import { makeKey } from './key-value.ts';
import { lock } from './store.ts';

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys({ db }: { db: Kysely<Schema> }) {
  return {
    async create(ctx: Ctx, input: NewApiKey): Promise<ApiKeyWithValue> {
      const now = Date.now();
      const expiresAt = input.expires_at ? Date.parse(input.expires_at) : null;
      if (expiresAt !== null && expiresAt <= now)
        throw invalid('expires_at must lie in the future', { loc: ['body', 'expires_at'] });
      const { key, hash } = makeKey();
      const id = newId();
      const row = await db.transaction().execute(async (tx) => {
        await store.insert(tx, {
          id,
          organization_id: ctx.organization.id,
          user_id: ctx.account.id,
          name: input.name,
          role: input.role,
          hash,
          expires_at: expiresAt,
          created_at: now,
        });
        return must(await store.find(tx, ctx.organization.id, id));
      });
      return { ...toApiKey(row), key };
    },

    async list(ctx: Ctx, page: Page): Promise<Listed<ApiKey>> {
      const { total, rows } = await store.list(db, ctx.organization.id, page);
      return { total, rows: rows.map(toApiKey) };
    },

    /** The old value stops with the commit. The key becomes one of the account that rotates it. */
    async rotate(ctx: Ctx, id: string): Promise<ApiKeyWithValue> {
      const { key, hash } = makeKey();
      const row = await db.transaction().execute(async (tx) => {
        const value = { hash, user_id: ctx.account.id };
        if (!(await store.replaceValue(tx, ctx.organization.id, id, value)))
          throw notFound('API key', id);
        const row = must(await store.find(tx, ctx.organization.id, id));
        if (row.expires_at !== null && row.expires_at <= Date.now())
          throw conflict('this key has expired, and so would its new value; make another key');
        return row;
      });
      return { ...toApiKey(row), key };
    },

    async remove(ctx: Ctx, id: string): Promise<ApiKey> {
      const row = await db.transaction().execute(async (tx) => {
        await lock(tx, ctx.organization.id);
        const row = await store.find(tx, ctx.organization.id, id);
        if (!row) throw notFound('API key', id);
        await store.remove(tx, ctx.organization.id, id);
        if (row.role === 'admin' && !(await store.canBeAdministered(tx, ctx.organization.id)))
          throw conflict('this is the last admin key of the organization; make another one first');
        return row;
      });
      return toApiKey(row);
    },
  };
}

const toApiKey = (row: store.KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  role: row.role,
  expires_at: instantOrNull(row.expires_at),
  last_used_at: instantOrNull(row.last_used_at),
  created_at: instant(row.created_at),
  created_by_email: row.created_by_email,
});
