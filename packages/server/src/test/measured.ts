/** Returns what threads need to report their metrics. Each call makes metrics of its own. */
import { createMetrics } from '../telemetry/metrics.ts';
import { collectThreads } from '../telemetry/thread-metrics.ts';

export function measured() {
  const metrics = createMetrics();
  return { metrics, threadMetrics: collectThreads(metrics) };
}
