/** Below /v1 a query names what its route knows, and nothing else: a mistyped filter must not find everything. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/**
 * Called before any route is defined. Other paths ignore what they do not know: whoever checks the health of
 * a service adds what keeps a cache out, and /mcp has the rules of its protocol.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) return;
    const { querystring = z.object({}), ...rest } = route.schema ?? {};
    if (!(querystring instanceof z.ZodObject))
      throw new Error(`the query of ${route.method} ${route.url} is no object`);
    route.schema = { ...rest, querystring: querystring.strict() };
  });
}
