import { z } from 'zod';
import type { App } from '../http/server.ts';
import { OptionsInput, ShownOption } from './schema.ts';
import type { Connections } from './service.ts';

/** The route may use the sign-in of a connection, so it belongs to the connections and not to the catalog. */
export function optionsRoutes(app: App, connections: Pick<Connections, 'options'>): void {
  app.route({
    method: 'POST',
    url: '/v1/sources/:short_name/options',
    config: { role: 'member', audit: null, limitedKeys: true },
    schema: {
      operationId: 'listSourceOptions',
      summary: 'List the values that a field of the configuration may have',
      description:
        'Asks the source for the values of a field with `has_options`, such as projects or folders, with credentials that are not stored, or as a source connection that has signed in. Needs the role member, because it sends requests to the source and shows names of things there. The answer has at most 200 values; use `query` to find others.',
      tags: ['sources'],
      params: z.object({ short_name: z.string() }),
      body: OptionsInput,
      response: { 200: z.array(ShownOption) },
    },
    handler: (req) => connections.options(req.ctx, req.params.short_name, req.body),
  });
}
