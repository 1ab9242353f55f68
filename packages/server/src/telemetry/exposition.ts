/** Makes the text that a monitor reads, from the metrics of all threads of the process. */
import { collectDefaultMetrics } from 'prom-client';
import { sharedFor } from '../util.ts';
import { type Metrics, type MetricsSnapshot, merged } from './metrics.ts';
import type { ThreadMetrics } from './thread-metrics.ts';

const FRESH_MS = 1000;

/** Their names are those of counters, although they are gauges, so checkers of metrics refuse the whole text. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
  snapshot(): Promise<MetricsSnapshot>;
}

export function createExposition(metrics: Metrics, threads: ThreadMetrics): Exposition {
  collectDefaultMetrics({ register: metrics.registry });
  for (const name of MISNAMED) metrics.registry.removeSingleMetric(name);
  const fresh = sharedFor(FRESH_MS, async () => {
    const others = await threads.snapshots();
    return merged([await metrics.snapshot(), ...others]);
  });

  return {
    contentType: metrics.registry.contentType,
    text: async () => (await fresh()).metrics(),
    snapshot: async () => (await fresh()).getMetricsAsJSON(),
  };
}
