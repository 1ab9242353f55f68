/**
 * Decides when a look begins after changes. A single change is looked at when nothing has followed it for a moment. A
 * burst, such as the unpacking of an archive, is looked at once, when it is over. A file that changes without end, such as
 * a log, would cause a look each second, so only so many looks follow each other without a wait.
 */
const QUIET_MS = 150;
const LONGEST_MS = 1000;
/** From this many changes on, they are a burst. */
const BURST = 100;
const BURST_QUIET_MS = 500;
const BURST_LONGEST_MS = 30_000;
/** This many looks need not wait for another one. A person who saves every ten seconds does not reach this within an hour. */
const FREE_LOOKS = 200;
/** One more look becomes free each time that this has passed. */
const LOOK_EVERY_MS = 20_000;

export interface Pace {
  /** Notes a change at this time, in milliseconds. */
  changed(now: number): void;
  /** Returns the time at which the look may begin, or null when nothing has changed. */
  dueAt(): number | null;
  /** Forgets the changes, because a look begins. */
  take(): void;
  /** Notes that a look has begun at this time. */
  looked(now: number): void;
  /** No look begins before this time. */
  restUntil(time: number): void;
}

export function createPace(): Pace {
  let first: number | null = null;
  let last = 0;
  let count = 0;
  let rest = 0;
  /** From this time on, all looks are free. Each look puts it off, and the last free one is so far before it. */
  let allFreeAt = 0;
  const lastFreeMs = (FREE_LOOKS - 1) * LOOK_EVERY_MS;
  return {
    changed(now) {
      first ??= now;
      last = now;
      count++;
    },

    dueAt() {
      if (first === null) return null;
      const [quiet, longest] =
        count < BURST ? [QUIET_MS, LONGEST_MS] : [BURST_QUIET_MS, BURST_LONGEST_MS];
      return Math.max(rest, allFreeAt - lastFreeMs, Math.min(last + quiet, first + longest));
    },

    take() {
      first = null;
      count = 0;
    },

    looked(now) {
      allFreeAt = Math.max(now, allFreeAt) + LOOK_EVERY_MS;
    },

    restUntil(time) {
      rest = time;
    },
  };
}
