/**
 * A push may come with a key of the caller's choice (the header Idempotency-Key). A row says which job the key has
 * started, and is written in the transaction of that job. So a repeated push finds the job, whatever has crashed
 * meanwhile and whichever process it reaches.
 */
import { sql } from 'kysely';
import { nowMs } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Db, Tx } from '../../db/schema.ts';

/** A key may start another job when it is older than this. */
export const PUSH_KEY_KEPT_MS = 86_400_000;
const ROWS = 500;

export interface PushKey {
  readonly connectionId: string;
  readonly key: string;
}

/** Returns what the key has started. Returns undefined for a new key, and for one that was given too long ago. */
export const pushOfKey = (tx: Tx, kind: DatabaseKind, { connectionId, key }: PushKey) =>
  tx
    .selectFrom('push_keys')
    .select(['job_id', 'digest'])
    .where('connection_id', '=', connectionId)
    .where('key', '=', key)
    .where('created_at', '>', sql<number>`${nowMs(kind)} - ${sql.lit(PUSH_KEY_KEPT_MS)}`)
    .executeTakeFirst();

/** The caller has locked the connection, so that no other push with the key comes between the queries. */
export async function keepPushKey(
  tx: Tx,
  kind: DatabaseKind,
  {
    connectionId,
    key,
    digest,
    jobId,
  }: PushKey & { readonly digest: string; readonly jobId: string },
): Promise<void> {
  const row = { job_id: jobId, digest, created_at: nowMs(kind) };
  await tx
    .insertInto('push_keys')
    .values({ connection_id: connectionId, key, ...row })
    .onConflict((conflict) => conflict.columns(['connection_id', 'key']).doUpdateSet(row))
    .execute();
}

/** Removes keys that were given before this time. Resolves true when it found some. */
export async function forgetPushKeys(db: Db, before: number): Promise<boolean> {
  const old = await db
    .selectFrom('push_keys')
    .select(['connection_id', 'key'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(ROWS)
    .execute();
  if (old.length === 0) return false;
  await db
    .deleteFrom('push_keys')
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('connection_id', 'key'),
        'in',
        old.map(({ connection_id, key }) => tuple(connection_id, key)),
      ),
    )
    .where('created_at', '<', before)
    .execute();
  return true;
}
