/**
 * Decides whether a window admits one more request. In every span of `windowMs` milliseconds at most `limit` requests
 * are admitted.
 *
 * Admissions of a window are numbered without gaps, and their times never fall. So the window has room for a request if
 * the `limit`-th newest admission has left it; no admission needs to be counted.
 *
 * The time of a window is the clock of the database plus a skew. The skew is 0 until that clock is set back by a second
 * or more. Then the skew becomes so great that the time goes on from the newest admission, because nobody knows how
 * much time has really passed. So a request waits for one window at most, and not until the clock has caught up.
 *
 * Connections that share a window take turns. A connection that had to wait keeps its turn, and has a right to an equal
 * share of the limit. Until it comes back, the unused part of its share is reserved: requests of connections that began
 * to wait later, or that do not wait, cannot use it.
 */

/** A request that is over the limit is told to wait for at least this long. */
export const MIN_WAIT_MS = 100;

export interface Admitted {
  readonly seq: number;
  readonly at: number;
  readonly skew: number;
}

export interface WindowTime {
  readonly t: number;
  readonly skew: number;
}

/** When the clock was set back by less than this, the time of the window stands still until the clock has caught up. */
const SET_BACK_MS = 1000;

/** Returns the time of a window at `now`, the clock of the database. */
export function timeIn(newest: Admitted | null, now: number): WindowTime {
  if (!newest) return { t: now, skew: 0 };
  const { at, skew } = newest;
  const behind = at - (now + skew);
  if (behind <= 0) return { t: now + skew, skew };
  return { t: at, skew: behind < SET_BACK_MS ? skew : skew + behind };
}

/**
 * Returns the number of the admission that must have left the window before it has room for `room` requests. The
 * numbers in `unused`, the greatest first, belong to admissions without a request, which take no room.
 */
export const lastToLeave = (newest: Admitted, room: number, unused: readonly number[]): number =>
  unused.reduce((seq, one) => (one >= seq ? seq - 1 : seq), newest.seq - room + 1);

/** A connection waits for its turn in a window that has already admitted `admitted` of its requests. */
export interface Waiting {
  readonly connectionId: string;
  readonly since: number;
  readonly admitted: number;
}

/** Returns how many of `limit` requests are kept for connections that have waited longer than the asking one. */
export function keptForOthers(
  waiting: readonly Waiting[],
  asking: Pick<Waiting, 'connectionId' | 'since'>,
  limit: number,
): number {
  const before = waiting.filter((one) => isBefore(one, asking));
  const share = Math.max(1, Math.floor(limit / (before.length + 1)));
  return before.reduce((sum, { admitted }) => sum + Math.max(0, share - admitted), 0);
}

function isBefore(one: Waiting, other: Pick<Waiting, 'connectionId' | 'since'>): boolean {
  if (one.connectionId === other.connectionId) return false;
  return (
    one.since < other.since || (one.since === other.since && one.connectionId < other.connectionId)
  );
}
