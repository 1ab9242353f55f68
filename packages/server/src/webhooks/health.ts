/** The health of an endpoint depends on its newest attempts that have ended. */
import type { AttemptResult } from '../model/delivery-state.ts';

const JUDGED = 10;
const IN_A_ROW = 3;

export const HEALTH = ['healthy', 'degraded', 'failing', 'unknown'] as const;
export type Health = (typeof HEALTH)[number];

/** The newest outcome comes first in `outcomes`. */
export function healthOf(outcomes: readonly AttemptResult[]): Health {
  const judged = outcomes.slice(0, JUDGED);
  if (judged.length === 0) return 'unknown';
  const newest = judged.slice(0, IN_A_ROW);
  if (newest.length === IN_A_ROW && newest.every((one) => one === 'failed')) return 'failing';
  return judged.every((one) => one === 'success') ? 'healthy' : 'degraded';
}
