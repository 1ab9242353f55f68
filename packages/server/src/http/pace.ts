/**
 * Measures how fast a queue moves. When several calls run at once they share the processors, so the time that a call
 * took is divided by the number of calls that ran beside it: this share is what each call ahead adds to a wait.
 */

/** A newer call counts this much against all earlier ones, so about the last ten calls decide. */
const WEIGHT = 0.2;

export interface QueuePace {
  /** Takes a call into account that took so long beside so many calls, itself among them. */
  note(tookMs: number, beside: { readonly atOnce: number; readonly hasDeadline: boolean }): void;
  /** Returns the milliseconds after which so many calls will have ended. */
  timeFor(calls: number): number;
  /** Returns the milliseconds that a call with a deadline takes from its start to its end. */
  timeOfOne(): number;
}

export function createPace(): QueuePace {
  let share: number | undefined;
  let took: number | undefined;
  const mixed = (before: number | undefined, value: number) =>
    before === undefined ? value : before + WEIGHT * (value - before);
  return {
    note(tookMs, { atOnce, hasDeadline }) {
      share = mixed(share, tookMs / atOnce);
      if (hasDeadline) took = mixed(took, tookMs);
    },
    timeFor: (calls) => calls * (share ?? 0),
    timeOfOne: () => took ?? 0,
  };
}
