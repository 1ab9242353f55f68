/** Says how far a sync is, from what it has counted, and never as a share that nobody knows. */

import { count } from 'quarry-text/numbers';
import type { Schemas } from '../api/client.ts';

/** A sync does one of these with each record. They are shown in this order. */
export const FATES = ['new', 'changed', 'unchanged', 'skipped', 'failed'] as const;
export type Fate = (typeof FATES)[number];

export interface Segment {
  readonly fate: Fate;
  readonly records: number;
}

export interface TypeProgress {
  readonly type: string;
  /** The sync has met this number of records. */
  readonly seen: number;
  /** The last full sync met this number; null when nobody knows how many there are. */
  readonly before: number | null;
  /** They add up to `seen`; there are none for a job that counted otherwise. */
  readonly segments: readonly Segment[];
}

type Counted = Pick<Schemas['SyncJobProgress'], 'entities_encountered' | 'entities_by_type'>;

/** `before` has the numbers of the last full sync; null for a first or an incremental sync. */
export function progressOf(
  { entities_encountered, entities_by_type }: Counted,
  before: Readonly<Record<string, number>> | null,
): TypeProgress[] {
  const types = new Set([...Object.keys(entities_encountered), ...Object.keys(before ?? {})]);
  return [...types].map((type) => {
    const known = entities_by_type?.[type];
    const counts = known && {
      ...{ new: known.inserted, changed: known.updated, unchanged: known.kept },
      ...{ skipped: known.skipped, failed: known.failed },
    };
    return {
      type,
      seen: entities_encountered[type] ?? 0,
      before: before === null ? null : (before[type] ?? 0),
      segments: counts
        ? FATES.flatMap((fate) => (counts[fate] > 0 ? { fate, records: counts[fate] } : []))
        : [],
    };
  });
}

type Counters = Pick<
  Schemas['SyncJobProgress'],
  | 'entities_inserted'
  | 'entities_updated'
  | 'entities_kept'
  | 'entities_skipped'
  | 'entities_failed'
>;

/** Returns the number of records of each fate, over all types. */
export const fatesOf = (job: Counters): Readonly<Record<Fate, number>> => ({
  new: job.entities_inserted,
  changed: job.entities_updated,
  unchanged: job.entities_kept,
  skipped: job.entities_skipped,
  failed: job.entities_failed,
});

/** "of about 3,398", "all of last time", "48 last time", "none last time"; null without a last time. */
export function againstBefore({ seen, before }: TypeProgress): string | null {
  if (before === null) return null;
  if (before === 0) return 'none last time';
  if (seen < before) return `of about ${count(before)}`;
  return seen === before ? 'all of last time' : `${count(before)} last time`;
}

/** "61 new, 58 changed": what a bar shows, for those who do not see it. */
export const segmentsInWords = (segments: readonly Segment[]): string =>
  segments.map(({ fate, records }) => `${count(records)} ${fate}`).join(', ');
