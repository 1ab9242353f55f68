/** These functions describe in words the progress and the result of a sync. */
import type { JobDone, JobProgress } from '../syncs/schema.ts';
import { plain } from './live-line.ts';

type Counters = Pick<
  JobProgress,
  | 'entities_inserted'
  | 'entities_updated'
  | 'entities_deleted'
  | 'entities_kept'
  | 'entities_skipped'
  | 'entities_failed'
  | 'entities_encountered'
>;

/** A progress line names at most this many types of entities, and says how many more types there are. */
const MAX_TYPES = 3;

/** Returns one line without a line end. */
export function progressText(progress: JobProgress): string {
  const { status, rate, bytes_fetched: bytes, waits_for: wait } = progress;
  const until = wait?.until ? ` until ${new Date(wait.until).toLocaleTimeString()}` : '';
  return [
    status.toLowerCase(),
    countsText(progress),
    `${number(rate)}/s`,
    ...(bytes > 0 ? [sizeText(bytes)] : []),
    ...typesText(progress, MAX_TYPES),
    ...(wait ? [`waits${until}: ${wait.reason}`] : []),
  ].join(' | ');
}

/** Returns several lines, each with a line end. */
export function summaryText(job: JobDone['job']): string {
  const took = job.duration_seconds === null ? '' : ` in ${timeText(job.duration_seconds)}`;
  const work = [
    `${number(job.chunks_written)} chunks`,
    `${sizeText(job.bytes_fetched)} fetched`,
    `${number(job.requests)} requests`,
  ];
  const records = `/v1/source-connections/${job.source_connection_id}/jobs/${job.id}`;
  return [
    `${job.status}${took}: ${countsText(job)}`,
    `  ${work.join(', ')}`,
    ...typesText(job, Number.POSITIVE_INFINITY).map((types) => `  ${types}`),
    ...skippedText(job),
    ...(job.entities_skipped > 0
      ? [`  what was skipped: quarry skipped ${job.source_connection_id}`]
      : []),
    ...job.warnings.flatMap(({ message, hint }) => [`  warning: ${message}`, `  ${hint}`]),
    ...(job.entities_failed > 0 ? [`  what failed: GET ${records}/failures`] : []),
    ...[job.error ?? job.error_details?.message, job.error_details?.hint]
      .filter((text) => text !== undefined)
      .map((text) => `  ${text}`),
  ]
    .map((line) => `${plain(line)}\n`)
    .join('');
}

function countsText(counters: Counters): string {
  const counts = Object.entries({
    inserted: counters.entities_inserted,
    updated: counters.entities_updated,
    deleted: counters.entities_deleted,
    kept: counters.entities_kept,
    skipped: counters.entities_skipped,
    failed: counters.entities_failed,
  }).filter(([, count]) => count > 0);
  if (counts.length === 0) return 'no entities';
  return counts.map(([name, count]) => `${number(count)} ${name}`).join(', ');
}

/**
 * Returns a list with one line, which counts the skipped records by reason, the most frequent reason first. The list is
 * empty when no record was skipped.
 */
function skippedText({ entities_skipped, skipped_by_reason }: JobDone['job']): string[] {
  const reasons = Object.entries(skipped_by_reason).toSorted(([, a], [, b]) => b - a);
  if (reasons.length === 0) return [];
  const counts = reasons.map(([reason, count]) => `${number(count)} ${reason}`);
  return [`  ${number(entities_skipped)} skipped: ${counts.join(', ')}`];
}

/** Returns a list with one text, which names the most frequent types; the list is empty when the sync met no record. */
function typesText({ entities_encountered: encountered }: Counters, maxTypes: number): string[] {
  const types = Object.entries(encountered).toSorted(([, a], [, b]) => b - a);
  if (types.length === 0) return [];
  const others = types.length - maxTypes;
  return [
    types
      .slice(0, maxTypes)
      .map(([type, count]) => `${type} ${number(count)}`)
      .concat(others > 0 ? `${others} more ${others === 1 ? 'type' : 'types'}` : [])
      .join(', '),
  ];
}

const number = (value: number): string => value.toLocaleString('en-US');

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${number(Math.round((bytes / 1000 ** power) * 10) / 10)} ${UNITS[power]}`;
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
