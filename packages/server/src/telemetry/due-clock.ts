/**
 * Says for how long the oldest due entry of each kind of job has been due. The id of an entry says when it was made, but
 * it may have become due much later: when the entry before it in its lane ended, or when a worker gave it back. So an
 * entry that a recent look did not show as the oldest due one counts only from that look on. Without a recent look,
 * as in a process that has just started, it counts from its making.
 */
import { timeOfId } from '../util.ts';
import type { QueueFact } from './facts-store.ts';

/** A look that is older says nothing about the time since then. */
const RECENT_MS = 120_000;

interface SeenEntry {
  readonly id: string;
  readonly since: number;
}

export interface DueClock {
  /** Takes the facts of a look, and returns the milliseconds by the name of the job. */
  look(queue: readonly QueueFact[]): ReadonlyMap<string, number>;
}

export function createDueClock(now: () => number = Date.now): DueClock {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let seen = new Map<string, SeenEntry>();

  function sinceOf(job: string, id: string): number {
    const before = seen.get(job);
    if (before?.id === id) return before.since;
    const isRecent = now() - lookedAt < RECENT_MS;
    return isRecent ? Math.max(timeOfId(id), lookedAt) : timeOfId(id);
  }

  return {
    look(queue) {
      const next = new Map<string, SeenEntry>();
      const due = new Map<string, number>();
      for (const { job, state, oldest, dueMs } of queue) {
        if (state !== 'due') continue;
        const entry = oldest === null ? undefined : { id: oldest, since: sinceOf(job, oldest) };
        if (entry) next.set(job, entry);
        due.set(job, Math.max(0, dueMs ?? 0, entry ? now() - entry.since : 0));
      }
      lookedAt = now();
      seen = next;
      return due;
    },
  };
}
