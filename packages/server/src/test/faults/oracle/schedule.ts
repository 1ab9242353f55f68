/** When a connection may sync by itself: `connections/due.ts`, written down once more. */
import { LIVE } from '../../../model/sync-status.ts';
import type { ConnectionRow, JobRow } from './observe.ts';
import { hold } from './violation.ts';

interface Look {
  readonly before: (connectionId: string) => ConnectionRow | undefined;
  readonly now: readonly ConnectionRow[];
  /** The time at which the process that has made the jobs looked whose turn it is. */
  readonly lookedAt: number;
}

/** `known`: jobs that were there before. */
export function checkScheduled(
  known: ReadonlyMap<string, unknown>,
  all: readonly JobRow[],
  { before, now, lookedAt }: Look,
): void {
  for (const { id, connection_id, trigger } of all) {
    if (trigger !== 'schedule' || known.has(id)) continue;
    const connection = before(connection_id);
    const due = connection?.next_run_at ?? Number.POSITIVE_INFINITY;
    const next = now.find((row) => row.id === connection_id)?.next_run_at ?? 0;
    const about = () => `${connection_id}: ${due}, ${lookedAt}, ${next}`;
    const others = all.filter((job) => job.connection_id === connection_id && job.id !== id);
    const isBusy = others.some(({ status }) => LIVE.includes(status));
    hold(!isBusy, 'a run that would overlap another is skipped', about);
    hold(connection?.refused_at === null, 'refused credentials pause the schedule', about);
    hold(due <= lookedAt, 'a schedule starts what is due', about);
    hold(next > lookedAt, 'what was missed is caught up once', about);
  }
}
