/** A push is stored from its request until its job has ended. */
import type { Db, Tx } from '../../db/schema.ts';
import type { StoredPush } from '../../model/pushed.ts';

export async function keepPushes(
  tx: Tx,
  pushes: readonly (StoredPush & { readonly jobId: string })[],
): Promise<void> {
  await tx
    .insertInto('pushes')
    .values(
      pushes.map(({ jobId, body, file }) => ({
        job_id: jobId,
        body,
        file: file?.content ?? null,
        file_name: file?.name ?? null,
      })),
    )
    .execute();
}

export async function storedPush(db: Db, jobId: string): Promise<StoredPush> {
  const { body, file, file_name } = await db
    .selectFrom('pushes')
    .select(['body', 'file', 'file_name'])
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return { body, file: file && { name: file_name ?? '', content: file } };
}
