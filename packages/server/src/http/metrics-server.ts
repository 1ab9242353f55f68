/**
 * Serves metrics and health on a port of their own, which every process may have, also one without the API. It takes no
 * key, because a monitor has none, and it shows no record and no name of a tenant.
 */
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Exposition } from '../telemetry/exposition.ts';
import { closeInTime } from './closing.ts';
import { answerUnknownRoute, errorHandler, explainer } from './errors.ts';
import { type HealthDeps, healthRoutes } from './health.ts';
import type { App } from './server.ts';

export interface MetricsServerDeps extends HealthDeps {
  readonly log: Logger;
  readonly exposition: Pick<Exposition, 'contentType' | 'text'>;
}

/** Metrics and health take less than this, and the API closes only after this server. */
const CLOSING_GRACE_MS = 5_000;

export function createMetricsServer({ log, exposition, ...health }: MetricsServerDeps): App {
  const app: App = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  }).withTypeProvider<ZodTypeProvider>();
  closeInTime(app, { graceMs: CLOSING_GRACE_MS });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(errorHandler(explainer(() => null)));
  app.setNotFoundHandler(answerUnknownRoute);
  healthRoutes(app, health);
  app.get('/metrics', { config: { role: null } }, async (_req, reply) =>
    reply.type(exposition.contentType).send(await exposition.text()),
  );
  return app;
}
