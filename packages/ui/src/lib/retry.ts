import { Refusal, Unreachable } from './refusal.ts';

/** A refusal stays one when it is asked again. A service that is away, or that is busy, is asked until it answers. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof Refusal && [429, 502, 503, 504].includes(error.status));

/** Returns the milliseconds until something is asked for again, after so many tries in a row before have failed. */
export const retryWait = (failures: number, error: unknown): number => {
  const asked = error instanceof Refusal ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, Math.min(1000 * 2 ** failures, 30_000));
};
