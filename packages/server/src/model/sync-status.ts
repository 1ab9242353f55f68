/**
 * The states of a sync job, and every move between them. Statements that move a job take it from here
 * (syncs/jobs/job-store.ts, syncs/jobs/job-end-store.ts); docs/sync-jobs.md draws it.
 */
export type SyncStatus =
  | 'PENDING'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLING'
  | 'CANCELLED';

type SyncMove = Readonly<Partial<Record<SyncStatus, SyncStatus>>>;

export const MOVES = {
  /** A worker takes it; a running one goes on after its worker has died or it has waited. */
  start: { PENDING: 'RUNNING', RUNNING: 'RUNNING' },
  complete: { RUNNING: 'COMPLETED' },
  fail: { RUNNING: 'FAILED' },
  /** Somebody asks it to stop. */
  cancel: { PENDING: 'CANCELLED', RUNNING: 'CANCELLING' },
  /** Its worker has stopped. */
  stop: { CANCELLING: 'CANCELLED' },
  /** Its connection or collection is deleted. */
  delete: { PENDING: 'CANCELLED', RUNNING: 'CANCELLED', CANCELLING: 'CANCELLED' },
} as const satisfies Record<string, SyncMove>;

/** The states in which a job can make the move. */
export const movable = (move: keyof typeof MOVES): SyncStatus[] =>
  Object.keys(MOVES[move]) as SyncStatus[];

/** The states in which a job has not ended: those that something leads out of. */
export const LIVE: readonly SyncStatus[] = [
  ...new Set((Object.keys(MOVES) as (keyof typeof MOVES)[]).flatMap(movable)),
];
