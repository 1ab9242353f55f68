/** Makes the metrics of one thread. A snapshot has them in the form in which threads send them to their process. */
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type GaugeConfiguration,
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
    if (shape.type === 'gauge') return [name, gaugeOf(about, shape.merging)];
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

/** A gauge without labels would be 0 before somebody sets it, also in threads that know nothing of what it shows. */
function gaugeOf(
  about: GaugeConfiguration<string>,
  aggregator: GaugeConfiguration<string>['aggregator'],
) {
  const gauge = new Gauge({ ...about, ...(aggregator && { aggregator }) });
  if (about.labelNames?.length === 0) gauge.remove();
  return gauge;
}

/**
 * Adds up the metrics of several threads, or takes the largest or smallest gauge, as the table of metrics says. Whether a
 * model is up is what its newest call says, in whatever thread it was made.
 */
export function merged(snapshots: readonly MetricsSnapshot[]): Registry {
  const calls = new Map<string, { at: number; up: number }>();
  for (const { name, values } of snapshots.flat()) {
    if (name !== LAST_CALL) continue;
    for (const { labels, value } of values) {
      const before = calls.get(modelOf(labels));
      if (!before || value >= before.at)
        calls.set(modelOf(labels), { at: value, up: labels.outcome === 'answered' ? 1 : 0 });
    }
  }
  return AggregatorRegistry.aggregate(
    snapshots.map((snapshot) =>
      snapshot.map((metric) =>
        metric.name === MODEL_UP
          ? {
              ...metric,
              values: metric.values.map((value) => ({
                ...value,
                value: calls.get(modelOf(value.labels))?.up ?? value.value,
              })),
            }
          : metric,
      ),
    ),
  );
}

const LAST_CALL: MetricName = 'quarry_model_last_call_timestamp_seconds';
const MODEL_UP: MetricName = 'quarry_model_up';

const modelOf = ({ role, model }: MetricValue<string>['labels']): string => `${role} ${model}`;
