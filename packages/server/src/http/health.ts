/** These routes say whether the process runs, and whether it is ready to answer requests. They need no key. */
import { z } from 'zod';
import { unavailable } from '../errors.ts';
import type { ServiceProblem } from '../model/service-problem.ts';
import type { App } from './server.ts';

const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
const Readiness = z
  .object({
    status: z.literal('ok'),
    problems: z
      .array(
        z.object({ problem: z.string(), remedy: z.string().describe('What an operator does.') }),
      )
      .describe('What keeps the service from doing its whole work, although it can serve.'),
  })
  .meta({ id: 'Readiness' });
const tags = ['health'];
const RETRY_AFTER = 2;

export interface HealthDeps {
  /** Returns why the service is not ready, and what to do; the list is empty when the service is ready. */
  readonly unready: () => Promise<readonly string[]>;
  /** Returns what keeps the service from doing its whole work, although it can serve. */
  readonly problems: () => Promise<readonly ServiceProblem[]>;
}

export function healthRoutes(app: App, { unready, problems }: HealthDeps): void {
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
      response: { 200: Readiness },
    },
    handler: async () => {
      const missing = await unready();
      if (missing.length > 0) throw unavailable(`not ready: ${missing.join(', ')}`, RETRY_AFTER);
      return { status: 'ok' as const, problems: [...(await problems())] };
    },
  });
}
