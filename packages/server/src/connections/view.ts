/**
 * This file turns a connection into the shape that the API shows, and a change of a connection into its event. The
 * status is not stored: it is computed from facts at each read.
 */
import type { OutboxEvent } from '../events/types.ts';
import { type Source, syncMode } from '../sources/define.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import { instant, instantOrNull } from '../util.ts';
import type { SourceConnection } from './schema.ts';
import type { ConnectionRow, Counts } from './store.ts';

/**
 * The clock of this process may differ by this much from the clock of the database. A lease that has just run out does no
 * harm here, because the next worker takes it.
 */
const CLOCKS_DIFFER_MS = 120_000;

/** These are the facts that the API shows in addition to the row of the connection. */
export interface ConnectionFacts {
  readonly lastJob: SourceConnectionJob | undefined;
  /** This is the last full sync that completed. */
  readonly lastFullJob: SourceConnection['sync']['last_full_job'] | undefined;
  /** This is the newest job that holds deletions back. */
  readonly heldBack: SourceConnection['deletions_held_back'] | undefined;
  /** If true, a job has not ended. This is not always the newest job, because several pushes may wait. */
  readonly isBusy: boolean;
  readonly counts: Counts;
  /** The source is undefined when the operator has switched it off. */
  readonly source: Source | undefined;
}

export function toSourceConnection(row: ConnectionRow, facts: ConnectionFacts): SourceConnection {
  const { lastJob, lastFullJob, heldBack, counts, source } = facts;
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    description: row.description,
    short_name: row.short_name,
    readable_collection_id: row.readable_id,
    status: statusOf(row, facts),
    created_at: instant(row.created_at),
    modified_at: instant(row.modified_at),
    created_by_email: row.created_by_email,
    modified_by_email: row.modified_by_email,
    true_as_of: instantOrNull(row.true_as_of),
    auth: {
      method: row.auth_method,
      authenticated: isAuthenticated(row),
      authenticated_at: instantOrNull(row.authenticated_at),
      expires_at: row.auth_method !== 'direct' ? instantOrNull(row.token_expires_at) : null,
      account: row.account,
      sign_in_error:
        row.failure_code === null || isAuthenticated(row)
          ? null
          : { code: row.failure_code, message: row.failure_message ?? '' },
    },
    config: row.config,
    schedule: {
      cron: row.cron,
      next_run: instantOrNull(row.next_run_at),
      continuous: row.continuous,
      cursor_field: row.cursor_field,
    },
    full_every: row.full_every,
    sync_id: row.sync_id,
    sync: {
      total_runs: row.total_runs,
      successful_runs: row.successful_runs,
      failed_runs: row.failed_runs,
      last_job: lastJob ? summary(lastJob) : null,
      last_full_job: lastFullJob ?? null,
    },
    entities: {
      total_entities: counts.reduce((sum, { count }) => sum + count, 0),
      by_type: Object.fromEntries(counts.map(({ entity_type, count }) => [entity_type, { count }])),
    },
    deletions_held_back: heldBack ?? null,
    watch: watchOf(row),
    federated_search: source !== undefined && syncMode(source) === 'federated',
    transformers: row.transformers,
  };
}

export const connectionEvent = (
  type:
    | 'source_connection.created'
    | 'source_connection.auth_completed'
    | 'source_connection.deleted',
  row: Omit<ConnectionRow, `${'token' | 'failure' | 'watch'}_${string}`>,
): OutboxEvent => ({
  type,
  organizationId: row.organization_id,
  collectionId: row.collection_id,
  connectionId: row.id,
  fields: {
    source_connection_id: row.id,
    collection_readable_id: row.readable_id,
    source_type: row.short_name,
    is_authenticated: isAuthenticated(row),
  },
});

const isAuthenticated = (row: Pick<ConnectionRow, 'authenticated_at' | 'refused_at'>) =>
  row.authenticated_at !== null && row.refused_at === null;

/** Returns null when no worker watches the source, also when its worker has died. */
function watchOf(row: ConnectionRow): SourceConnection['watch'] {
  const { watch_state: state, watch_message: message, watch_lease_until: until } = row;
  return state === null || (until ?? 0) < Date.now() - CLOCKS_DIFFER_MS ? null : { state, message };
}

/** Returns the first status in this order whose condition is true. */
function statusOf(
  row: ConnectionRow,
  { lastJob, isBusy, source }: ConnectionFacts,
): SourceConnection['status'] {
  if (row.authenticated_at === null) return 'PENDING_AUTH';
  if (row.refused_at !== null) return 'NEEDS_REAUTH';
  if (isBusy) return 'SYNCING';
  if (!source) return 'INACTIVE';
  return lastJob?.status === 'FAILED' ? 'ERROR' : 'ACTIVE';
}

const summary = ({
  source_connection_id: _,
  entities_by_type: __,
  deletions_held_back: ___,
  ...job
}: SourceConnectionJob) => job;
