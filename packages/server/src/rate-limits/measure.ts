/** Measures the requests to sources, and how long they wait for the limits of their organization. */
import type { Send } from '../net/guarded-send.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RateLimiter } from './limiter.ts';

type SourceRequestMetrics = Pick<
  Metrics,
  'quarry_source_request_duration_seconds' | 'quarry_source_limit_wait_seconds_total'
>;

export const measuredLimiter = <Limiter extends RateLimiter>(
  limiter: Limiter,
  metrics: SourceRequestMetrics,
): Limiter => ({
  ...limiter,
  limit(send, caller) {
    const source = caller.shortName;
    const askedAt = new WeakMap<Parameters<Send>[1], number>();
    const limited = limiter.limit(async (url, request) => {
      const begun = performance.now();
      const waited = (begun - (askedAt.get(request) ?? begun)) / 1000;
      metrics.quarry_source_limit_wait_seconds_total.inc({ source }, waited);
      let status = 'error';
      try {
        const answer = await send(url, request);
        status = String(answer.status);
        return answer;
      } finally {
        metrics.quarry_source_request_duration_seconds.observe(
          { source, status },
          (performance.now() - begun) / 1000,
        );
      }
    }, caller);
    return (url, request) => {
      askedAt.set(request, performance.now());
      return limited(url, request);
    };
  },
});
