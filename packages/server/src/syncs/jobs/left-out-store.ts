/**
 * These are the queries on the left-out records of a job: records that failed, and records that were skipped on purpose.
 */
import type { Db, Schema, Tx } from '../../db/schema.ts';
import type { Page } from '../../http/lists.ts';
import type { Access } from '../../model/entity.ts';
import type { LeftOut } from '../../sources/items.ts';
import { chunked, newId } from '../../util.ts';
import type { Tally } from './tally.ts';

const ROWS = 100;
/** A job keeps this many records of each kind, which is enough to see what is wrong. */
const KEPT_PER_JOB = 1000;

export type LeftOutKind = Schema['left_out_records']['kind'];

/** The sync does not take this record in. */
export interface LeftOutRecord extends LeftOut {
  /** This names the stage of the sync that found the reason. */
  readonly stage: string;
  /** If true, the reason is not in the record or its file, so the next sync looks again. */
  readonly mayPass?: boolean;
  /** The record has this access at its source now. It is missing where the source has not told it. */
  readonly access?: Access | undefined;
  /** The file of the record was read at this version. It is missing where the next sync has to look again. */
  readonly refusedVersion?: string;
}

interface LeftOutUpdate {
  /**
   * These are the counters of the job before this commit. They say how many rows of each kind the job has, up to
   * KEPT_PER_JOB, because each commit writes its rows together with the counters.
   */
  readonly before: Pick<Tally, 'skipped' | 'failed'>;
  readonly leftOut: readonly LeftOutRecord[];
}

/**
 * Stores the records until the job has KEPT_PER_JOB of their kind. The counters of the job count all left-out records.
 */
export async function write(
  tx: Tx,
  jobId: string,
  { before, leftOut }: LeftOutUpdate,
): Promise<void> {
  const first = (kind: LeftOutKind, counted: number) =>
    leftOut.filter((one) => one.kind === kind).slice(0, Math.max(0, KEPT_PER_JOB - counted));
  const kept = [...first('fail', before.failed), ...first('skip', before.skipped)];
  for (const some of chunked(kept, ROWS)) {
    await tx
      .insertInto('left_out_records')
      .values(
        some.map((one) => ({
          id: newId(),
          job_id: jobId,
          kind: one.kind,
          entity_id: one.id,
          entity_type: one.type,
          stage: one.stage,
          message: one.reason,
          detail: one.detail,
          hint: one.hint,
          created_at: Date.now(),
        })),
      )
      .execute();
  }
}

/** Lists the records in the order in which the job met them. */
export const list = (
  db: Db,
  jobId: string,
  { kind, skip, limit }: Page & { readonly kind: LeftOutKind },
) =>
  db
    .selectFrom('left_out_records')
    .select(['entity_id', 'entity_type', 'stage', 'message', 'detail', 'hint', 'created_at'])
    .where('job_id', '=', jobId)
    .where('kind', '=', kind)
    .orderBy('id')
    .offset(skip)
    .limit(limit)
    .execute();

export async function count(db: Db, jobId: string, kind: LeftOutKind): Promise<number> {
  const row = await db
    .selectFrom('left_out_records')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
