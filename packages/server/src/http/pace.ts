/**
 * Measures how fast a queue moves. When several calls run at once they share the processors, so the time that a call
 * took is divided by the number of calls that ran beside it: this share is what each call ahead adds to a wait.
 *
 * Calls without a deadline may take many times as long as the others, as a question beside searches does. They count
 * only for each other, and only where no call has a deadline.
 */

/** A newer call counts this much against all earlier ones, so about the last ten calls decide. */
const WEIGHT = 0.2;

export interface QueuePace {
  /** Takes a call into account that took so long beside so many calls of its kind, itself among them. */
  note(tookMs: number, beside: { readonly atOnce: number; readonly hasDeadline: boolean }): void;
  /** Returns the milliseconds after which so many calls ahead of another one will have ended. */
  timeFor(calls: number, hasDeadline: boolean): number;
  /** Returns the milliseconds that a call with a deadline takes from its start to its end. */
  timeOfOne(): number;
}

export function createPace(): QueuePace {
  let share: number | undefined;
  let shareOfUnbounded: number | undefined;
  let took: number | undefined;
  const mixed = (before: number | undefined, value: number) =>
    before === undefined ? value : before + WEIGHT * (value - before);
  return {
    note(tookMs, { atOnce, hasDeadline }) {
      if (hasDeadline) {
        share = mixed(share, tookMs / atOnce);
        took = mixed(took, tookMs);
      } else shareOfUnbounded = mixed(shareOfUnbounded, tookMs / atOnce);
    },
    timeFor: (calls, hasDeadline) =>
      calls * (share ?? (hasDeadline ? undefined : shareOfUnbounded) ?? 0),
    timeOfOne: () => took ?? 0,
  };
}
