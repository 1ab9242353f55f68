/** This service implements what a caller may do with auth providers. */
import type { Kysely } from 'kysely';
import { act, changedFields } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { type AppError, conflict, invalid, notFound, SourceError } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { parsePart } from '../http/parse-part.ts';
import { generateReadableId } from '../model/readable-id.ts';
import type { Send } from '../net/guarded-send.ts';
import type { Vault } from '../secrets.ts';
import { instant, newId } from '../util.ts';
import type { ProviderRef } from './kind.ts';
import { kindOf } from './kinds.ts';
import { placeOf } from './open-provider.ts';
import type { AuthProvider, AuthProviderChange, NewAuthProvider } from './schema.ts';
import * as store from './store.ts';

interface AuthProviderDeps {
  readonly db: Kysely<Schema>;
  readonly vault: Vault;
  /** Requests to providers leave by this function. */
  readonly send: Send;
  /** Removes the credentials that the provider has given to connections, so that these ask it again. */
  readonly forgetProviderCredentials: (tx: Tx, providerId: string) => Promise<unknown>;
}

export type AuthProviders = ReturnType<typeof createAuthProviders>;

export function createAuthProviders({
  db,
  vault,
  send,
  forgetProviderCredentials,
}: AuthProviderDeps) {
  async function rowOf(ctx: Ctx, readableId: string): Promise<store.AuthProviderRow> {
    const row = await store.find(db, ctx.organization.id, readableId);
    if (!row) throw notFound('auth provider', readableId);
    return row;
  }

  /** Returns the valid credentials, sealed. Throws a 422 when the provider refuses them or cannot be reached. */
  async function checkAndSeal(ref: ProviderRef, id: string, input: unknown) {
    const kind = kindOf(ref.shortName);
    const credentials = parsePart(kind.credentials, input, LOC);
    await kind.check({ ref, credentials }, { send }).catch((cause: unknown) => {
      throw cause instanceof SourceError ? refusalOf(cause) : cause;
    });
    return { credentials: vault.seal(credentials, placeOf(id)), credentials_key: vault.keyId };
  }

  return {
    async create(ctx: Ctx, input: NewAuthProvider): Promise<AuthProvider> {
      const { name, short_name: shortName } = input;
      const readableId = input.readable_id ?? generateReadableId(name, 'provider');
      const id = newId();
      const now = Date.now();
      const sealed = await checkAndSeal({ shortName, readableId }, id, input.credentials);
      const made = await act(db, ctx, async (tx, on) => {
        if (!(await lockOrganization(tx, ctx.organization.id)))
          throw notFound('organization', ctx.organization.id);
        on({ id, name: readableId, details: { short_name: shortName } });
        return store.insert(tx, {
          id,
          organization_id: ctx.organization.id,
          readable_id: readableId,
          name,
          short_name: shortName,
          ...sealed,
          created_at: now,
          modified_at: now,
          created_by_email: ctx.account.email,
          modified_by_email: ctx.account.email,
        });
      });
      if (!made)
        throw conflict(`auth provider '${readableId}' already exists; choose another readable_id`);
      return toAuthProvider(made);
    },

    async list(ctx: Ctx, page: Page): Promise<Listed<AuthProvider>> {
      const { total, rows } = await store.list(db, ctx.organization.id, page);
      return { total, rows: rows.map(toAuthProvider) };
    },

    get: async (ctx: Ctx, readableId: string): Promise<AuthProvider> =>
      toAuthProvider(await rowOf(ctx, readableId)),

    /** Returns the row of the provider, for other features. Throws a 404 when the organization does not have it. */
    resolve: rowOf,

    /** Locks the provider, so that nobody deletes it before the transaction ends. Throws a 404 when it does not exist. */
    async lock(tx: Tx, { id, readable_id }: store.AuthProviderRow): Promise<void> {
      if (!(await store.lock(tx, id))) throw notFound('auth provider', readable_id);
    },

    /** Changes the provider. After a change of its credentials, its connections ask it again for theirs. */
    async change(ctx: Ctx, readableId: string, input: AuthProviderChange): Promise<AuthProvider> {
      const row = await rowOf(ctx, readableId);
      requireSame('readable_id', readableId, input.readable_id);
      requireSame('short_name', row.short_name, input.short_name);
      const ref = { shortName: row.short_name, readableId };
      const sealed = input.credentials && (await checkAndSeal(ref, row.id, input.credentials));
      const changed = await act(db, ctx, async (tx, on) => {
        const now = await store.update(tx, row.id, {
          ...(input.name !== undefined && { name: input.name }),
          ...sealed,
          modified_at: Math.max(Date.now(), row.modified_at + 1),
          modified_by_email: ctx.account.email,
        });
        if (now && sealed) await forgetProviderCredentials(tx, row.id);
        if (now) on({ id: row.id, name: readableId, details: changedFields(input) });
        return now;
      });
      if (!changed) throw notFound('auth provider', readableId);
      return toAuthProvider(changed);
    },

    /** Deletes the provider and returns it as it was. Throws a 409 while a connection uses it. */
    async remove(ctx: Ctx, readableId: string): Promise<AuthProvider> {
      const row = await rowOf(ctx, readableId);
      await act(db, ctx, async (tx, on) => {
        if (!(await store.lock(tx, row.id))) throw notFound('auth provider', readableId);
        const { total, names } = await store.usersOf(tx, row.id);
        if (total > 0) throw conflict(inUse(total, names));
        await store.remove(tx, row.id);
        on({ id: row.id, name: readableId });
      });
      return toAuthProvider(row);
    },
  };
}

const inUse = (total: number, names: readonly string[]): string => {
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  return `connections get their credentials from this provider: ${names.map((name) => `'${name}'`).join(', ')}${more}; delete them first`;
};

function requireSame(field: string, now: string, given: string | undefined): void {
  if (given !== undefined && given !== now)
    throw invalid(`the ${field} of an auth provider cannot change: make another one`, {
      loc: ['body', field],
    });
}

const LOC = ['body', 'credentials'];

const CODES: Partial<Record<SourceError['kind'], string>> = {
  transient: 'provider_unreachable',
  rate_limited: 'provider_unreachable',
};

const refusalOf = ({ kind, message }: SourceError): AppError =>
  invalid(message, { loc: LOC, code: CODES[kind] ?? 'credentials_refused' });

function toAuthProvider(row: store.AuthProviderRow): AuthProvider {
  return {
    id: row.id,
    organization_id: row.organization_id,
    readable_id: row.readable_id,
    name: row.name,
    short_name: row.short_name,
    created_at: instant(row.created_at),
    modified_at: instant(row.modified_at),
    created_by_email: row.created_by_email,
    modified_by_email: row.modified_by_email,
  };
}
