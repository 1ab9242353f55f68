/** The fence stops a worker that has lost its job: every transaction first checks the lease and the connection. */
import type { DatabaseKind } from '../../db/connect.ts';
import { together } from '../../db/pipelined.ts';
import type { Tx } from '../../db/schema.ts';
import { type ClaimedJob, heartbeat } from '../../jobs/queue.ts';
import { lockConnection } from './connection-store.ts';

/** The job has another worker or has ended, or its connection is deleted. Nothing was written. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

export interface Fence {
  readonly kind: DatabaseKind;
  /** The worker works under the lease of this claim. */
  readonly claim: ClaimedJob;
  /** The worker works on this connection. Null means that it works on none. */
  readonly connectionId: string | null;
}

/**
 * Renews the lease and locks the connection, so that neither can be lost before the transaction ends. Returns null when
 * the worker has the lease and the connection exists, and otherwise the reason in words.
 */
export async function holdOrReason(
  tx: Tx,
  { kind, claim, connectionId }: Fence,
): Promise<string | null> {
  // Every transaction locks the connection before the entry in the queue, so that two workers never wait for each
  // other.
  const [lives, isLeased] = await together([
    connectionId === null ? Promise.resolve(true) : lockConnection(tx, connectionId),
    heartbeat(tx, kind, claim),
  ]);
  if (!lives) return 'the connection has been deleted';
  return isLeased ? null : 'the job is no longer ours';
}

/** Does the same as `holdOrReason`, but throws Fenced instead of returning a reason. */
export async function hold(tx: Tx, fence: Fence): Promise<void> {
  const loss = await holdOrReason(tx, fence);
  if (loss !== null) throw new Fenced(loss);
}
