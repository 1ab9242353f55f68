/** Measures requests by the pattern of their route, because addresses have ids and secrets. */
import type { Metrics } from '../telemetry/metrics.ts';
import type { App } from './server.ts';

type HttpMetrics = Pick<Metrics, 'quarry_http_request_duration_seconds'>;

export function measureRequests(app: App, metrics: HttpMetrics): void {
  app.addHook('onResponse', async (req, reply) => {
    const route = req.routeOptions.url ?? 'unknown';
    metrics.quarry_http_request_duration_seconds.observe(
      { method: methodOf(req.method), route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A caller may send any word as its method. */
export const methodOf = (method: string): string => (METHODS.includes(method) ? method : 'other');
