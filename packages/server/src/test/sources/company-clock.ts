/** Gives companies their times: a company was made some time ago, and what changes later, changes now. */

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A company was made in steps of the same length. */
export function makeCompanyClock({ ago, step }: { readonly ago: number; readonly step: number }) {
  let made = Date.now() - ago;
  let isMade = false;
  return {
    now(): number {
      if (isMade) return Date.now();
      made += step;
      return made;
    },
    /** From now on, everything changes now. */
    endPast(): void {
      isMade = true;
    },
    /** The change was made when the company was. */
    inPast<Value>(change: () => Value): Value {
      const was = isMade;
      isMade = false;
      try {
        return change();
      } finally {
        isMade = was;
      }
    },
  };
}

/** Returns the time without milliseconds, as many services show it. */
export const timeInSeconds = (at: number): string =>
  new Date(at).toISOString().replace(/\.\d+/, '');
