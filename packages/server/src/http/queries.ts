/** A query below /v1 may name only parameters that its route knows: a mistyped filter must not find everything. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/**
 * The function has to be called before any route is defined. Other paths ignore unknown parameters: health checks
 * add some to bypass a cache, and /mcp has the rules of its protocol.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) return;
    const { querystring = z.object({}), ...rest } = route.schema ?? {};
    if (!(querystring instanceof z.ZodObject))
      throw new Error(`the query of ${route.method} ${route.url} is not an object`);
    route.schema = { ...rest, querystring: querystring.strict() };
  });
}
