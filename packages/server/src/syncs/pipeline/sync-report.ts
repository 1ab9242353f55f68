/** Counts what an attempt of a sync commits, for the metrics and for its line in the log. */
import { SourceError, SourceRateLimitExceededException } from '../../errors.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { type Span, type SpanFacts, spanning } from '../../telemetry/trace.ts';
import type { Committer } from './commit.ts';

const OUTCOMES = ['inserted', 'updated', 'deleted', 'kept', 'skipped', 'failed'] as const;

interface CommittedMeter {
  readonly requests: number;
  readonly bytes: number;
}

/** These are the fields of the line in the log. The numbers are those of this attempt. */
export interface SyncReport extends Record<(typeof OUTCOMES)[number], number> {
  readonly source: string;
  readonly connection: string;
  readonly trigger: string;
  state: SyncStatus;
  requests: number;
  bytes: number;
}

export const emptyReport = (about: {
  readonly source: string;
  readonly connection: string;
  readonly trigger: string;
}): SyncReport => ({
  ...about,
  state: 'RUNNING',
  ...{ inserted: 0, updated: 0, deleted: 0, kept: 0, skipped: 0, failed: 0 },
  ...{ requests: 0, bytes: 0 },
});

/** Returns a committer whose commits are counted once they are in the database. */
export function countedCommitter(
  committer: Committer,
  report: SyncReport,
  {
    metrics,
    meter,
    span,
  }: { readonly metrics: Metrics; readonly meter: CommittedMeter; readonly span: Span },
): Committer {
  const { source } = report;
  let last = { ...meter };
  async function timed(facts: SpanFacts, commit: () => Promise<SyncStatus>): Promise<SyncStatus> {
    const begun = performance.now();
    const status = await spanning(span.begin('commit', { facts }), commit);
    metrics.quarry_sync_commit_duration_seconds.observe((performance.now() - begun) / 1000);
    const { requests, bytes } = meter;
    metrics.quarry_sync_bytes_total.inc({ source }, bytes - last.bytes);
    report.bytes += bytes - last.bytes;
    report.requests += requests - last.requests;
    last = { requests, bytes };
    return status;
  }
  return {
    total: committer.total,
    commitWork: (work) => timed({}, () => committer.commitWork(work)),
    async commit(changes) {
      const facts = { 'quarry.commit.records': changes.decisions.length };
      const status = await timed(facts, () => committer.commit(changes));
      for (const outcome of OUTCOMES) {
        const count = changes.tally[outcome];
        report[outcome] += count;
        // A record that was kept and has changed since takes one away from `kept`. A counter refuses negative numbers.
        if (count > 0) metrics.quarry_sync_records_total.inc({ source, outcome }, count);
      }
      return status;
    },
  };
}

/** Says in a word why a sync was put off after this error. */
export function waitReason(error: unknown): string {
  if (error instanceof SourceRateLimitExceededException) return 'rate_limit';
  if (!(error instanceof SourceError)) return 'database';
  if (error.kind === 'outdated') return 'begins_again';
  return error.kind === 'rate_limited' ? 'asked_to_wait' : 'network';
}
