/** Makes the metrics of one thread. A snapshot has them in the form in which threads send them to their process. */
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { METRICS, type MetricName } from './metric-table.ts';

type LabelOf<Name extends MetricName> = (typeof METRICS)[Name]['labels'][number];

type MetricOf<Name extends MetricName> = {
  counter: Counter<LabelOf<Name>>;
  gauge: Gauge<LabelOf<Name>>;
  histogram: Histogram<LabelOf<Name>>;
}[(typeof METRICS)[Name]['type']];

export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

export interface Metrics extends Readonly<{ [Name in MetricName]: MetricOf<Name> }> {
  readonly registry: Registry;
  /** Has the function set gauges before each snapshot. */
  beforeSnapshot(set: () => void | Promise<void>): void;
  snapshot(): Promise<MetricsSnapshot>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const steps: (() => void | Promise<void>)[] = [];
  const made = Object.entries(METRICS).map(([name, shape]) => {
    const about = { name, help: shape.help, labelNames: [...shape.labels], registers: [registry] };
    if (shape.type === 'counter') return [name, new Counter(about)];
    if (shape.type === 'gauge') return [name, new Gauge({ ...about, aggregator: shape.merging })];
    return [name, new Histogram({ ...about, buckets: [...shape.buckets] })];
  });
  return {
    ...(Object.fromEntries(made) as { [Name in MetricName]: MetricOf<Name> }),
    registry,
    beforeSnapshot: (set) => {
      steps.push(set);
    },
    async snapshot() {
      for (const set of steps) await set();
      return registry.getMetricsAsJSON();
    },
  };
}

/** Adds up the metrics of several threads, or takes the largest or smallest gauge, as the table of metrics says. */
export const merged = (snapshots: readonly MetricsSnapshot[]): Registry =>
  AggregatorRegistry.aggregate([...snapshots]);
