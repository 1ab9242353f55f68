/**
 * Finds the limits against which a request counts. Most requests are not limited, so the data that decides this is kept
 * in memory: the limits of an organization for 5 minutes, the level of a source for 10 minutes, and the feature flag of
 * an organization for only 10 seconds, because an admin switches it off when syncs wait. So the flag costs one read in
 * 10 seconds for each organization and thread.
 */
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/schema.ts';
import type { Source } from '../sources/define.ts';
import { must } from '../util.ts';
import type { WindowKey } from './admission-store.ts';
import { FLAG, PROVIDER_PROXY, PROVIDER_PROXY_DEFAULT } from './defaults.ts';
import * as store from './store.ts';

/** A changed limit must be in effect after 5 minutes. Of these, 5 seconds are reserved for the query. */
const LIMITS_KEPT_MS = 5 * 60_000 - 5000;
const LEVELS_KEPT_MS = 10 * 60_000;
const FLAG_KEPT_MS = 10_000;
const ORGANIZATIONS = 1000;

/** The requests of this connection are counted. */
export interface CountedConnection {
  readonly organizationId: string;
  readonly shortName: string;
  /** It is null for settings that are not saved yet. */
  readonly connectionId: string | null;
  /** If true, an auth provider forwards the requests. */
  readonly viaProxy?: boolean;
}

/** The window admits at most `limit` requests in any span of `windowSeconds`. */
export interface SourceQuota {
  readonly window: WindowKey;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** `now` is a clock in milliseconds that is never set back. */
export function createQuotas(db: Db, sources: ReadonlyMap<string, Source>, now: () => number) {
  const kept = { ttlResolution: 0, perf: { now } };
  const flags = new LRUCache<string, { readonly isOn: boolean }>({
    ...kept,
    max: ORGANIZATIONS,
    ttl: FLAG_KEPT_MS,
    fetchMethod: async (organizationId) => ({
      isOn: (await store.featureFlags(db, organizationId)).includes(FLAG),
    }),
  });
  const limits = new LRUCache<string, ReadonlyMap<string, store.LimitRow>>({
    ...kept,
    max: ORGANIZATIONS,
    ttl: LIMITS_KEPT_MS,
    fetchMethod: async (organizationId) => store.limitsOf(db, organizationId),
  });
  const levels = new LRUCache<string, { readonly level: Source['rateLimitLevel'] }>({
    ...kept,
    max: ORGANIZATIONS,
    ttl: LEVELS_KEPT_MS,
    memoMethod: (shortName) => ({ level: sources.get(shortName)?.rateLimitLevel ?? null }),
  });

  return {
    /** With `isFresh`, the flag and the limits are read again. */
    async of(
      { organizationId, shortName, connectionId, viaProxy = false }: CountedConnection,
      { isFresh = false } = {},
    ): Promise<readonly SourceQuota[]> {
      const { level } = levels.memo(shortName);
      if (level === null && !viaProxy) return [];
      const options = { forceRefresh: isFresh };
      if (!must(await flags.fetch(organizationId, options)).isOn) return [];
      const configured = must(await limits.fetch(organizationId, options));
      const quotas: SourceQuota[] = [];
      const add = (name: string, { limit, windowSeconds }: store.LimitRow, connection: string) => {
        const window = { organizationId, shortName: name, connectionId: connection };
        quotas.push({ window, limit, windowSeconds });
      };
      const ofSource = level === null ? undefined : configured.get(shortName);
      if (ofSource) add(shortName, ofSource, level === 'connection' ? (connectionId ?? '') : '');
      if (viaProxy)
        add(PROVIDER_PROXY, configured.get(PROVIDER_PROXY) ?? PROVIDER_PROXY_DEFAULT, '');
      return quotas;
    },
  };
}
