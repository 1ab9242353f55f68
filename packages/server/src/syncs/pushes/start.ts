/** Starts the jobs of pushes in the caller's transaction, those of several connections together. */
import type { Selectable } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import { together } from '../../db/pipelined.ts';
import type { ConnectionTable, SyncConfig, Tx } from '../../db/schema.ts';
import { type AppError, invalid } from '../../errors.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import type { StoredPush } from '../../model/pushed.ts';
import type { Cause } from '../../telemetry/trace.ts';
import { must } from '../../util.ts';
import type { JobRow } from '../jobs/job-store.ts';
import { collectionConfigs, withIds } from '../jobs/list-store.ts';
import { insertJobs } from '../jobs/new-job-store.ts';
import { keepPushKeys, pushesOfKeys } from '../jobs/push-key-store.ts';
import { keepPushes } from '../jobs/push-store.ts';
import { toSourceConnectionJob } from '../jobs/view.ts';
import type { SourceConnectionJob } from '../schema.ts';

export type PushedConnection = Pick<
  Selectable<ConnectionTable>,
  'id' | 'sync_id' | 'organization_id' | 'collection_id'
>;

export interface PushToStart extends StoredPush {
  readonly connection: PushedConnection;
  readonly email: string;
  readonly cause: Cause;
  /** This is null when the caller gave no key. */
  readonly idempotency: { readonly key: string; readonly digest: string } | null;
}

/** This says what a key has started, by a push with this digest. */
interface KeyUse {
  readonly digest: string;
  /** The job is undefined while the push that starts it has no row. */
  job: JobRow | undefined;
}

/**
 * Starts pushes, which are jobs whose packed bodies are stored with them. The jobs of a connection run in the order of the
 * list. A push has the job that its key has started before, in this list or earlier, and the error of its caller when the
 * key came with another body. The caller has locked the connections.
 */
export async function startPushes(
  tx: Tx,
  kind: DatabaseKind,
  pushes: readonly PushToStart[],
): Promise<(SourceConnectionJob | AppError)[]> {
  const [uses, configs] = await together([
    usesOfKeys(tx, kind, pushes),
    collectionConfigs(tx, distinct(pushes.map(({ connection }) => connection.collection_id))),
  ]);
  const fresh = new Map<KeyUse, PushToStart>();
  const found = pushes.map((push) => {
    const place = placeOf(push);
    const earlier = place === null ? undefined : uses.get(place);
    if (earlier && earlier.digest !== push.idempotency?.digest) return keyReused();
    if (earlier && (earlier.job || fresh.has(earlier))) return earlier;
    const use: KeyUse = { digest: push.idempotency?.digest ?? '', job: undefined };
    if (place !== null) uses.set(place, use);
    fresh.set(use, push);
    return use;
  });
  const made = await insertPushes(tx, kind, { pushes: [...fresh.values()], configs });
  for (const [i, use] of [...fresh.keys()].entries()) use.job = made[i];
  return found.map((one) =>
    one instanceof Error ? one : toSourceConnectionJob(must(one.job), null),
  );
}

const keyReused = () =>
  invalid('this Idempotency-Key came with another body: use a new key for a new push', {
    loc: ['headers', 'idempotency-key'],
    code: 'idempotency_key_reused',
  });

const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Returns what identifies the key of the push, or null when it has none. */
const placeOf = ({ connection, idempotency }: PushToStart): string | null =>
  idempotency && keyPlace(connection.id, idempotency.key);

const keyPlace = (connectionId: string, key: string) => `${connectionId} ${key}`;

async function usesOfKeys(
  tx: Tx,
  kind: DatabaseKind,
  pushes: readonly PushToStart[],
): Promise<Map<string, KeyUse>> {
  const keys = pushes.flatMap(({ connection, idempotency }) =>
    idempotency ? [{ connectionId: connection.id, key: idempotency.key }] : [],
  );
  const used = await pushesOfKeys(tx, kind, keys);
  const rows = await withIds(tx, distinct(used.map(({ jobId }) => jobId)));
  const jobs = new Map(rows.map((job) => [job.id, job]));
  return new Map(
    used.map(({ connectionId, key, digest, jobId }) => [
      keyPlace(connectionId, key),
      { digest, job: jobs.get(jobId) },
    ]),
  );
}

async function insertPushes(
  tx: Tx,
  kind: DatabaseKind,
  {
    pushes,
    configs,
  }: {
    readonly pushes: readonly PushToStart[];
    readonly configs: ReadonlyMap<string, SyncConfig | null>;
  },
): Promise<JobRow[]> {
  if (pushes.length === 0) return [];
  const made = await insertJobs(
    tx,
    pushes.map(({ connection, email, cause }) => ({
      organizationId: connection.organization_id,
      connectionId: connection.id,
      syncId: connection.sync_id,
      trigger: 'push',
      full: false,
      acceptDeletions: false,
      // A push has no full sync before it, whose configuration it would have to keep.
      syncConfig: configs.get(connection.collection_id) ?? null,
      email,
      cause,
    })),
  );
  const started = pushes.map((push, i) => ({ ...push, jobId: must(made[i]).id }));
  await together([
    enqueueAll(
      tx,
      'sync.push',
      started.map(({ jobId, connection, cause }) => ({
        data: { jobId },
        lane: connection.id,
        cause,
      })),
    ),
    keepPushes(tx, started),
    keepPushKeys(
      tx,
      kind,
      started.flatMap(({ jobId, connection, idempotency }) =>
        idempotency ? [{ ...idempotency, connectionId: connection.id, jobId }] : [],
      ),
    ),
  ]);
  return made;
}
