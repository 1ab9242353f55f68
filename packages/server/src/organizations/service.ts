/**
 * This service implements what a caller may do with organizations. The account that creates
 * an organization is its first admin.
 */
import type { Kysely } from 'kysely';
import { act } from '../audit/act.ts';
import type { Collections } from '../collections/service.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { DatabaseKind } from '../db/connect.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema } from '../db/schema.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { enqueue } from '../jobs/queue.ts';
import { lastDays, type UsageRow } from '../usage/store.ts';
import { instant, newId } from '../util.ts';
import type { Webhooks } from '../webhooks/service.ts';
import { isAdministered, onlyAdministeredBy } from './key-store.ts';
import type { NewOrganization, Organization, OrganizationPatch, UsageDay } from './schema.ts';
import * as store from './store.ts';

export type Organizations = ReturnType<typeof createOrganizations>;

export interface OrganizationDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly collections: Pick<Collections, 'removeAll'>;
  readonly webhooks: Pick<Webhooks, 'removeAll'>;
  /** Wakes the worker after a job was written into the queue. */
  readonly wake: () => void;
}

export function createOrganizations(deps: OrganizationDeps) {
  const { db, kind } = deps;

  /** A key with all_organizations sees the organizations of its account; any other key sees only its own. */
  async function find(ctx: Ctx, id: string) {
    const visible = ctx.allOrganizations || id === ctx.organization.id;
    const row = visible ? await store.find(db, ctx.account.id, id) : undefined;
    if (!row) throw notFound('organization', id);
    return row;
  }

  /** Returns the organization as `find` does. Throws a 403 when the caller's account is not an admin in it. */
  async function administered(ctx: Ctx, id: string, wish = 'change it') {
    const row = await find(ctx, id);
    if (row.role !== 'admin')
      throw forbidden(`only an admin of the organization may ${wish}; ask one of them`);
    return row;
  }

  const get = async (ctx: Ctx, id: string): Promise<Organization> =>
    toOrganization(await find(ctx, id));

  return {
    async list(ctx: Ctx, page: Page): Promise<Listed<Organization>> {
      const only = ctx.allOrganizations ? undefined : ctx.organization.id;
      const { total, rows } = await store.list(db, ctx.account.id, { only, ...page });
      return { total, rows: rows.map(toOrganization) };
    },

    get,

    /** Returns the usage of every one of the last days, the oldest first. */
    async usage(ctx: Ctx, id: string, days: number): Promise<UsageDay[]> {
      await administered(ctx, id, 'see its usage');
      const { last, rows } = await lastDays(db, kind, { organizationId: id, days });
      const byDay = new Map(rows.map((row) => [row.day, row]));
      return Array.from({ length: days }, (_, i) => toUsageDay(last - days + 1 + i, byDay));
    },

    async create(ctx: Ctx, input: NewOrganization): Promise<Organization> {
      if (!ctx.allOrganizations)
        throw forbidden(
          'this key could not reach another organization: use one with all_organizations',
        );
      const now = Date.now();
      const id = newId();
      await act(db, ctx, async (tx, on) => {
        await lockOrganization(tx, ctx.organization.id);
        await store.insert(tx, {
          id,
          name: input.name,
          feature_flags: '[]',
          quotas: JSON.stringify({ agentic_queries_per_hour: null }),
          created_at: now,
          modified_at: now,
        });
        await store.insertMembership(tx, {
          organization_id: id,
          user_id: ctx.account.id,
          role: 'admin',
          created_at: now,
        });
        // The new organization would have no key if another request has revoked the caller's key.
        if (!(await isAdministered(tx, id)))
          throw conflict(
            'no key would reach the new organization: make one with all_organizations',
          );
        on({ id, name: input.name, organizationId: id });
      });
      return get(ctx, id);
    },

    async update(ctx: Ctx, id: string, patch: OrganizationPatch): Promise<Organization> {
      await administered(ctx, id);
      await act(db, ctx, async (tx, on) => {
        const row = await lockOrganization(tx, id);
        if (!row) throw notFound('organization', id);
        const quotas = { ...row.quotas, ...patch.quotas };
        await store.update(tx, id, {
          ...(patch.name !== undefined && { name: patch.name }),
          ...(patch.feature_flags && {
            feature_flags: JSON.stringify([...new Set(patch.feature_flags)]),
          }),
          ...(patch.quotas && { quotas: JSON.stringify(quotas) }),
          modified_at: Math.max(Date.now(), row.modified_at + 1),
        });
        on({ id, name: patch.name ?? row.name, organizationId: id, details: patch });
      });
      return get(ctx, id);
    },

    /**
     * After the commit, nothing in the organization can be reached or sent any more; a background job removes its rows.
     * Returns the organization as it was. Accounts stay, because they belong to the installation; an account without a
     * membership reaches nothing.
     */
    async remove(ctx: Ctx, id: string): Promise<Organization> {
      const row = await administered(ctx, id);
      await act(db, ctx, async (tx, on) => {
        // All organizations are locked. Otherwise two deletions at the same time could together delete the last two
        // organizations.
        await store.lockAll(tx, kind);
        if (!(await lockOrganization(tx, id))) throw notFound('organization', id);
        if ((await store.count(tx)) === 1)
          throw conflict(
            'this is the last organization, and one must be left: create another first',
          );
        const orphaned = await onlyAdministeredBy(tx, { organizationId: id });
        if (orphaned.some((one) => one !== id))
          throw conflict(
            'another organization can only be administered with keys of this one; make an admin key there first',
          );
        await store.markDeleted(tx, id);
        await deps.collections.removeAll(tx, id, ctx.account.email);
        const cause = causeOf(ctx);
        await deps.webhooks.removeAll(tx, id, cause);
        await enqueue(tx, 'organization.cleanup', {
          data: { organizationId: id },
          lane: id,
          cause,
        });
        on({ id, name: row.name });
      });
      deps.wake();
      return toOrganization(row);
    },
  };
}

const toOrganization = (row: store.OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  feature_flags: row.feature_flags,
  quotas: row.quotas,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
});

const DAY_MS = 24 * 3_600_000;

function toUsageDay(day: number, byDay: ReadonlyMap<number, UsageRow>): UsageDay {
  const row = byDay.get(day);
  return {
    date: new Date(day * DAY_MS).toISOString().slice(0, 10),
    searches: row?.searches ?? 0,
    agentic_searches: row?.agentic_searches ?? 0,
    records: row?.records ?? null,
  };
}
