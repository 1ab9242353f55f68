/** Who lives keeps what he has: a lease is taken only from one who died or slept, or whose clock was set. */
import { HEARTBEAT_MS, LEASE_MS } from '../../../jobs/queue.ts';
import type { Owner } from '../clock.ts';
import type { JobRow, Observer } from './observe.ts';
import { hold, same } from './violation.ts';

interface Held {
  readonly token: string;
  readonly owner: Owner;
  /** By a clock that nobody sets. */
  readonly since: number;
  /** Of the machine's clock against it, as that stood when the lease was asked for. */
  readonly offset: number;
}

interface Leased {
  readonly id: string;
  readonly token: string;
  readonly until: number;
}

const READ = `select id, lease_token as token, lease_until as until from jobs
  where lease_token is not null`;
const OF_JOB = `select lease_token from jobs where data->>'jobId' = ?`;
/** The clock of the machine gains this much while work is done. */
const DRIFT_MS = LEASE_MS / 2;

export function createLeases(observer: Observer) {
  let held = new Map<string, Held>();
  return {
    check(owner: Owner): void {
      const since = performance.now();
      // A statement that was slept over has the time of before.
      const isAwake = since - owner.awakeSince > HEARTBEAT_MS;
      const now = new Map<string, Held>();
      for (const { id, token, until } of observer.all<Leased>(READ)) {
        const before = held.get(id);
        const isSame = before?.token === token;
        // Either may have been asked for just before the clock was set, and written after that.
        const offset = until - LEASE_MS - since;
        now.set(id, isSame ? before : { token, owner, since, offset });
        if (!before || isSame || before.owner === owner || !isAwake) continue;
        const wasSet = Math.abs(offset - before.offset) > DRIFT_MS;
        const isAlive = before.owner.state === 'up' && before.since > before.owner.awakeSince;
        hold(wasSet || !isAlive, 'who lives keeps what he has', () => id);
      }
      held = now;
    },

    /** Who begins a job has its lease still. */
    checkBegun({ id, lease_token }: JobRow): void {
      const [queued] = observer.all<{ lease_token: string }>(OF_JOB, id);
      same(lease_token, queued?.lease_token, 'who begins a job has its lease', id);
    },
  };
}
