/**
 * These are all metrics of our own. Names and units follow https://prometheus.io/docs/practices/naming/. The values of
 * labels are bounded: routes, names of sources and models that the operator has set, and states; never ids or names that
 * callers choose. docs/operations.md repeats this table, and a test compares the two.
 */

/** Metrics of several threads are added, unless the largest or the smallest one is what matters. */
type Merging = 'sum' | 'max' | 'min';

interface MetricShape {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  readonly merging?: Merging;
}

const counter = <const Labels extends readonly string[]>(help: string, labels: Labels) => ({
  ...{ type: 'counter' as const, help, labels },
});
const gauge = <const Labels extends readonly string[]>(
  help: string,
  labels: Labels,
  merging: Merging = 'sum',
) => ({ type: 'gauge' as const, help, labels, merging });
const histogram = <const Labels extends readonly string[]>(
  help: string,
  labels: Labels,
  buckets: readonly number[],
) => ({ type: 'histogram' as const, help, labels, buckets });

const FAST = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const SLOW = [0.1, 0.5, 2, 10, 30, 120, 600, 3600, 21_600];

export const METRICS = {
  quarry_http_request_duration_seconds: histogram(
    'Time from the head of a request to the end of its answer.',
    ['method', 'route', 'status'],
    FAST,
  ),
  quarry_search_duration_seconds: histogram(
    'Time of searches in their thread; kind is search, agentic, examine or grep.',
    ['kind', 'outcome'],
    FAST,
  ),
  quarry_search_stage_duration_seconds: histogram(
    'Time of a stage of searches: embed, snapshot, candidates, rows, language_model, reranker or live_sources.',
    ['stage'],
    FAST,
  ),
  quarry_search_degraded_total: counter(
    'Searches that a built-in method served in part, by the option for which no model answered.',
    ['option'],
  ),
  quarry_searches_waiting: gauge(
    'Searches that have not begun because others run, agentic ones among them.',
    [],
  ),
  quarry_index_resident_bytes: gauge(
    'Memory that collections take in search threads, by the budget of QUARRY_INDEX_MEMORY_MB.',
    [],
  ),
  quarry_index_budget_bytes: gauge('Memory that collections may take in search threads.', []),
  quarry_index_evictions_total: counter(
    'Collections that were removed from the memory of search threads to make room for others, and are read again when they are searched.',
    [],
  ),
  quarry_threads: gauge('Threads that run.', ['thread']),
  quarry_thread_deaths_total: counter('Threads that died and were not asked to end.', ['thread']),
  quarry_event_loop_delay_seconds: gauge(
    'How late timers ran since the last scrape, by percentile: 50, 99 or 100; the slowest thread of its name.',
    ['thread', 'percentile'],
    'max',
  ),
  quarry_event_loop_utilization_ratio: gauge(
    'Share of the time since the last scrape in which the thread was busy; the busiest one of its name.',
    ['thread'],
    'max',
  ),
  quarry_thread_heap_bytes: gauge('JavaScript heap in use.', ['thread']),
  quarry_jobs_total: counter(
    'Attempts of background jobs, by outcome: done, waits, broke, lost or given_back.',
    ['job', 'outcome'],
  ),
  quarry_job_duration_seconds: histogram('Time of attempts of background jobs.', ['job'], SLOW),
  quarry_syncs_total: counter('Syncs that ended, by source and state.', ['source', 'state']),
  quarry_sync_waits_total: counter(
    'Times that a sync was put off, by reason: rate_limit, asked_to_wait, network, begins_again or database.',
    ['source', 'reason'],
  ),
  quarry_sync_records_total: counter(
    'Records in committed parts of syncs, by outcome: inserted, updated, deleted, kept, skipped or failed. A record that changes after it was kept counts twice.',
    ['source', 'outcome'],
  ),
  quarry_sync_bytes_total: counter('Bytes that syncs have read from sources.', ['source']),
  quarry_sync_commit_duration_seconds: histogram('Time of commits of syncs.', [], FAST),
  quarry_source_request_duration_seconds: histogram(
    'Time until a source has answered the head of a request; status is error when no answer came.',
    ['source', 'status'],
    FAST,
  ),
  quarry_source_limit_wait_seconds_total: counter(
    'Time that requests to sources have waited for a limit of their organization.',
    ['source'],
  ),
  quarry_webhook_attempts_total: counter('Attempts to deliver a message, by outcome.', ['outcome']),
  quarry_webhook_attempt_duration_seconds: histogram(
    'Time of attempts to deliver a message.',
    [],
    FAST,
  ),
  quarry_model_calls_total: counter('Calls of models of others, by outcome: answered or failed.', [
    'role',
    'model',
    'outcome',
  ]),
  quarry_model_call_duration_seconds: histogram(
    'Time of calls of models of others, with their repetitions.',
    ['role', 'model'],
    FAST,
  ),
  quarry_model_tokens_total: counter(
    'Tokens of language models; estimated where a model does not report them.',
    ['model', 'direction'],
  ),
  quarry_model_up: gauge(
    'Is 0 when the last call of a model failed. A model that was never called is missing.',
    ['role', 'model'],
    'min',
  ),
  quarry_model_last_call_timestamp_seconds: gauge(
    'When the last call of a model ended, by outcome: answered or failed.',
    ['role', 'model', 'outcome'],
    'max',
  ),
  quarry_database_up: gauge('Is 0 when the database does not answer or takes no writes.', []),
  quarry_database_size_bytes: gauge('Size of the database.', []),
  quarry_records: gauge('Stored records.', ['source']),
  quarry_index_passages: gauge('Passages that searches can find.', []),
  quarry_connections: gauge(
    'Source connections, by state: ok, failed (the last sync failed), refused (the source refuses the credentials) or unscheduled.',
    ['source', 'state'],
  ),
  quarry_schedule_lag_seconds: gauge(
    'How long the sync that is most overdue should have started already.',
    ['source'],
    'max',
  ),
  quarry_syncs: gauge('Syncs that have not ended, by state: pending, running or waiting.', [
    'source',
    'state',
  ]),
  quarry_sync_oldest_seconds: gauge(
    'Age of the oldest sync that has not ended, by the same states.',
    ['source', 'state'],
    'max',
  ),
  quarry_queue_jobs: gauge(
    'Entries of the queue, by state: due, running, delayed or behind (another one of its lane). Counted are the first 10,000.',
    ['job', 'state'],
  ),
  quarry_queue_oldest_due_seconds: gauge(
    'How long the oldest due entry of the queue, which nobody works on, has been due.',
    ['job'],
    'max',
  ),
  quarry_webhook_deliveries_pending: gauge(
    'Deliveries that are not made yet. The count ends at 10,000.',
    [],
  ),
  quarry_webhook_oldest_due_seconds: gauge(
    'How long the delivery that is most overdue should have been tried already.',
    [],
    'max',
  ),
  quarry_backup_age_seconds: gauge(
    'Age of the newest complete backup that the service has made, by the API or by schedule. It is missing without one.',
    [],
    'max',
  ),
  quarry_backup_failed: gauge('Is 1 when the last scheduled backup failed.', [], 'max'),
  quarry_trace_spans_total: counter(
    'Spans of traces, by outcome: sent, failed (the collector did not take them) or dropped (too many waited).',
    ['outcome'],
  ),
  quarry_build_info: gauge('Is always 1.', ['version', 'roles'], 'max'),
} satisfies Readonly<Record<string, MetricShape>>;

export type MetricName = keyof typeof METRICS;
