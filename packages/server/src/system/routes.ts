/** This is the HTTP route of the state of the service. */
import type { App } from '../http/server.ts';
import { SystemState } from './schema.ts';
import type { System } from './service.ts';

export function systemRoutes(app: App, system: System): void {
  app.route({
    method: 'GET',
    url: '/v1/system',
    config: { role: 'admin' },
    schema: {
      operationId: 'getSystemState',
      summary: 'Get the state of the service',
      description:
        'Version, database, search index, models, memory and unfinished jobs. Records, passages and jobs are those of the organization; the rest concerns the whole service.',
      tags: ['maintenance'],
      response: { 200: SystemState },
    },
    handler: (req) => system.state(req.ctx),
  });
}
