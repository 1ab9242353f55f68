/** The health of an endpoint depends on its newest attempts that have ended. */
import type { AttemptResult } from '../model/delivery-state.ts';

const NEWEST_ATTEMPTS = 10;
const FAILURES_IN_A_ROW = 3;

export const HEALTH = ['healthy', 'degraded', 'failing', 'unknown'] as const;
export type Health = (typeof HEALTH)[number];

/** `outcomes` must be in order, the newest first. */
export function healthOf(outcomes: readonly AttemptResult[]): Health {
  const judged = outcomes.slice(0, NEWEST_ATTEMPTS);
  if (judged.length === 0) return 'unknown';
  const newest = judged.slice(0, FAILURES_IN_A_ROW);
  if (newest.length === FAILURES_IN_A_ROW && newest.every((one) => one === 'failed'))
    return 'failing';
  return judged.every((one) => one === 'success') ? 'healthy' : 'degraded';
}
