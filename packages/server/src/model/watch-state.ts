/**
 * `watching`: every change is noticed as it happens. `polling`: some or all changes are not, so the source is read every
 * few minutes. `away`: the place that is watched does not exist at the moment.
 */
export const WATCH_STATES = ['watching', 'polling', 'away'] as const;
export type WatchState = (typeof WATCH_STATES)[number];
