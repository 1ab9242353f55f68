/**
 * Turns rows of sync_jobs into the two shapes of the API: a job of a source connection, and a job of an organization.
 */
import type { Selectable } from 'kysely';
import type { Ctx } from '../../context.ts';
import type { EntityTable } from '../../db/schema.ts';
import { withRemedy } from '../../db/unavailable.ts';
import { instant, instantOrNull } from '../../util.ts';
import {
  type HeldBackDeletion,
  type JobWarning,
  type SourceConnectionJob,
  STATUS_WORDS,
  type SyncJob,
  type SyncJobDetail,
} from '../schema.ts';
import { isUnfinished, type JobRow } from './job-store.ts';
import { secretWarnings } from './secrets.ts';
import { addCounts } from './tally.ts';

/** The row of a job comes with the name of its connection, and with the collection that it fills. */
export type NamedJobRow = JobRow & {
  readonly sync_name: string;
  readonly readable_collection_id: string;
};

/** This is the reason why the database refuses writes now, or null while it accepts writes. */
export type RefusalReason = string | null;

export const toSourceConnectionJob = (
  row: JobRow,
  refusalReason: RefusalReason,
): SourceConnectionJob => ({
  id: row.id,
  source_connection_id: row.connection_id,
  status: row.status,
  started_at: instantOrNull(row.started_at),
  completed_at: instantOrNull(row.completed_at),
  duration_seconds: durationSeconds(row),
  entities_inserted: row.entities_inserted,
  entities_updated: row.entities_updated,
  entities_deleted: row.entities_deleted,
  entities_failed: row.entities_failed,
  deletions_held_back: row.deletions_held_back,
  entities_by_type: byTypeOf(row),
  error: row.error,
  error_details: row.error_details,
  waits_for: waitInRow(row, refusalReason, Date.now()),
  warnings: warningsOf(row),
});

/** Users choose the names of types, so only own properties are read. */
const countOf = (counts: Readonly<Record<string, number>>, type: string): number =>
  Object.hasOwn(counts, type) ? (counts[type] ?? 0) : 0;

/** Returns null for a job whose row does not have these counts. */
export function byTypeOf({
  encountered,
  left_out: leftOut,
  by_type: byType,
}: Pick<JobRow, 'encountered' | 'left_out' | 'by_type'>): SourceConnectionJob['entities_by_type'] {
  if (byType === null) return null;
  const types = [encountered, leftOut, byType.deleted].flatMap(Object.keys);
  return Object.fromEntries(
    [...new Set(types)].map((type) => {
      const inserted = countOf(byType.inserted, type);
      const updated = countOf(byType.updated, type);
      const failed = countOf(byType.failed, type);
      const kept = countOf(encountered, type) - inserted - updated;
      const skipped = countOf(leftOut, type) - failed;
      return [
        type,
        { inserted, updated, deleted: countOf(byType.deleted, type), kept, skipped, failed },
      ];
    }),
  );
}

function warningsOf(row: JobRow): JobWarning[] {
  const { begun_again: count } = row;
  const times = count === 1 ? 'once' : `${count} times`;
  return [
    ...secretWarnings(row),
    ...(count === 0
      ? []
      : [
          {
            code: 'began_again' as const,
            message: `the source no longer knew where the last sync had ended, so this job began again from the start ${times}`,
            count,
            examples: [],
            hint: 'Nothing needs to be done: the job lists everything. If this happens often, let the connection sync more often.',
          },
        ]),
  ];
}

/**
 * Returns the job as the caller may see it. The examples of a warning name records whatever their access is, so people
 * who are not admins see none.
 */
export const shownTo = <Job extends Pick<SyncJob, 'warnings'>>(
  { person }: Pick<Ctx, 'person'>,
  job: Job,
): Job =>
  person === undefined
    ? job
    : { ...job, warnings: job.warnings.map((warning) => ({ ...warning, examples: [] })) };

const durationSeconds = (row: Pick<JobRow, 'started_at' | 'completed_at'>) =>
  row.started_at === null || row.completed_at === null
    ? null
    : (row.completed_at - row.started_at) / 1000;

/**
 * Returns what a job waits for according to its row and the database. The jobs before it in the queue are not
 * considered.
 */
export function waitInRow(
  row: Pick<JobRow, 'status' | 'waits_for' | 'waits_until'>,
  refusalReason: RefusalReason,
  now: number,
): SourceConnectionJob['waits_for'] {
  const { status, waits_for: reason, waits_until: until } = row;
  if (!isUnfinished(status)) return null;
  if (refusalReason !== null) return { reason: withRemedy(refusalReason), until: null };
  if (status === 'CANCELLING' || reason === null || until === null || until <= now) return null;
  return { reason, until: instant(until) };
}

/** Returns what a connection shows of its last full sync that completed. */
export const toFullJob = (
  row: Pick<JobRow, 'id' | 'started_at' | 'completed_at' | 'encountered' | 'left_out'>,
) => ({
  id: row.id,
  started_at: instantOrNull(row.started_at),
  completed_at: instantOrNull(row.completed_at),
  entities_encountered: addCounts(row.encountered, row.left_out),
});

export const toHeldBack = (
  row: Pick<
    Selectable<EntityTable>,
    'id' | 'entity_id' | 'entity_type' | 'name' | 'url' | 'breadcrumbs'
  >,
): HeldBackDeletion => ({
  id: row.id,
  entity_id: row.entity_id,
  entity_type: row.entity_type,
  name: row.name,
  url: row.url ?? '',
  breadcrumbs: row.breadcrumbs.map(({ name }) => name),
});

export const toJob = (row: NamedJobRow, refusalReason: RefusalReason): SyncJob => ({
  id: row.id,
  sync_id: row.sync_id,
  sync_name: row.sync_name,
  source_connection_id: row.connection_id,
  readable_collection_id: row.readable_collection_id,
  organization_id: row.organization_id,
  status: STATUS_WORDS[row.status],
  scheduled: row.trigger === 'schedule',
  entities_inserted: row.entities_inserted,
  entities_updated: row.entities_updated,
  entities_deleted: row.entities_deleted,
  entities_kept: row.entities_kept,
  entities_skipped: row.entities_skipped,
  entities_failed: row.entities_failed,
  entities_encountered: addCounts(row.encountered, row.left_out),
  entities_by_type: byTypeOf(row),
  skipped_by_reason: row.skipped_by_reason,
  deletions_held_back: row.deletions_held_back,
  waits_for: waitInRow(row, refusalReason, Date.now()),
  warnings: warningsOf(row),
  started_at: instantOrNull(row.started_at),
  completed_at: instantOrNull(row.completed_at),
  failed_at: instantOrNull(row.failed_at),
  error: row.error,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
  created_by_email: row.created_by_email,
  modified_by_email: row.modified_by_email,
});

export const toDetail = (row: NamedJobRow, refusalReason: RefusalReason): SyncJobDetail => ({
  ...toJob(row, refusalReason),
  sync_config: row.sync_config && { ...row.sync_config },
  sync_metadata: {
    trigger: row.trigger,
    attempt: row.attempt,
    full: row.full,
    chunks_written: row.chunks_written,
    bytes_fetched: row.bytes_fetched,
    requests: row.requests,
  },
});
