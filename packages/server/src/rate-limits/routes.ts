/** These are the HTTP routes of source rate limits. */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { ListedRateLimit, RateLimit, RateLimitSettings } from './schema.ts';
import type { RateLimits } from './service.ts';

const Params = z.object({ source_short_name: z.string() });
const tags = ['source rate limits'];

export function rateLimitRoutes(app: App, rateLimits: RateLimits): void {
  app.route({
    method: 'GET',
    url: '/v1/source-rate-limits',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listSourceRateLimits',
      summary: 'List how often each source may be asked',
      description:
        'First `provider_proxy`, then the sources that can be limited, then the others. Answers 403 while the feature flag `SOURCE_RATE_LIMITING` is off.',
      tags,
      querystring: Page,
      response: { 200: z.array(ListedRateLimit) },
    },
    handler: async (req, reply) => sendList(reply, await rateLimits.list(req.ctx, req.query)),
  });

  app.route({
    method: 'PUT',
    url: '/v1/source-rate-limits/:source_short_name',
    config: { role: 'admin', audit: 'source_rate_limit.set' },
    schema: {
      operationId: 'setSourceRateLimit',
      summary: 'Limit how often a source may be asked',
      description:
        'In any span of `window_seconds`, all processes together send at most `limit` requests to the source. `provider_proxy` limits the requests that auth providers forward, whatever their source is (1,000 in 300 seconds unless configured). A change takes effect within 5 minutes. Answers 403 while the feature flag `SOURCE_RATE_LIMITING` is off.',
      tags,
      params: Params,
      body: RateLimitSettings,
      response: { 200: RateLimit },
    },
    handler: (req) => rateLimits.put(req.ctx, req.params.source_short_name, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/source-rate-limits/:source_short_name',
    config: { role: 'admin', audit: 'source_rate_limit.removed' },
    schema: {
      operationId: 'deleteSourceRateLimit',
      summary: 'Remove the limit of a source',
      description:
        'Any number of requests is allowed afterwards; `provider_proxy` has its default again. Also answers 204 when no limit is configured. Answers 403 while the feature flag `SOURCE_RATE_LIMITING` is off.',
      tags,
      params: Params,
      response: { 204: z.null().describe('The limit is removed.') },
    },
    handler: async (req, reply) => {
      await rateLimits.remove(req.ctx, req.params.source_short_name);
      return reply.status(204).send(null);
    },
  });
}
