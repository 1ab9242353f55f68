/** A task of maintenance has one of these statuses, and its run shows one of them. */
export const MAINTENANCE_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

export type MaintenanceStatus = (typeof MAINTENANCE_STATUSES)[number];

/** A run of maintenance is one of these orders. */
export const MAINTENANCE_KINDS = ['reindex', 'doctor'] as const;
export type MaintenanceKind = (typeof MAINTENANCE_KINDS)[number];

/** A task in one of these statuses has not ended. */
export const LIVE_TASK_STATUSES = [
  'PENDING',
  'RUNNING',
] as const satisfies readonly MaintenanceStatus[];
