/** This service implements what a caller may do with the limits on requests to sources. */
import type { Kysely } from 'kysely';
import { act } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema } from '../db/schema.ts';
import { forbidden, invalid, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import type { Source } from '../sources/define.ts';
import { instant } from '../util.ts';
import { FLAG, PROVIDER_PROXY, PROVIDER_PROXY_DEFAULT } from './defaults.ts';
import type { ListedRateLimit, RateLimit, RateLimitSettings } from './schema.ts';
import * as store from './store.ts';

export type RateLimits = ReturnType<typeof createRateLimits>;

interface RateLimitDeps {
  readonly db: Kysely<Schema>;
  readonly sources: ReadonlyMap<string, Source>;
}

type RateLimitLevel = Source['rateLimitLevel'];

export function createRateLimits({ db, sources }: RateLimitDeps) {
  /** A source whose level is null cannot be limited. */
  const names = orderedNames(sources);
  const levels = new Map(names);

  function requireFlag({ organization }: Ctx): void {
    if (!organization.features.has(FLAG))
      throw forbidden(
        `limits on requests to sources are off for this organization; an admin may switch ${FLAG} on`,
      );
  }

  return {
    async list(ctx: Ctx, { skip, limit }: Page): Promise<Listed<ListedRateLimit>> {
      requireFlag(ctx);
      const rows = await store.list(db, ctx.organization.id);
      const configured = new Map(rows.map((row) => [row.source_short_name, row]));
      const page = names.slice(skip, skip + limit);
      return {
        total: names.length,
        rows: page.map(([name, level]) => toListed(name, level, configured.get(name))),
      };
    },

    /** Creates the limit of the source, or changes it. */
    async put(ctx: Ctx, shortName: string, input: RateLimitSettings): Promise<RateLimit> {
      requireFlag(ctx);
      const level = levels.get(shortName);
      if (level === undefined) throw notFound('source', shortName);
      if (level === null)
        throw invalid(
          `requests to ${shortName} are not counted, so it takes no limit: GET /v1/source-rate-limits shows which sources do`,
          { loc: ['path', 'source_short_name'], code: 'not_limitable' },
        );
      const row = await act(db, ctx, async (tx, on) => {
        if (!(await lockOrganization(tx, ctx.organization.id)))
          throw notFound('organization', ctx.organization.id);
        on({ id: shortName, name: null, details: input });
        return store.put(tx, ctx.organization.id, {
          source_short_name: shortName,
          max_requests: input.limit,
          window_seconds: input.window_seconds,
        });
      });
      return toRateLimit(row);
    },

    /** Removes the limit, if there is one. The limit of a source that is no longer installed can be removed, too. */
    async remove(ctx: Ctx, shortName: string): Promise<void> {
      requireFlag(ctx);
      const isRemoved = await act(db, ctx, async (tx, on) => {
        const found = await store.remove(tx, ctx.organization.id, shortName);
        if (found) on({ id: shortName, name: null });
        return found;
      });
      if (!isRemoved && !levels.has(shortName)) throw notFound('source', shortName);
    },
  };
}

/** Returns `provider_proxy`, then the sources with a level, then those without, each group by name. */
function orderedNames(sources: ReadonlyMap<string, Source>): (readonly [string, RateLimitLevel])[] {
  const levels = [...sources.values()].map(
    ({ shortName, rateLimitLevel }) => [shortName, rateLimitLevel] as const,
  );
  const byName = levels.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    [PROVIDER_PROXY, 'org'],
    ...byName.filter(([, level]) => level !== null),
    ...byName.filter(([, level]) => level === null),
  ];
}

function toListed(
  name: string,
  level: RateLimitLevel,
  row: store.RateLimitRow | undefined,
): ListedRateLimit {
  const unset = name === PROVIDER_PROXY ? PROVIDER_PROXY_DEFAULT : null;
  // A limit that was set when the source still had a level has no effect now.
  const set = level === null ? undefined : row;
  return {
    source_short_name: name,
    rate_limit_level: level,
    limit: set?.max_requests ?? unset?.limit ?? null,
    window_seconds: set?.window_seconds ?? unset?.windowSeconds ?? null,
    id: set?.id ?? null,
  };
}

const toRateLimit = (row: store.RateLimitRow): RateLimit => ({
  id: row.id,
  organization_id: row.organization_id,
  source_short_name: row.source_short_name,
  limit: row.max_requests,
  window_seconds: row.window_seconds,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
});
