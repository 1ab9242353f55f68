/** Says how much an organization was used, in bars and in words. */

import { count, counted } from 'quarry-text/numbers';
import type { Schemas } from '../api/client.ts';

export type UsageDay = Schemas['UsageDay'];

interface Metric {
  readonly name: string;
  readonly label: string;
  readonly valueOn: (day: UsageDay) => number | null;
  /** Says the whole time in a few words. */
  readonly summary: (days: readonly UsageDay[]) => string;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

export const METRICS: readonly Metric[] = [
  {
    name: 'searches',
    label: 'Searches',
    valueOn: ({ searches }) => searches,
    summary: (days) => counted(sumOf(days.map(({ searches }) => searches)), 'search', 'searches'),
  },
  {
    name: 'agentic_searches',
    label: 'Agentic searches',
    valueOn: ({ agentic_searches }) => agentic_searches,
    summary: (days) =>
      counted(
        sumOf(days.map(({ agentic_searches }) => agentic_searches)),
        'agentic search',
        'agentic searches',
      ),
  },
  {
    name: 'records',
    label: 'Stored records',
    valueOn: ({ records }) => records,
    summary(days) {
      const newest = days.findLast(({ records }) => records !== null)?.records ?? null;
      return newest === null ? 'not counted yet' : `${count(newest)} at the last count`;
    },
  },
];

/** Returns the heights of the bars in percent of the highest. A day without a number has the height 0. */
export function heightsOf({ valueOn }: Metric, days: readonly UsageDay[]): number[] {
  const values = days.map((day) => valueOn(day) ?? 0);
  const most = Math.max(...values, 1);
  return values.map((value) => (value / most) * 100);
}
