/**
 * A tally holds the counters of a job. They are committed facts: a tally is written in the transaction of the records
 * that it counts, so it never counts what was not committed.
 */
import type { CountsByType } from '../../db/schema.ts';

const MAX_REASONS = 50;
const MAX_EXAMPLES = 10;
const OTHER_REASONS = 'for other reasons';

export interface Tally {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  /** These of the deleted entities were missing in a listing of the source, so the guard of the sweep counts them. */
  readonly missing: number;
  /** The guard of the sweep has kept these entities, which were missing in a part that an incremental pull listed. */
  readonly heldBack: number;
  readonly kept: number;
  readonly skipped: number;
  readonly failed: number;
  /** These are the inserted, updated and kept records, by type. */
  readonly encountered: Readonly<Record<string, number>>;
  /** These are the skipped and failed records, by type. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** These say, with `encountered` and `leftOut`, how many records of each type were kept or skipped. */
  readonly byType: CountsByType;
  /** These are the skipped records, by reason. */
  readonly skippedBy: Readonly<Record<string, number>>;
  /**
   * This many of the inserted, updated and kept records contain a secret. `secretExamples` has the ids of the first
   * ones.
   */
  readonly secrets: number;
  readonly secretExamples: readonly string[];
  readonly chunks: number;
}

export const noCounts: CountsByType = { inserted: {}, updated: {}, deleted: {}, failed: {} };

export const noTally: Tally = {
  inserted: 0,
  updated: 0,
  deleted: 0,
  missing: 0,
  heldBack: 0,
  kept: 0,
  skipped: 0,
  failed: 0,
  encountered: {},
  leftOut: {},
  byType: noCounts,
  skippedBy: {},
  secrets: 0,
  secretExamples: [],
  chunks: 0,
};

export const addTally = (a: Tally, b: Tally): Tally => ({
  inserted: a.inserted + b.inserted,
  updated: a.updated + b.updated,
  deleted: a.deleted + b.deleted,
  missing: a.missing + b.missing,
  heldBack: a.heldBack + b.heldBack,
  kept: a.kept + b.kept,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
  encountered: addCounts(a.encountered, b.encountered),
  leftOut: addCounts(a.leftOut, b.leftOut),
  byType: {
    inserted: addCounts(a.byType.inserted, b.byType.inserted),
    updated: addCounts(a.byType.updated, b.byType.updated),
    deleted: addCounts(a.byType.deleted, b.byType.deleted),
    failed: addCounts(a.byType.failed, b.byType.failed),
  },
  skippedBy: addReasons(a.skippedBy, b.skippedBy),
  secrets: a.secrets + b.secrets,
  secretExamples: [...a.secretExamples, ...b.secretExamples].slice(0, MAX_EXAMPLES),
  chunks: a.chunks + b.chunks,
});

export function addCounts(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  // Users choose the names of types, so a name such as `constructor` must not be read as a property of an object.
  const sum = new Map(Object.entries(a));
  for (const [type, count] of Object.entries(b)) sum.set(type, (sum.get(type) ?? 0) + count);
  return Object.fromEntries(sum);
}

/**
 * Adds counts by reason. A source may write details of a single record into its reasons, so reasons beyond the first
 * 50 are counted as one. Otherwise the row of a job would grow without limit.
 */
function addReasons(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = new Map(Object.entries(a));
  for (const [reason, count] of Object.entries(b)) {
    const name = sum.has(reason) || sum.size < MAX_REASONS ? reason : OTHER_REASONS;
    sum.set(name, (sum.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sum);
}
