/**
 * Says what a decision adds to the counters of its job.
 *
 * A record counts once in a job, however often the source repeats it: its generation shows whether this job has seen
 * it. A job that was killed may start its pull again under a new generation. It still counts nothing twice, because it
 * compares with the generation of its first attempt.
 */
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { addTally, noCounts, noTally, type Tally } from '../jobs/tally.ts';
import type { SyncAttempt } from './compare.ts';
import {
  droppedRecord,
  goneIn,
  type PreparedDecision,
  type PreparedHide,
  type PreparedWrite,
  type Touch,
  type Write,
} from './decision.ts';
import type { StoredEntity } from './store.ts';

export interface Counted {
  readonly tally: Tally;
  /** The job lists the record among those that it did not take in. */
  readonly leftOut: LeftOutRecord | null;
}

export function countOf(decision: PreparedDecision, by: SyncAttempt): Counted {
  const leftOut = leftOutOf(decision);
  const tally = tallyOf(decision, by);
  return { tally: leftOut ? addTally(tally, tallyLeftOut(leftOut)) : tally, leftOut };
}

function leftOutOf(decision: PreparedDecision): LeftOutRecord | null {
  switch (decision.kind) {
    case 'skip':
    case 'fail':
      return decision;
    case 'hide':
    case 'retain':
    case 'damage':
      return decision.leftOut;
    case 'touch': {
      const { entity_id, entity_type, is_hidden, failed_attempt } = decision.stored;
      return is_hidden && failed_attempt === null ? droppedRecord(entity_id, entity_type) : null;
    }
    default:
      return null;
  }
}

function tallyOf(decision: PreparedDecision, by: SyncAttempt): Tally {
  switch (decision.kind) {
    case 'write':
      return addTally(
        { ...tallyRow(decision, by), chunks: decision.chunks.length },
        tallySecret(decision, decision.entity.id, by),
      );
    case 'hide':
      return addTally(
        tallyDeleted(decision.stored),
        tallySecret(decision, decision.source.entity.id, by),
      );
    case 'touch':
      return tallyTouch(decision, by);
    case 'delete': {
      const tally = goneIn(decision).map(tallyDeleted).reduce(addTally, noTally);
      return { ...tally, missing: decision.isMissing ? tally.deleted : 0 };
    }
    default:
      return noTally;
  }
}

const tallyLeftOut = ({ kind, type, reason }: LeftOutRecord): Tally => ({
  ...noTally,
  ...(kind === 'fail' ? { failed: 1 } : { skipped: 1, skippedBy: { [reason]: 1 } }),
  leftOut: { [type]: 1 },
  byType: kind === 'fail' ? { ...noCounts, failed: { [type]: 1 } } : noCounts,
});

function tallyRow({ entity, stored, contentChanged }: Write, by: SyncAttempt): Tally {
  const encountered = { [entity.type]: 1 };
  const update = { ...noTally, updated: 1, byType: { ...noCounts, updated: encountered } };
  if (!stored || stored.is_hidden)
    return { ...noTally, inserted: 1, encountered, byType: { ...noCounts, inserted: encountered } };
  if (isCounted(stored, by)) {
    // A record that this job counted as kept, and that has changed since, becomes an update.
    const wasKept = stored.sync_job_id !== by.jobId;
    const isOfNewType = stored.entity_type !== entity.type;
    return contentChanged && wasKept
      ? {
          ...update,
          kept: -1,
          encountered: isOfNewType ? { ...encountered, [stored.entity_type]: -1 } : {},
        }
      : noTally;
  }
  return contentChanged ? { ...update, encountered } : { ...noTally, kept: 1, encountered };
}

function tallyTouch({ stored }: Touch, by: SyncAttempt): Tally {
  if (stored.is_hidden || stored.failed_attempt !== null || isCounted(stored, by)) return noTally;
  const secrets = stored.has_secret ? { secrets: 1, secretExamples: [stored.entity_id] } : {};
  return { ...noTally, kept: 1, encountered: { [stored.entity_type]: 1 }, ...secrets };
}

/** Counts only the deletion of a shown entity, because no reader misses a hidden one. */
const tallyDeleted = (stored: StoredEntity | undefined): Tally =>
  stored && !stored.is_hidden
    ? { ...noTally, deleted: 1, byType: { ...noCounts, deleted: { [stored.entity_type]: 1 } } }
    : noTally;

function tallySecret(
  { stored, columns }: PreparedWrite | PreparedHide,
  id: string,
  by: SyncAttempt,
): Tally {
  const hasSecret = columns.has_secret === true;
  const wasCounted = stored?.has_secret === true && isCounted(stored, by);
  return {
    ...noTally,
    secrets: Number(hasSecret) - Number(wasCounted),
    secretExamples: hasSecret && !wasCounted ? [id] : [],
  };
}

/**
 * Returns true when this job has already counted the entity: in one of its pulls, or when it reprocessed stored
 * records before its pull.
 */
const isCounted = (stored: StoredEntity, by: SyncAttempt): boolean =>
  stored.generation >= by.firstGeneration || stored.sync_job_id === by.jobId;
