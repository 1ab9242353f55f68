/** Says when the endpoint of a webhook rests, by the column `rest_until` of its subscription. */
import { type RawBuilder, sql } from 'kysely';

/** When an endpoint asks us to wait (Retry-After), we stop sending to it for at most this long. */
export const LONGEST_REST_MS = 3_600_000;

/**
 * Is true when the endpoint has asked for no rest, or its rest is over at `now`. A rest that is further from its end than
 * any may be was written before the clock was set back, and counts as over.
 */
export const isRestOver = (now: number | RawBuilder<number>): RawBuilder<boolean> =>
  sql`(rest_until <= ${now} or rest_until - ${sql.lit(2 * LONGEST_REST_MS)} > ${now})`;
