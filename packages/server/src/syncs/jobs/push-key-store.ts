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

/** A key has started this job, by a push with this digest. */
export interface UsedPushKey extends PushKey {
  readonly digest: string;
  readonly jobId: string;
}

/** Returns what the keys have started. New keys, and those that were given too long ago, have started nothing. */
export async function pushesOfKeys(
  tx: Tx,
  kind: DatabaseKind,
  keys: readonly PushKey[],
): Promise<UsedPushKey[]> {
  if (keys.length === 0) return [];
  return tx
    .selectFrom('push_keys')
    .select(['connection_id as connectionId', 'key', 'digest', 'job_id as jobId'])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('connection_id', 'key'),
        'in',
        keys.map(({ connectionId, key }) => tuple(connectionId, key)),
      ),
    )
    .where('created_at', '>', sql<number>`${nowMs(kind)} - ${sql.lit(PUSH_KEY_KEPT_MS)}`)
    .execute();
}

/**
 * The caller has locked the connections, so that no other push with one of the keys comes between the queries. No key is
 * twice in the list.
 */
export async function keepPushKeys(
  tx: Tx,
  kind: DatabaseKind,
  keys: readonly UsedPushKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx
    .insertInto('push_keys')
    .values(
      keys.map(({ connectionId, key, digest, jobId }) => ({
        connection_id: connectionId,
        key,
        digest,
        job_id: jobId,
        created_at: nowMs(kind),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['connection_id', 'key']).doUpdateSet((eb) => ({
        digest: eb.ref('excluded.digest'),
        job_id: eb.ref('excluded.job_id'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
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
