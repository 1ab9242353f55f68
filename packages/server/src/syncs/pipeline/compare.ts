/**
 * Compares a record with what is stored of it, and decides what the record changes.
 *
 * A record counts once in a job, however often the source repeats it: the generation tells whether this job has seen
 * it. A job that was killed starts its pull again, under another generation, and counts nothing twice.
 */
import type { Entity } from '../../model/entity.ts';
import type { Upsert } from '../../sources/define.ts';
import { addTally, noTally, type Tally } from '../jobs/tally.ts';
import { asFailed, hasFailed } from './recipe.ts';
import type { StoredEntity } from './store.ts';

/** A record that a transformer gave nothing for is left out for this reason. */
export const DROPPED = 'dropped by a transformer';

export interface Judge {
  readonly jobId: string;
  /** This is the generation of the current pull. */
  readonly generation: number;
  /** This is the generation of the job's first pull. */
  readonly firstGeneration: number;
  /** The type is the one that the source gives. */
  readonly recipe: (type: string) => string;
  /**
   * This names the current attempt. A record that its transformers failed in this attempt is not tried again in it.
   */
  readonly attempt: string;
}

/** A record that must be processed again. */
export interface Stale {
  readonly entity: Entity;
  readonly hash: string;
  readonly stored: StoredEntity | undefined;
  /** The rows of the record get this recipe after it has passed the transformers. */
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
}

/** A change writes one row with its chunks, and the counters follow from it. */
export interface EntityChange {
  /** The entity is in the form that is shown. */
  readonly entity: Entity;
  readonly stored: StoredEntity | undefined;
  readonly hash: string;
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
  readonly generation: number;
  /**
   * This is the record as the source gave it. Null means that no transformer concerned the record, or that the row
   * was made of another record.
   */
  readonly source: { readonly entity: Entity; readonly hash: string } | null;
  /**
   * This is the id of the record of which a transformer made the entity. Null means that the entity is the source's
   * own record.
   */
  readonly origin: string | null;
  /** A row may be kept and shown nowhere for this reason. Null means that it is shown. */
  readonly hidden: 'dropped' | 'failed' | null;
  /** This is false when only the recipe differs and the content is unchanged. */
  readonly contentChanged: boolean;
}

/** A record that the pull has seen and that is unchanged. */
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

/** Returns true when the record of the stub is unchanged, so that the source need not be asked for it. */
export const stands = (
  stub: { version: string; type: string },
  stored: StoredEntity | undefined,
  by: Judge,
): stored is StoredEntity =>
  stored !== undefined &&
  stored.origin === null &&
  stored.version === stub.version &&
  // A transformer may have given the entity another type.
  (stored.source_hash !== null || stored.entity_type === stub.type) &&
  isOfRecipe(stored, stub.type, by);

const isOfRecipe = ({ recipe }: StoredEntity, type: string, by: Judge): boolean => {
  const current = by.recipe(type);
  return recipe === current || recipe === asFailed(current, by.attempt);
};

const saidHash = (stored: StoredEntity): string => stored.source_hash ?? stored.hash;

/**
 * Returns what a change adds to the counters. `hasSecret` tells whether what is then shown of the record holds a
 * secret.
 */
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
    // A record that this job counted as kept, and that has changed since, becomes an update.
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

/**
 * Returns true when this job has already counted the entity: in one of its pulls, or when it reprocessed stored
 * records before its pull.
 */
const isCounted = (stored: StoredEntity, by: Judge): boolean =>
  stored.generation >= by.firstGeneration || stored.sync_job_id === by.jobId;

export function tallySeen({ stored }: Seen, by: Judge): Tally {
  const encountered = { [stored.entity_type]: 1 };
  // The record failed in this attempt, which has already counted it.
  if (hasFailed(stored.recipe)) return noTally;
  if (stored.is_hidden) return tallyDropped(stored.entity_type);
  if (isCounted(stored, by)) return noTally;
  const secrets = stored.has_secret ? { secrets: 1, secretExamples: [stored.entity_id] } : {};
  return { ...noTally, kept: 1, encountered, ...secrets };
}

export const timesChanged = ({ stored, createdAt, updatedAt }: Seen): boolean =>
  stored.source_created_at !== createdAt || stored.source_updated_at !== updatedAt;
