/**
 * A connection keeps how many entities it had over time, for a chart: a point for each job that changed the counts. The
 * points are limited, and still cover all of the time: the newest ones stay, and the older ones are thinned evenly.
 */

/** A point has the counts of at most this many types, of those with the most entities. */
export const MAX_TYPES = 20;
export const MAX_POINTS = 500;
const NEWEST = 200;
const SPANS = 100;

/**
 * Returns the times of the points to remove. `times` are those of all points of a connection, the oldest first.
 *
 * A point among the older ones goes if its neighbours are then still within one span. So a gap never becomes wider than
 * a span, and of three neighbours that stay, the first and the last are more than a span apart.
 */
export function surplus(times: readonly number[]): number[] {
  if (times.length <= MAX_POINTS) return [];
  const older = times.slice(0, -NEWEST);
  const [first = 0] = older;
  const span = ((older.at(-1) ?? first) - first) / SPANS;
  const gone: number[] = [];
  let before = first;
  for (const [i, time] of older.entries()) {
    const next = times[i + 1] ?? time;
    if (i > 0 && next - before <= span) gone.push(time);
    else before = time;
  }
  return gone;
}
