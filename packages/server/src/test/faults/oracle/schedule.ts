/** Checks which syncs schedules may start. It implements the rules of `connections/due.ts` a second time. */
import { UNFINISHED } from '../../../model/sync-status.ts';
import { hold, same } from '../../random/violation.ts';
import type { ConnectionRow, JobRow } from './observe.ts';

const HOUR_MS = 3_600_000;

interface Look {
  readonly before: (connectionId: string) => ConnectionRow | undefined;
  readonly now: readonly ConnectionRow[];
  /** The process that made the jobs looked at this time which connections are due. */
  readonly lookedAt: number;
}

/** `known` has the jobs that existed before. */
export function checkScheduled(
  known: ReadonlyMap<string, unknown>,
  all: readonly JobRow[],
  { before, now, lookedAt }: Look,
): void {
  for (const job of all) {
    const { id, connection_id, trigger } = job;
    if (trigger !== 'schedule' || known.has(id)) continue;
    const connection = before(connection_id);
    const due = connection?.next_run_at ?? Number.POSITIVE_INFINITY;
    const row = now.find((row) => row.id === connection_id);
    const next = row?.next_run_at ?? 0;
    const about = () => `${connection_id}: ${due}, ${lookedAt}, ${next}`;
    const others = all.filter((job) => job.connection_id === connection_id && job.id !== id);
    const isBusy = others.some(({ status }) => UNFINISHED.includes(status));
    hold(!isBusy, 'a run that would overlap another is skipped', about);
    hold(connection?.refused_at === null, 'refused credentials pause the schedule', about);
    hold(due <= lookedAt, 'a schedule starts what is due', about);
    hold(next > lookedAt, 'what was missed is caught up once', about);
    const full = row && mustBeFull(row, others, lookedAt);
    same(job.full === 1, full, 'a full sync comes as often as it should', `${id}: ${about()}`);
  }
}

/** Tells whether a scheduled sync must be full, to find deletions. `others` are the other jobs of the connection. */
function mustBeFull(row: ConnectionRow, others: readonly JobRow[], lookedAt: number): boolean {
  const { continuous, cursor, full_every: every, next_run_at: next } = row;
  if (!continuous || cursor === null || cursor === 'null') return true;
  const fulls = others.filter(({ full }) => full === 1);
  const newest = fulls.at(-1);
  const hasFailed = newest !== undefined && newest.status !== 'COMPLETED';
  const waits = hasFailed && (newest.completed_at ?? 0) > lookedAt - HOUR_MS;
  if (every === null || waits) return false;
  const completed = fulls.filter(({ status }) => status === 'COMPLETED');
  const last = Math.max(0, ...completed.slice(-1).map(({ started_at }) => started_at ?? 0));
  return last + every * HOUR_MS < (next ?? 0);
}
