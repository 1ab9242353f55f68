/**
 * A run is one request to the doctor, and consists of tasks. A task has one of these statuses; the status of a run is
 * computed from those of its tasks.
 */
export const MAINTENANCE_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

export type MaintenanceStatus = (typeof MAINTENANCE_STATUSES)[number];

export const MAINTENANCE_KINDS = ['reindex', 'doctor'] as const;
export type MaintenanceKind = (typeof MAINTENANCE_KINDS)[number];

/** A task in one of these statuses has not ended. */
export const LIVE_TASK_STATUSES = [
  'PENDING',
  'RUNNING',
] as const satisfies readonly MaintenanceStatus[];
