/**
 * What a record means for what is stored.
 *
 * A record counts once a job, however often the source repeats it: the generation says whether this
 * job has seen it. A job that was killed starts its pull again, under another generation, and counts
 * nothing twice.
 */
import type { Entity } from '../model/entity.ts';
import type { Upsert } from '../sources/define.ts';
import type { Stored } from './store.ts';
import { noTally, type Tally } from './tally.ts';

export interface Judge {
  readonly jobId: string;
  /** Of the job's first pull. */
  readonly firstGeneration: number;
  readonly recipe: string;
}

/** A record whose chunks are to be made, and what it counts as. */
export interface Change {
  readonly entity: Entity;
  readonly stored: Stored | undefined;
  readonly hash: string;
  readonly version: string | null;
  readonly partition: string;
  /** False when only the recipe differs: the content stands as it was. */
  readonly contentChanged: boolean;
}

/** A record that was seen and stands as it is. */
export interface Seen {
  readonly stored: Stored;
  readonly version: string | null;
  readonly partition: string;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export function judge(
  upsert: Upsert,
  hash: string,
  stored: Stored | undefined,
  by: Judge,
): { change: Change } | { seen: Seen } {
  const { entity, version, partition } = upsert;
  const contentChanged = stored?.hash !== hash;
  if (stored && !contentChanged && stored.recipe === by.recipe) {
    const createdAt = entity.createdAt?.getTime() ?? null;
    const updatedAt = entity.updatedAt?.getTime() ?? null;
    return { seen: { stored, version, partition, createdAt, updatedAt } };
  }
  return { change: { entity, stored, hash, version, partition, contentChanged } };
}

/** True when the stub's record need not be asked for. */
export const stands = (
  stub: { version: string; type: string },
  stored: Stored | undefined,
  by: Judge,
): stored is Stored =>
  stored !== undefined &&
  stored.version === stub.version &&
  stored.entity_type === stub.type &&
  stored.recipe === by.recipe;

/** What a change adds to the counters. */
export function tallyChange({ entity, stored, contentChanged }: Change, by: Judge): Tally {
  const encountered = { [entity.type]: 1 };
  if (!stored) return { ...noTally, inserted: 1, encountered };
  if (stored.generation < by.firstGeneration)
    return contentChanged
      ? { ...noTally, updated: 1, encountered }
      : { ...noTally, kept: 1, encountered };
  // Counted before in this job. What was then kept and has changed since becomes an update.
  const wasKept = stored.sync_job_id !== by.jobId;
  return contentChanged && wasKept ? { ...noTally, updated: 1, kept: -1 } : noTally;
}

export const tallySeen = ({ stored }: Seen, by: Judge): Tally =>
  stored.generation >= by.firstGeneration
    ? noTally
    : { ...noTally, kept: 1, encountered: { [stored.entity_type]: 1 } };

export const timesChanged = ({ stored, createdAt, updatedAt }: Seen): boolean =>
  stored.source_created_at !== createdAt || stored.source_updated_at !== updatedAt;
