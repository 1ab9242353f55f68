/**
 * A live worker keeps its leases: another process takes a lease only from a process that died or slept, or
 * after the clock was set.
 */
import { HEARTBEAT_MS, LEASE_MS } from '../../../jobs/queue.ts';
import { hold } from '../../random/violation.ts';
import type { Owner } from '../clock.ts';
import type { JobRow, Observer } from './observe.ts';

interface Held {
  readonly token: string;
  readonly owner: Owner;
  /** The first commit with this lease happened at this time of the monotonic clock. */
  readonly since: number;
  /** The machine's clock was ahead of the monotonic clock by this much when the lease was asked for. */
  readonly offset: number;
}

interface Leased {
  readonly id: string;
  readonly token: string;
  readonly until: number;
}

const READ = `select id, lease_token as token, lease_until as until from jobs
  where lease_token is not null`;
const OF_JOB = `select id from jobs where data->>'jobId' = ?`;
/** The machine's clock gains at most this much while work is done. */
const DRIFT_MS = LEASE_MS / 2;

export function createLeases(observer: Observer) {
  let held = new Map<string, Held>();
  return {
    check(owner: Owner): void {
      const since = performance.now();
      // A process that has just woken up may run a statement with a time from before its sleep.
      const isAwake = since - owner.awakeSince > HEARTBEAT_MS;
      const now = new Map<string, Held>();
      for (const { id, token, until } of observer.all<Leased>(READ)) {
        const before = held.get(id);
        const isSame = before?.token === token;
        // Either lease may have been asked for just before the clock was set, and written after that.
        const offset = until - LEASE_MS - since;
        now.set(id, isSame ? before : { token, owner, since, offset });
        if (!before || isSame || before.owner === owner || !isAwake) continue;
        const wasSet = Math.abs(offset - before.offset) > DRIFT_MS;
        const isAlive = before.owner.state === 'up' && before.since > before.owner.awakeSince;
        hold(wasSet || !isAlive, 'a live process keeps its leases', () => id);
      }
      held = now;
    },

    /** A worker that begins a job must still have its lease. */
    checkBegun({ id }: JobRow, owner: Owner): void {
      const [queued] = observer.all<{ id: string }>(OF_JOB, id);
      const lease = queued && held.get(queued.id);
      hold(lease?.owner === owner, 'a process that begins a job has its lease', () => id);
    },
  };
}
