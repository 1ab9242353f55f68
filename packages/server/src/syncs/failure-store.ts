/** Queries on single records that did not get in. */
import type { Db, Tx } from '../db/schema.ts';
import type { LeftOut } from '../sources/define.ts';
import { chunked, newId } from '../util.ts';

const ROWS = 100;
const FAILURES_A_JOB = 1000;

/** The first of a job are kept, enough to see what is wrong; all are counted in `entities_failed`. */
export async function write(
  tx: Tx,
  jobId: string,
  failures: readonly (LeftOut & { stage: string })[],
): Promise<void> {
  if (failures.length === 0) return;
  const room = Math.max(0, FAILURES_A_JOB - (await count(tx, jobId)));
  const first = failures.slice(0, room);
  for (const some of chunked(first, ROWS)) {
    await tx
      .insertInto('job_failures')
      .values(
        some.map((failure) => ({
          id: newId(),
          job_id: jobId,
          entity_id: failure.id,
          entity_type: failure.type,
          stage: failure.stage,
          message: failure.reason,
          hint: failure.hint,
          created_at: Date.now(),
        })),
      )
      .execute();
  }
}

/** In the order in which they failed. */
export const list = (db: Db, jobId: string, page: { skip: number; limit: number }) =>
  db
    .selectFrom('job_failures')
    .select(['entity_id', 'entity_type', 'stage', 'message', 'hint', 'created_at'])
    .where('job_id', '=', jobId)
    .orderBy('id')
    .offset(page.skip)
    .limit(page.limit)
    .execute();

export async function count(db: Db, jobId: string): Promise<number> {
  const row = await db
    .selectFrom('job_failures')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
