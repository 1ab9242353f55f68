/** Stores the copies of large collections in the background, once their changes have settled (segments.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Resident } from './residents.ts';
import type { SegmentRow, Segments } from './segments.ts';

export interface KeptWhen {
  /** Smaller collections are not stored. */
  readonly fewestChunks: number;
  readonly everyMs: number;
  /** A copy is stored when its collection has not changed for this long … */
  readonly settledMs: number;
  /** … and not again before this time, because each time all of it is written. */
  readonly restMs: number;
}

/** A collection of fewer chunks is read from its rows in about a tenth of a second. */
export const KEPT_WHEN: KeptWhen = {
  fewestChunks: 5000,
  everyMs: 10_000,
  settledMs: 30_000,
  restMs: 600_000,
};
/** After a failure, such as a full disk, the keeper pauses for this long. */
const FAILED_MS = 600_000;

export interface KeptSegments {
  readonly signal: AbortSignal;
  /** The function is called with what kept copies from being stored. */
  readonly failed: (error: unknown) => void;
}

interface Copies {
  /** Returns the copy of the newest commit, or undefined when the collection is gone. */
  copyOf(id: string): Promise<{ readonly copy: Resident; readonly row: SegmentRow } | undefined>;
  /** Returns whether no other collection has to leave the memory for this one. */
  hasRoom(id: string): Promise<boolean>;
  /** Says that the stored copy of the collection is a new one. */
  stored(id: string): void;
  readonly when: KeptWhen;
}

/** Works until the signal aborts. */
export async function keepSegments(
  db: Kysely<Schema>,
  segments: Segments,
  { signal, failed, ...copies }: KeptSegments & Copies,
): Promise<void> {
  const keeper = createSegmentKeeper(db, segments, copies);
  try {
    for (;;) {
      let pause = copies.when.everyMs;
      try {
        await keeper.look(performance.now(), signal);
      } catch (error) {
        if (!signal.aborted) failed(error);
        pause = FAILED_MS;
      }
      await sleep(pause, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function createSegmentKeeper(db: Kysely<Schema>, segments: Segments, copies: Copies) {
  const { fewestChunks, settledMs, restMs } = copies.when;
  /** These are the versions that earlier looks have seen of each collection. */
  const seen = new Map<string, { readonly first: number; version: number; since: number }>();
  const writtenAt = new Map<string, number>();

  function isDue(row: SegmentRow, now: number): boolean {
    const { collection_id: id, version, segment } = row;
    const known = seen.get(id) ?? { first: version, version: -1, since: now };
    if (known.version !== version) seen.set(id, { ...known, version, since: now });
    if (segment !== null && (segments.versionOf(segment) ?? known.first) === version) return false;
    const { since } = seen.get(id) ?? known;
    return now - since >= settledMs && now - (writtenAt.get(id) ?? -restMs) >= restMs;
  }

  async function store(id: string, now: number): Promise<void> {
    const found = await copies.copyOf(id);
    if (!found || !(await segments.write(db, found.row, found.copy))) return;
    writtenAt.set(id, now);
    copies.stored(id);
  }

  return {
    /** Stores the copies for which it is time, and removes files that belong to no collection. `now` is in milliseconds. */
    async look(now: number, signal: AbortSignal): Promise<void> {
      const rows = await db
        .selectFrom('indexes')
        .select(['collection_id', 'number', 'version', 'chunks', 'terms', 'segment'])
        .where((eb) => eb.or([eb('chunks', '>=', fewestChunks), eb('segment', 'is not', null)]))
        .orderBy('number')
        .execute();
      for (const row of rows) {
        const { collection_id: id } = row;
        if (signal.aborted) return;
        if (row.chunks < fewestChunks) await segments.unname(db, row);
        else if (isDue(row, now) && (await copies.hasRoom(id))) await store(id, now);
      }
      const existing = new Set(rows.map((row) => row.collection_id));
      for (const id of seen.keys()) if (!existing.has(id)) seen.delete(id);
      await segments.sweep(db);
    },
  };
}
