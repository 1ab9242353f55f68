/** Makes a line for a chart from the counts of entities over time. */

import { count, counted } from 'quarry-text/numbers';
import type { Schemas } from '../api/client.ts';

type Point = Schemas['EntityCountsOverTime']['points'][number];

export interface CountLine {
  /** The times are in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly totals: readonly number[];
}

interface Span {
  /** The line begins here, or with the first point when it is null. */
  readonly from: number | null;
  readonly now: number;
}

/** The count is the same between two points, so the line begins with the point before it, and goes on until now. */
export function lineOf(points: readonly Point[], { from, now }: Span): CountLine {
  const all = points.map(({ at, total_entities }) => ({ at: Date.parse(at), total_entities }));
  const first = all[0];
  if (!first) return { times: [], totals: [] };
  const begin = Math.max(from ?? first.at, first.at);
  const before = all.findLast(({ at }) => at <= begin);
  const inside = all.filter(({ at }) => at > begin);
  const shown = [...(before ? [{ ...before, at: begin }] : []), ...inside];
  const last = shown.at(-1);
  if (last && last.at < now) shown.push({ ...last, at: now });
  return { times: shown.map(({ at }) => at), totals: shown.map((one) => one.total_entities) };
}

/** "From 31,200 to 48,211 records. 4 jobs failed.": the chart for those who do not see it. */
export function lineInWords({ totals }: CountLine, failed: number): string {
  const [first = 0] = totals;
  const last = totals.at(-1) ?? 0;
  const line =
    first === last
      ? `${counted(last, 'record')}, no change.`
      : `From ${count(first)} to ${counted(last, 'record')}.`;
  return failed === 0 ? line : `${line} ${counted(failed, 'job')} failed.`;
}
