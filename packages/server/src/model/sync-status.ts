/**
 * This file lists the states of a sync job and every move between them. The SQL statements that move a job use these
 * moves (syncs/jobs/job-store.ts, syncs/jobs/job-end-store.ts). docs/sync-jobs.md has a drawing of the states.
 */
export const SYNC_STATUSES = [
  'PENDING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLING',
  'CANCELLED',
] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

type SyncMove = Readonly<Partial<Record<SyncStatus, SyncStatus>>>;

export const MOVES = {
  /** A worker begins the job, or continues it after its worker has died or the job has waited. */
  start: { PENDING: 'RUNNING', RUNNING: 'RUNNING' },
  complete: { RUNNING: 'COMPLETED' },
  fail: { RUNNING: 'FAILED' },
  /** A caller asks the job to stop. */
  cancel: { PENDING: 'CANCELLED', RUNNING: 'CANCELLING' },
  /** The worker of the job has stopped. */
  stop: { CANCELLING: 'CANCELLED' },
  /** The connection or the collection of the job is deleted. */
  delete: { PENDING: 'CANCELLED', RUNNING: 'CANCELLED', CANCELLING: 'CANCELLED' },
} as const satisfies Record<string, SyncMove>;

/** Returns the states in which a job can make the move. */
export const statusesBefore = (move: keyof typeof MOVES): SyncStatus[] =>
  Object.keys(MOVES[move]) as SyncStatus[];

/** A job in one of these states has not ended: there is a move out of the state. */
export const UNFINISHED: readonly SyncStatus[] = [
  ...new Set((Object.keys(MOVES) as (keyof typeof MOVES)[]).flatMap(statusesBefore)),
];

/** A job in these states has ended. */
export const ENDED: readonly SyncStatus[] = SYNC_STATUSES.filter(
  (status) => !UNFINISHED.includes(status),
);
