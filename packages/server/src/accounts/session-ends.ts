/** A session ends when it has not been used for 12 hours, and after 30 days in any case. */
import type { SessionEnds } from './session-store.ts';

const IDLE_MS = 12 * 3_600_000;
export const MAX_AGE_MS = 30 * 24 * 3_600_000;

export const endsAt = (now: number): SessionEnds => ({
  begunAfter: now - MAX_AGE_MS,
  usedAfter: now - IDLE_MS,
});
