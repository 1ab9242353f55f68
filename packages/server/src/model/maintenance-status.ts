/** A task of the doctor has one of these statuses; the status of a run is computed from its tasks. */
export const MAINTENANCE_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

export type MaintenanceStatus = (typeof MAINTENANCE_STATUSES)[number];

/** These are the kinds of runs. */
export const MAINTENANCE_KINDS = ['reindex', 'doctor'] as const;
export type MaintenanceKind = (typeof MAINTENANCE_KINDS)[number];

/** A task in one of these statuses has not ended. */
export const LIVE_TASK_STATUSES = [
  'PENDING',
  'RUNNING',
] as const satisfies readonly MaintenanceStatus[];
