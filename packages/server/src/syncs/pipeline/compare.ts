/**
 * What a record means for what is stored.
 *
 * A record counts once a job, however often the source repeats it: the generation says whether this
 * job has seen it. A job that was killed starts its pull again, under another generation, and counts
 * nothing twice.
 */
import type { Entity } from '../../model/entity.ts';
import type { Upsert } from '../../sources/define.ts';
import { addTally, noTally, type Tally } from '../jobs/tally.ts';
import { asFailed, hasFailed } from './recipe.ts';
import type { StoredEntity } from './store.ts';

/** The reason why a record is left out that a transformer gave nothing for. */
export const DROPPED = 'dropped by a transformer';

export interface Judge {
  readonly jobId: string;
  /** Of this pull. */
  readonly generation: number;
  /** Of the job's first pull. */
  readonly firstGeneration: number;
  /** By the type that the source says. */
  readonly recipe: (type: string) => string;
  /** Of this attempt: what its transformers have failed in it, it does not try again. */
  readonly attempt: string;
}

/** A record that is to be made anew. */
export interface Stale {
  readonly entity: Entity;
  readonly hash: string;
  readonly stored: StoredEntity | undefined;
  /** Of its rows when it has passed the transformers. */
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
}

/** A row whose chunks are to be made, and what it counts as. */
export interface EntityChange {
  /** As it is shown. */
  readonly entity: Entity;
  readonly stored: StoredEntity | undefined;
  readonly hash: string;
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
  readonly generation: number;
  /** What the source has said, where transformers have made something else of it. */
  readonly source: { readonly entity: Entity; readonly hash: string } | null;
  /** Id of the record of which a transformer has made it. */
  readonly origin: string | null;
  /** Why it is kept and shown nowhere. */
  readonly hidden: 'dropped' | 'failed' | null;
  /** False when only the recipe differs: the content stands as it was. */
  readonly contentChanged: boolean;
}

/** A record that was seen and stands as it is. */
export interface Seen {
  readonly stored: StoredEntity;
  readonly version: string | null;
  readonly partition: string;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export function judge(
  { entity, version, partition }: Upsert,
  hash: string,
  stored: StoredEntity | undefined,
  by: Judge,
): { stale: Stale } | { seen: Seen } {
  const stale = { entity, hash, stored, recipe: by.recipe(entity.type), version, partition };
  if (!stored || stored.origin !== null || saidHash(stored) !== hash) return { stale };
  if (!isOfRecipe(stored, entity.type, by)) return { stale };
  const createdAt = entity.createdAt?.getTime() ?? null;
  const updatedAt = entity.updatedAt?.getTime() ?? null;
  return { seen: { stored, version, partition, createdAt, updatedAt } };
}

/** True when the stub's record need not be asked for. */
export const stands = (
  stub: { version: string; type: string },
  stored: StoredEntity | undefined,
  by: Judge,
): stored is StoredEntity =>
  stored !== undefined &&
  stored.origin === null &&
  stored.version === stub.version &&
  // A transformer may have given it another type.
  (stored.source_hash !== null || stored.entity_type === stub.type) &&
  isOfRecipe(stored, stub.type, by);

const isOfRecipe = ({ recipe }: StoredEntity, type: string, by: Judge): boolean => {
  const current = by.recipe(type);
  return recipe === current || recipe === asFailed(current, by.attempt);
};

const saidHash = (stored: StoredEntity): string => stored.source_hash ?? stored.hash;

/** Says what a change adds to the counters. `hasSecret` tells whether what is shown of it then holds a secret. */
export function tallyChange(
  change: EntityChange & { readonly hasSecret: boolean },
  by: Judge,
): Tally {
  const { entity, stored, hasSecret } = change;
  const wasCounted = stored?.has_secret === true && isCounted(stored, by);
  return addTally(tallyRow(change, by), {
    ...noTally,
    secrets: Number(hasSecret) - Number(wasCounted),
    secretExamples: hasSecret && !wasCounted ? [entity.id] : [],
  });
}

function tallyRow(change: EntityChange, by: Judge): Tally {
  const { entity, stored, contentChanged, hidden } = change;
  const wasShown = stored !== undefined && !stored.is_hidden;
  const encountered = { [entity.type]: 1 };
  if (hidden !== null) {
    const gone = { ...noTally, deleted: wasShown ? 1 : 0 };
    return hidden === 'failed' ? gone : addTally(gone, tallyDropped(entity.type));
  }
  if (!wasShown) return { ...noTally, inserted: 1, encountered };
  if (isCounted(stored, by)) {
    // What was then kept and has changed since becomes an update.
    const wasKept = stored.sync_job_id !== by.jobId;
    return contentChanged && wasKept ? { ...noTally, updated: 1, kept: -1 } : noTally;
  }
  return contentChanged
    ? { ...noTally, updated: 1, encountered }
    : { ...noTally, kept: 1, encountered };
}

const tallyDropped = (type: string): Tally => ({
  ...noTally,
  skipped: 1,
  leftOut: { [type]: 1 },
  skippedBy: { [DROPPED]: 1 },
});

/** By what this job did before: to what is stored, before its pull began, and in its pulls. */
const isCounted = (stored: StoredEntity, by: Judge): boolean =>
  stored.generation >= by.firstGeneration || stored.sync_job_id === by.jobId;

export function tallySeen({ stored }: Seen, by: Judge): Tally {
  const encountered = { [stored.entity_type]: 1 };
  // In this attempt, which has counted it.
  if (hasFailed(stored.recipe)) return noTally;
  if (stored.is_hidden) return tallyDropped(stored.entity_type);
  if (isCounted(stored, by)) return noTally;
  const secrets = stored.has_secret ? { secrets: 1, secretExamples: [stored.entity_id] } : {};
  return { ...noTally, kept: 1, encountered, ...secrets };
}

export const timesChanged = ({ stored, createdAt, updatedAt }: Seen): boolean =>
  stored.source_created_at !== createdAt || stored.source_updated_at !== updatedAt;
