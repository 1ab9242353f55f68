/** Refuses unknown query parameters below /v1. Otherwise a search with a misspelled filter would find everything. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/**
 * The caller must call this before it defines any route. Other paths ignore unknown parameters: health checks add some
 * to bypass a cache, and /mcp follows its own protocol.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) return;
    const { querystring = z.object({}), ...rest } = route.schema ?? {};
    if (!(querystring instanceof z.ZodObject))
      throw new Error(`the query of ${route.method} ${route.url} is not an object`);
    // A loose object says that others may add parameters, as OAuth providers do.
    const isLoose = querystring.def.catchall instanceof z.ZodUnknown;
    route.schema = { ...rest, querystring: isLoose ? querystring : querystring.strict() };
  });
}
