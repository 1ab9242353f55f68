/** These routes say whether the process runs, and whether it is ready to answer requests. They need no key. */
import { z } from 'zod';
import { unavailable } from '../errors.ts';
import type { App } from './server.ts';

const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
const tags = ['health'];
const RETRY_AFTER = 2;

/**
 * `unready` returns the reasons why the service is not ready, in a few words each; the list is empty when the service
 * is ready.
 */
export function healthRoutes(app: App, unready: () => Promise<readonly string[]>): void {
  for (const [url, operationId] of [
    ['/health', 'getHealth'],
    ['/health/live', 'getLiveness'],
  ] as const)
    app.route({
      method: 'GET',
      url,
      config: { role: null },
      schema: { operationId, summary: 'Is the process alive?', tags, response: { 200: Health } },
      handler: async () => ({ status: 'ok' as const }),
    });

  app.route({
    method: 'GET',
    url: '/health/ready',
    config: { role: null },
    schema: {
      operationId: 'getReadiness',
      summary: 'Is the service ready to serve?',
      tags,
      response: { 200: Health },
    },
    handler: async () => {
      const missing = await unready();
      if (missing.length > 0) throw unavailable(`not ready: ${missing.join(', ')}`, RETRY_AFTER);
      return { status: 'ok' as const };
    },
  });
}
