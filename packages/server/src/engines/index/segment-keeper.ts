/** Stores the copies of large collections in the background, once their changes have settled (segments.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { KeepSegmentsOptions } from '../ports.ts';
import { unnameSegment } from './index-rows.ts';
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
/** When the database cannot be read, the keeper pauses for this long. */
const AWAY_MS = 60_000;

interface Copies {
  /** Returns the copy of the newest commit, or undefined when the collection is gone. */
  copyOf(id: string): Promise<{ readonly copy: Resident; readonly row: SegmentRow } | undefined>;
  /** Returns whether no other collection has to leave the memory for this one. */
  hasRoom(id: string): Promise<boolean>;
  /** Returns a function that returns whether copies that are in memory now are still trusted. */
  trust(): () => boolean;
  readonly when: KeptWhen;
}

/** Works until the signal aborts. */
export async function keepSegments(
  db: Kysely<Schema>,
  segments: Segments,
  { signal, failed, ...copies }: Omit<KeepSegmentsOptions, 'readsCollections'> & Copies,
): Promise<void> {
  const tell = (error: unknown) => {
    if (!signal.aborted) failed(error);
  };
  const keeper = createSegmentKeeper(db, segments, { ...copies, tell });
  try {
    for (;;) {
      let pause = copies.when.everyMs;
      try {
        await keeper.look(performance.now(), signal);
      } catch (error) {
        tell(error);
        pause = AWAY_MS;
      }
      await sleep(pause, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Keeping extends Copies {
  readonly tell: (error: unknown) => void;
}

function createSegmentKeeper(db: Kysely<Schema>, segments: Segments, { tell, ...copies }: Keeping) {
  const { fewestChunks, settledMs, restMs } = copies.when;
  /** These are the versions that earlier looks have seen of each collection. */
  const seen = new Map<string, { readonly first: number; version: number; since: number }>();
  /** These are the times of the last attempts to store each collection. */
  const triedAt = new Map<string, number>();

  function isDue(row: SegmentRow, now: number): boolean {
    const { collection_id: id, version, segment } = row;
    const known = seen.get(id) ?? { first: version, version: -1, since: now };
    if (known.version !== version) seen.set(id, { ...known, version, since: now });
    if (segment !== null && (segments.versionOf(segment) ?? known.first) === version) return false;
    const { since } = seen.get(id) ?? known;
    return now - since >= settledMs && now - (triedAt.get(id) ?? -restMs) >= restMs;
  }

  async function store(id: string, now: number, signal: AbortSignal): Promise<void> {
    const isTrusted = copies.trust();
    const isWanted = () => isTrusted() && !signal.aborted;
    try {
      const found = await copies.copyOf(id);
      if (found && (await segments.write(db, { ...found, isWanted }))) triedAt.set(id, now);
    } catch (error) {
      // A collection that cannot be stored, for example on a full disk, is not in the way of others.
      triedAt.set(id, now);
      tell(error);
    }
  }

  function forgetOthers(existing: ReadonlySet<string>): void {
    for (const known of [seen, triedAt])
      for (const id of known.keys()) if (!existing.has(id)) known.delete(id);
  }

  return {
    /** Removes files that belong to no collection, and stores the copies for which it is time. `now` is in milliseconds. */
    async look(now: number, signal: AbortSignal): Promise<void> {
      await segments.sweep(db).catch(tell);
      const rows = await db
        .selectFrom('indexes')
        .select(['collection_id', 'number', 'version', 'chunks', 'terms', 'segment'])
        .where((eb) => eb.or([eb('chunks', '>=', fewestChunks), eb('segment', 'is not', null)]))
        .orderBy('number')
        .execute();
      for (const row of rows) {
        const { collection_id: id } = row;
        if (signal.aborted) return;
        if (row.chunks < fewestChunks) await unnameSegment(db, id);
        else if (isDue(row, now) && (await copies.hasRoom(id))) await store(id, now, signal);
      }
      forgetOthers(new Set(rows.map((row) => row.collection_id)));
    },
  };
}
