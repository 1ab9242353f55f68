/** These are the wire shapes of sync jobs (the source connection's view, the organization's view, the stream). */
import { z } from 'zod';
import { StreamError } from '../http/sse.ts';
import { SYNC_STATUSES, type SyncStatus } from '../model/sync-status.ts';

const count = z.number().int().min(0);
const when = z.iso.datetime().nullable();
const SkippedByReason = z
  .record(z.string(), count)
  .describe(
    'Numbers of records that were left out on purpose, by reason. Their sum is `entities_skipped`.',
  );

const EntitiesByType = z
  .record(
    z.string(),
    z
      .object({
        inserted: count,
        updated: count,
        deleted: count,
        kept: count,
        skipped: count,
        failed: count,
      })
      .meta({ id: 'TypeCounts' }),
  )
  .nullable()
  .describe(
    'Counters by type. For each type the sum without `deleted` is its number in `entities_encountered`. Null for a job that began under an older version.',
  );

const heldBack = count.describe(
  'Number of records that are no longer at the source, and that this job kept because their deletion waits for a confirmation.',
);

export const ErrorDetails = z
  .object({
    code: z.string(),
    stage: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    entity_id: z.string().optional(),
    entity_type: z.string().optional(),
    status: z.number().optional(),
    hint: z.string().optional(),
  })
  .meta({ id: 'SyncErrorDetails' });

const JobWarning = z
  .object({
    code: z.enum(['secrets_found', 'began_again']),
    message: z.string(),
    count: count.describe(
      'Number of affected records in this job, or how often the job has begun again from the start.',
    ),
    examples: z
      .array(z.string())
      .describe(
        'The `entity_id` of each of the first 10 affected records; empty for a person who is not an admin.',
      ),
    hint: z.string(),
  })
  .meta({ id: 'SyncWarning' });
export type JobWarning = z.infer<typeof JobWarning>;
const warnings = z
  .array(JobWarning)
  .describe('Findings that need attention. A job does not fail because of them.');

const waitsFor = z
  .object({
    reason: z.string().describe('Reason in words.'),
    until: when.describe('Expected end of the wait; null when it is not known.'),
  })
  .nullable();
const waits = waitsFor.describe(
  'Reason why the job does not go on at the moment: it waits for its source, or the database takes no writes.',
);

export const SourceConnectionJob = z
  .object({
    id: z.uuid(),
    source_connection_id: z.uuid(),
    status: z.enum(SYNC_STATUSES),
    started_at: when,
    completed_at: when,
    duration_seconds: z.number().nullable(),
    entities_inserted: count,
    entities_updated: count,
    entities_deleted: count,
    entities_failed: count,
    deletions_held_back: heldBack,
    entities_by_type: EntitiesByType,
    error: z.string().nullable(),
    error_details: ErrorDetails.nullable(),
    waits_for: waits,
    warnings,
  })
  .meta({ id: 'SourceConnectionJob' });
export type SourceConnectionJob = z.infer<typeof SourceConnectionJob>;

/** The organization's view has its own word for each status. */
export const STATUS_WORDS = {
  PENDING: 'pending',
  RUNNING: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLING: 'cancelling',
  CANCELLED: 'cancelled',
} as const satisfies Record<SyncStatus, string>;

/** No job has the status `created`, because a job is queued in the transaction that creates it. */
export const StatusWord = z.enum(['created', ...Object.values(STATUS_WORDS)]);

const job = {
  id: z.uuid(),
  sync_id: z.uuid(),
  sync_name: z.string(),
  source_connection_id: z.uuid(),
  readable_collection_id: z.string(),
  organization_id: z.uuid(),
  status: StatusWord,
  scheduled: z.boolean(),
  entities_inserted: count,
  entities_updated: count,
  entities_deleted: count,
  entities_kept: count,
  entities_skipped: count,
  entities_failed: count,
  entities_encountered: z.record(z.string(), count),
  entities_by_type: EntitiesByType,
  skipped_by_reason: SkippedByReason,
  deletions_held_back: heldBack,
  waits_for: waits,
  warnings,
  started_at: when,
  completed_at: when,
  failed_at: when,
  error: z.string().nullable(),
  created_at: z.iso.datetime(),
  modified_at: z.iso.datetime(),
  created_by_email: z.string().nullable(),
  modified_by_email: z.string().nullable(),
};

export const SyncJob = z.object(job).meta({ id: 'SyncJob' });
export type SyncJob = z.infer<typeof SyncJob>;

export const SyncJobDetail = z
  .object({
    ...job,
    sync_config: z.record(z.string(), z.unknown()).nullable(),
    sync_metadata: z.object({
      trigger: z.string(),
      attempt: count,
      full: z.boolean(),
      chunks_written: count,
      bytes_fetched: count,
      requests: count,
    }),
  })
  .meta({ id: 'SyncJobDetail' });
export type SyncJobDetail = z.infer<typeof SyncJobDetail>;

const counters = {
  entities_inserted: count,
  entities_updated: count,
  entities_deleted: count,
  entities_kept: count,
  entities_skipped: count,
  entities_failed: count,
  entities_encountered: z
    .record(z.string(), count)
    .describe('Numbers of the records that the job has met, left-out ones included, by type.'),
  entities_by_type: EntitiesByType,
  skipped_by_reason: SkippedByReason,
  chunks_written: count,
  bytes_fetched: count,
  requests: count.describe('Number of requests sent to the source.'),
};

const JobProgress = z
  .object({
    type: z.literal('progress'),
    status: z.enum(SYNC_STATUSES),
    ...counters,
    rate: z
      .number()
      .min(0)
      .describe('Entities per second, over the last 10 seconds of the stream.'),
    waits_for: waitsFor.describe('Reason why the job waits; null while a worker works on it.'),
  })
  .meta({ id: 'SyncJobProgress' });
export type JobProgress = z.infer<typeof JobProgress>;

const JobDone = z
  .object({
    type: z.literal('done'),
    job: z.object({ ...SourceConnectionJob.shape, ...counters }),
  })
  .meta({ id: 'SyncJobDone' });
export type JobDone = z.infer<typeof JobDone>;

export const JobEvent = z.discriminatedUnion('type', [JobProgress, JobDone, StreamError]);
export type JobEvent = z.infer<typeof JobEvent>;

export const JobFailure = z
  .object({
    entity_id: z.string(),
    entity_type: z.string(),
    stage: z.string(),
    message: z.string(),
    hint: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'JobFailure' });
export type JobFailure = z.infer<typeof JobFailure>;

export const JobSkipped = z
  .object({
    entity_id: z.string(),
    entity_type: z.string(),
    reason: z.string().describe('One of the reasons that `skipped_by_reason` counts.'),
    detail: z.string().nullable().describe('Detail of this record, such as its size.'),
    hint: z.string().nullable().describe('Change that makes a later sync store the record.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'JobSkipped' });
export type JobSkipped = z.infer<typeof JobSkipped>;

export const HeldBackDeletion = z
  .object({
    id: z.uuid().describe('Id of the entity record.'),
    entity_id: z.string(),
    entity_type: z.string(),
    name: z.string(),
    url: z.string(),
    breadcrumbs: z.array(z.string()).describe('Names from the root to the parent.'),
  })
  .meta({ id: 'HeldBackDeletion' });
export type HeldBackDeletion = z.infer<typeof HeldBackDeletion>;
