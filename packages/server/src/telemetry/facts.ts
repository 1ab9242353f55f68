/**
 * Shows what the database knows as metrics. It is read when somebody asks for metrics, at most once in a few seconds. Every
 * process shows the same facts, so a monitor takes their maximum and not their sum.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { ENDED } from '../model/sync-status.ts';
import { oneAtATime, sharedFor } from '../util.ts';
import { createDueClock } from './due-clock.ts';
import * as store from './facts-store.ts';
import type { Metrics } from './metrics.ts';

const FRESH_MS = 10_000;
/** A monitor gives up after a few seconds, and it wants the other metrics most while the database is away. */
const PATIENCE_MS = 2000;

export interface FactDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly log: Logger;
  /** Returns what keeps the service from serving now. */
  readonly unready: () => Promise<readonly unknown[]>;
  readonly now?: () => number;
  /** The database must have answered by then. */
  readonly patienceMs?: number;
}

export function showFacts(metrics: Metrics, deps: FactDeps): void {
  const { log, unready } = deps;
  const dueClock = createDueClock();
  const limits = {
    ms: deps.patienceMs ?? PATIENCE_MS,
    late: () => new Error('the database did not answer in time'),
  };
  const askUnready = oneAtATime(unready, limits);
  const find = oneAtATime(() => read(deps), limits);
  const warn = (error: unknown) => {
    log.warn({ err: error }, 'the state of the database could not be read for metrics');
  };
  const show = async () => {
    const isUp = (await askUnready().catch(warn))?.length === 0;
    metrics.quarry_database_up.set(isUp ? 1 : 0);
    // A large database may answer and still take longer than a monitor waits. That does not mean that it is away.
    const facts = isUp ? await find().catch(warn) : undefined;
    forget(metrics);
    if (facts) set(metrics, facts, dueClock.look(facts.queue));
  };
  metrics.beforeSnapshot(sharedFor(FRESH_MS, show, deps.now));
}

/** Facts that are not known are missing, because an old value would look like a present one. */
function forget(metrics: Metrics): void {
  for (const name of LABELLED_FACTS) metrics[name].reset();
  // A gauge without labels would be 0 after a reset.
  for (const name of FACTS) metrics[name].remove();
}

const FACTS = [
  'quarry_database_size_bytes',
  'quarry_index_passages',
  'quarry_webhook_deliveries_pending',
  'quarry_webhook_oldest_due_seconds',
  'quarry_backup_age_seconds',
  'quarry_backup_failed',
] as const;

const LABELLED_FACTS = [
  'quarry_records',
  'quarry_connections',
  'quarry_schedule_lag_seconds',
  'quarry_syncs',
  'quarry_sync_oldest_seconds',
  'quarry_queue_jobs',
  'quarry_queue_oldest_due_seconds',
] as const;

type ReadFacts = Awaited<ReturnType<typeof read>>;

async function read({ db, kind }: FactDeps) {
  return {
    records: await store.records(db),
    connections: await store.connections(db, kind),
    syncs: await store.syncs(db, kind),
    queue: await store.queue(db, kind),
    deliveries: await store.deliveries(db, kind),
    size: await store.size(db, kind),
    passages: await store.passages(db),
    backups: await store.backups(db, kind),
  };
}

function set(metrics: Metrics, facts: ReadFacts, dueMs: ReadonlyMap<string, number>): void {
  const { records, connections, syncs, queue, deliveries, size, passages, backups } = facts;
  metrics.quarry_database_size_bytes.set(size);
  metrics.quarry_index_passages.set(passages);
  for (const { source, records: count } of records) metrics.quarry_records.set({ source }, count);
  for (const { source, state, count } of connections) {
    metrics.quarry_connections.set({ source, state }, count);
    // A monitor sees no increase in the first value of a counter, so the counters of a source begin before its syncs.
    for (const ended of ENDED) metrics.quarry_syncs_total.inc({ source, state: ended }, 0);
  }
  for (const [source, ms] of lagOf(connections))
    metrics.quarry_schedule_lag_seconds.set({ source }, ms / 1000);
  for (const { source, state, count, oldestMs } of syncs) {
    metrics.quarry_syncs.set({ source, state }, count);
    metrics.quarry_sync_oldest_seconds.set({ source, state }, oldestMs / 1000);
  }
  for (const { job, state, count } of queue) metrics.quarry_queue_jobs.set({ job, state }, count);
  for (const [job, ms] of dueMs) metrics.quarry_queue_oldest_due_seconds.set({ job }, ms / 1000);
  if (backups.ageMs !== null) metrics.quarry_backup_age_seconds.set(backups.ageMs / 1000);
  metrics.quarry_backup_failed.set(backups.hasScheduledFailed ? 1 : 0);
  metrics.quarry_webhook_deliveries_pending.set(deliveries.pending);
  metrics.quarry_webhook_oldest_due_seconds.set(Math.max(0, deliveries.overdueMs) / 1000);
}

/** Nobody expects syncs of connections without a schedule, or while their source refuses the credentials. */
function lagOf(connections: ReadFacts['connections']): ReadonlyMap<string, number> {
  const lag = new Map<string, number>();
  for (const { source, state, overdueMs } of connections)
    if (state === 'ok' || state === 'failed')
      lag.set(source, Math.max(0, overdueMs, lag.get(source) ?? 0));
  return lag;
}
