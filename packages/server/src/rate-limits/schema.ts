/** These are the wire shapes of source rate limits. */
import { z } from 'zod';
import { MAX_LIMIT, MAX_WINDOW_SECONDS } from './defaults.ts';

const limit = z.int().min(1).max(MAX_LIMIT).describe('At most this many requests in any window.');
const windowSeconds = z
  .int()
  .min(1)
  .max(MAX_WINDOW_SECONDS)
  .describe('Length of the sliding window.');

export const RateLimitSettings = z
  .strictObject({ limit, window_seconds: windowSeconds.default(60) })
  .meta({ id: 'SourceRateLimitSettings' });
export type RateLimitSettings = z.infer<typeof RateLimitSettings>;

export const RateLimit = z
  .object({
    id: z.uuid(),
    organization_id: z.uuid(),
    source_short_name: z.string(),
    limit,
    window_seconds: windowSeconds,
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: 'SourceRateLimit' });
export type RateLimit = z.infer<typeof RateLimit>;

export const ListedRateLimit = z
  .object({
    source_short_name: z.string(),
    rate_limit_level: z
      .enum(['org', 'connection'])
      .nullable()
      .describe(
        'Scope of a window: `org` when all connections of the organization share one, `connection` when each connection has its own. Null: the source cannot be limited.',
      ),
    limit: limit.nullable().describe('Null: any number of requests is allowed.'),
    window_seconds: windowSeconds.nullable(),
    id: z.uuid().nullable().describe('Null: no limit is configured.'),
  })
  .meta({ id: 'ListedSourceRateLimit' });
export type ListedRateLimit = z.infer<typeof ListedRateLimit>;
